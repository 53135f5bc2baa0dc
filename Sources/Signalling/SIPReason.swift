import CallModel

/// The reason for a request, from its Reason header (RFC 3326): `SIP ;cause=408 ;text="Session timer
/// expired", Q.850;cause=102`.
public struct SIPReason {
  /// Numeric cause values by protocol.
  private var causes: [(protocol: Substring, cause: Int)] = []
  private var said: Substring?

  /// Its text, for display.
  public var text: String? { said.map(String.init) }

  /// Causes that mean a failure of the network or an end, by protocol in lower case. Causes of other
  /// protocols are only displayed.
  private static let broken: [String: Set<Int>] = [
    // Out of order, a temporary failure, a circuit or resource that is unavailable, a timer that expired.
    "q.850": [27, 38, 41, 42, 44, 47, 102],
    // Loss of RTP or RTCP, loss of the bearer, SIP without an ACK or answer (3GPP TS 24.229 section
    // 7.2A.18.11).
    "release_cause": [2, 3, 4, 5],
    // FreeSWITCH's own causes (`switch_call_cause_t` in switch_types.h; newer versions add 200): CRASH,
    // SYSTEM_SHUTDOWN, MEDIA_TIMEOUT, GATEWAY_DOWN, SRTP_READ_ERROR.
    "freeswitch": [500, 501, 604, 609, 613, 700, 701, 804, 809, 813],
    // The other end does not answer any more (RFC 4028 section 10) or does not know the call, or a server
    // failed.
    "sip": Set([408, 481]).union(500...599),
  ]

  public init(_ header: String) {
    for value in Self.split(header[...], at: ",") {
      let parts = Self.split(value, at: ";")
      guard let name = parts.first else { continue }
      for part in parts.dropFirst() {
        let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != "\t" } }
        guard pair.count == 2 else { continue }
        let value = Self.trimmed(pair[1][...])
        switch Self.trimmed(pair[0][...]).lowercased() {
        case "cause": if let cause = Int(value) { causes.append((Self.trimmed(name), cause)) }
        case "text": said = said ?? value.filter { $0 != "\"" }[...]
        default: break
        }
      }
    }
  }

  /// The status that would have been sent in a response.
  public var sipCause: Int? { causes.first { $0.protocol.lowercased() == "sip" }?.cause }

  /// Whether an end hangs up because the call is broken.
  public var isFailure: Bool {
    causes.contains { name, cause in Self.broken[name.lowercased()]?.contains(cause) == true }
  }

  /// What a Q.850 cause says about a rejected call, if the status alone is not specific.
  public var outcome: Outcome? {
    switch causes.first(where: { $0.protocol.lowercased() == "q.850" })?.cause {
    case 17: .busy
    case 18, 19: .noAnswer
    case 21: .rejected
    default: nil
    }
  }

  /// Its text, or its first cause if there is no text.
  public var words: String {
    text ?? causes.first.map { "\($0.protocol) cause \($0.cause)" } ?? ""
  }

  /// Splits outside of quotes.
  private static func split(_ value: Substring, at separator: Character) -> [Substring] {
    var isQuoted = false
    return value.split(omittingEmptySubsequences: true) { character in
      if character == "\"" { isQuoted.toggle() }
      return character == separator && !isQuoted
    }
  }

  private static func trimmed(_ value: Substring) -> Substring {
    var value = value.drop { $0 == " " }
    while value.last == " " { value.removeLast() }
    return value
  }
}
