import CallModel

/// Why a request was sent, by its Reason header (RFC 3326): `SIP ;cause=408 ;text="Session timer expired", Q.850;cause=102`.
public struct SIPReason {
  /// Cause values by protocol, as far as they are numbers.
  private var causes: [(protocol: Substring, cause: Int)] = []
  private var said: Substring?

  /// Its text, for people.
  public var text: String? { said.map(String.init) }

  /// Causes of ISUP (Q.850) by which the network or an end broke down: out of order, a temporary failure, a circuit or resource
  /// that is gone, a timer that ran out.
  private static let broken: Set<Int> = [27, 38, 41, 42, 44, 47, 102]

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

  /// The status that would have been answered.
  public var sipCause: Int? { causes.first { $0.protocol.lowercased() == "sip" }?.cause }

  /// Whether who hangs up does so because the call is broken: the other end does not answer any more (RFC 4028 section 10) or knows
  /// nothing of the call, or a server or the network failed.
  public var isFailure: Bool {
    causes.contains { name, cause in
      name.lowercased() == "sip"
        ? cause == 408 || cause == 481 || (500...599).contains(cause) : Self.broken.contains(cause)
    }
  }

  /// What a cause of Q.850 says of a call that was refused, where its status says no more than that.
  public var outcome: Outcome? {
    switch causes.first(where: { $0.protocol.lowercased() == "q.850" })?.cause {
    case 17: .busy
    case 18, 19: .noAnswer
    case 21: .rejected
    default: nil
    }
  }

  /// Its text, or its first cause where it has none.
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
