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
    // All classes except normal events (up to 31) and interworking (127): unavailable resources and services, invalid
    // messages, protocol errors (102: a timer expired). Of the normal events preemption (8, 9) and a destination out of
    // order (27). ITU-T Q.850, table 1.
    "q.850": Set([8, 9, 27]).union(32...126),
    // RTP or RTCP timeout, loss of the bearer, SIP timeouts (3GPP TS 24.229 7.2A.18.11).
    "release_cause": [2, 3, 4, 5],
    // Media bearer or quality of service lost, signalling bearer released (3GPP TS 24.229 7.2A.18.12).
    "failure_cause": [1, 2],
    // Resources taken by a call of higher precedence (RFC 4411).
    "preemption": [1, 2, 3, 4, 5],
    // The other end no longer answers (RFC 4028 section 10) or does not know the call, or a server failed.
    "sip": Set([408, 481]).union(500...599),
  ]

  /// One of FreeSWITCH's own causes.
  private struct SwitchCause {
    /// Its number in older versions; newer ones count 200 higher. Nil if only newer ones have it.
    var number: Int?
    var newerNumber: Int
    /// Whether a call that it ends is broken.
    var isBroken = false
    var blame: Verdict.Reason?
    /// How it ends a call that was not answered.
    var outcome: Outcome?

    init(_ number: Int, isBroken: Bool = false, blame: Verdict.Reason? = nil, outcome: Outcome? = nil) {
      (self.number, newerNumber) = (number, number + 200)
      (self.isBroken, self.blame, self.outcome) = (isBroken, blame, outcome)
    }

    init(newer number: Int, outcome: Outcome) { (newerNumber, self.outcome) = (number, outcome) }
  }

  /// FreeSWITCH's own causes by name (`switch_call_cause_t` in switch_types.h).
  ///
  /// It writes the name as the text, under the user name of its profile (`FreeSWITCH` unless configured) or, in newer
  /// versions, under `SIP`.
  private static let switchCauses: [String: SwitchCause] = [
    "CRASH": SwitchCause(500, isBroken: true, blame: .server),
    "SYSTEM_SHUTDOWN": SwitchCause(501, isBroken: true, blame: .server),
    "LOSE_RACE": SwitchCause(502), "MANAGER_REQUEST": SwitchCause(503), "BLIND_TRANSFER": SwitchCause(600),
    "ATTENDED_TRANSFER": SwitchCause(601), "ALLOTTED_TIMEOUT": SwitchCause(602),
    "USER_CHALLENGE": SwitchCause(603), "MEDIA_TIMEOUT": SwitchCause(604, isBroken: true),
    "PICKED_OFF": SwitchCause(605), "USER_NOT_REGISTERED": SwitchCause(606),
    "PROGRESS_TIMEOUT": SwitchCause(607, outcome: .noAnswer), "INVALID_GATEWAY": SwitchCause(608),
    "GATEWAY_DOWN": SwitchCause(609, isBroken: true, blame: .server), "INVALID_URL": SwitchCause(610),
    "INVALID_PROFILE": SwitchCause(611), "NO_PICKUP": SwitchCause(612, outcome: .noAnswer),
    "SRTP_READ_ERROR": SwitchCause(613, isBroken: true), "BOWOUT": SwitchCause(614),
    "BUSY_EVERYWHERE": SwitchCause(newer: 815, outcome: .busy),
    "DECLINE": SwitchCause(newer: 816, outcome: .rejected),
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
    switchCause == nil
      ? causes.first { $0.protocol.lowercased() == "sip" && (100...699).contains($0.cause) }?.cause : nil
  }

  /// Whether an end hangs up because the call is broken.
  public var isFailure: Bool {
    if let switchCause { return switchCause.isBroken }
    return causes.contains { name, cause in Self.broken[name.lowercased()]?.contains(cause) == true }
  }

  /// What broke the call, if the cause says: a server or network, or the signalling.
  public var blame: Verdict.Reason? {
    if let switchCause { return switchCause.blame }
    return causes.lazy.compactMap { name, cause in
      switch (name.lowercased(), cause) {
      case ("q.850", 27), ("q.850", 32..<64): .server
      case ("q.850", 64..<127), ("release_cause", 4...5), ("failure_cause", 2): .signalling
      default: nil
      }
    }.first
  }

  /// The outcome of a rejected call by its Q.850 or FreeSWITCH cause, for a status that says less.
  public var outcome: Outcome? {
    if let outcome = switchCause?.outcome { return outcome }
    return switch causes.first(where: { $0.protocol.lowercased() == "q.850" })?.cause {
    case 17: .busy
    case 18, 19: .noAnswer
    case 21: .rejected
    default: nil
    }
  }

  /// FreeSWITCH's own cause, if it is one: by its text, or by a number under its name or beyond those of SIP.
  private var switchCause: SwitchCause? {
    if let cause = said.flatMap({ Self.switchCauses[String($0)] }) { return cause }
    return causes.lazy.compactMap { name, number in
      guard name.lowercased() == "freeswitch" || name.lowercased() == "sip" && number >= 700 else {
        return nil
      }
      return Self.switchCauses.values.first { $0.number == number || $0.newerNumber == number }
    }.first
  }

  /// Its text; without one, its first cause.
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
