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
    // Every class but normal events (up to 31) and interworking (127): resources, services and options that are not there, invalid
    // messages, errors of the protocol (102: a timer that ran out). Of normal events preemption (8, 9) and a destination that is out of
    // order (27). ITU-T Q.850, table 1.
    "q.850": Set([8, 9, 27]).union(32...126),
    // RTP or RTCP that does not come any more, a bearer that was lost, SIP that nobody acknowledged or answered (3GPP TS 24.229
    // 7.2A.18.11).
    "release_cause": [2, 3, 4, 5],
    // Media bearer or quality of service lost, signalling bearer released (3GPP TS 24.229 7.2A.18.12).
    "failure_cause": [1, 2],
    // Resources that a call of higher precedence took (RFC 4411).
    "preemption": [1, 2, 3, 4, 5],
    // The other end does not answer any more (RFC 4028 section 10) or knows nothing of the call, or a server failed.
    "sip": Set([408, 481]).union(500...599),
  ]

  /// FreeSWITCH's own causes by their names, and whether a call that they end is broken (`switch_call_cause_t` in switch_types.h).
  ///
  /// It writes the name as the text, under its profile's user name (`FreeSWITCH` unless configured) or, in newer versions, under
  /// `SIP`; the numbers of newer versions are 200 higher.
  private static let freeSWITCH: [String: (numbers: Set<Int>, isBroken: Bool)] = [
    "CRASH": ([500, 700], true), "SYSTEM_SHUTDOWN": ([501, 701], true), "LOSE_RACE": ([502, 702], false),
    "MANAGER_REQUEST": ([503, 703], false), "BLIND_TRANSFER": ([600, 800], false),
    "ATTENDED_TRANSFER": ([601, 801], false), "ALLOTTED_TIMEOUT": ([602, 802], false),
    "USER_CHALLENGE": ([603, 803], false), "MEDIA_TIMEOUT": ([604, 804], true),
    "PICKED_OFF": ([605, 805], false), "USER_NOT_REGISTERED": ([606, 806], false),
    "PROGRESS_TIMEOUT": ([607, 807], false), "INVALID_GATEWAY": ([608, 808], false),
    "GATEWAY_DOWN": ([609, 809], true), "INVALID_URL": ([610, 810], false),
    "INVALID_PROFILE": ([611, 811], false), "NO_PICKUP": ([612, 812], false),
    "SRTP_READ_ERROR": ([613, 813], true), "BOWOUT": ([614, 814], false),
    "BUSY_EVERYWHERE": ([815], false), "DECLINE": ([816], false),
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
        case "text": said = said ?? value.filter { $0 != "\"" && $0 != "\\" }[...]
        default: break
        }
      }
    }
  }

  /// The status that would have been answered (100–699).
  public var sipCause: Int? {
    freeSWITCH == nil
      ? causes.first { $0.protocol.lowercased() == "sip" && (100...699).contains($0.cause) }?.cause : nil
  }

  /// Whether an end hangs up because the call is broken.
  public var isFailure: Bool {
    if let freeSWITCH { return Self.freeSWITCH[freeSWITCH]?.isBroken == true }
    return causes.contains { name, cause in Self.broken[name.lowercased()]?.contains(cause) == true }
  }

  /// What broke the call, as far as its cause says: a network or a server, or the signalling.
  public var blame: Verdict.Reason? {
    if let freeSWITCH {
      return ["CRASH", "SYSTEM_SHUTDOWN", "GATEWAY_DOWN"].contains(freeSWITCH) ? .server : nil
    }
    return causes.lazy.compactMap { name, cause in
      switch (name.lowercased(), cause) {
      case ("q.850", 27), ("q.850", 32..<64): .server
      case ("q.850", 64..<127), ("release_cause", 4...5), ("failure_cause", 2): .signalling
      default: nil
      }
    }.first
  }

  /// What a cause of Q.850 or of FreeSWITCH says of a call that was refused, where its status says no more than that.
  public var outcome: Outcome? {
    switch freeSWITCH {
    case "BUSY_EVERYWHERE": return .busy
    case "NO_PICKUP", "PROGRESS_TIMEOUT": return .noAnswer
    case "DECLINE": return .rejected
    default: break
    }
    return switch causes.first(where: { $0.protocol.lowercased() == "q.850" })?.cause {
    case 17: .busy
    case 18, 19: .noAnswer
    case 21: .rejected
    default: nil
    }
  }

  /// The name of FreeSWITCH's own cause, where it is one: by its text, else by its number under its name or beyond those of SIP.
  private var freeSWITCH: String? {
    if let said, Self.freeSWITCH[String(said)] != nil { return String(said) }
    for (name, cause) in causes {
      let isOwn = name.lowercased() == "freeswitch" || name.lowercased() == "sip" && cause >= 700
      guard isOwn, let own = Self.freeSWITCH.first(where: { $0.value.numbers.contains(cause) }) else {
        continue
      }
      return own.key
    }
    return nil
  }

  /// Its text, or its first cause where it has none.
  public var words: String {
    text ?? causes.first.map { "\($0.protocol) cause \($0.cause)" } ?? ""
  }

  /// Splits outside of quotes.
  private static func split(_ value: Substring, at separator: Character) -> [Substring] {
    var (isQuoted, isEscaped) = (false, false)
    return value.split(omittingEmptySubsequences: true) { character in
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = character == "\\" && isQuoted && !isEscaped
      return character == separator && !isQuoted
    }
  }

  private static func trimmed(_ value: Substring) -> Substring {
    var value = value.drop { $0 == " " }
    while value.last == " " { value.removeLast() }
    return value
  }
}
