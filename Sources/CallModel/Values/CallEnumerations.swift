/// The direction of a stream, from the point of view of the end that reports it.
public enum StreamDirection: String, Sendable, CaseIterable {
  case inbound, outbound, unknown
}

/// What a stream carries.
public enum MediaKind: String, Sendable, CaseIterable {
  case audio, video
}

/// The origin of the data: the endpoint's own statistics, captured packets, or figures that something else worked out
/// of either (an export, a table). The best comes first.
public enum StreamSource: String, Sendable, CaseIterable {
  case stats, capture, figures
}

/// Who started the call, from the point of view of the end that reports it.
public enum CallDirection: String, Sendable, CaseIterable {
  case outgoing, incoming, unknown
}

/// How a call ended.
public enum Outcome: String, Sendable, CaseIterable {
  case completed, dropped, failed, rejected, busy, cancelled, missing, unknown
  case noAnswer = "no-answer"

  /// The outcome of a call that was never established, by the final response to its INVITE (RFC 3261 section
  /// 21, RFC 8197, RFC 8688); `failed` if the response says nothing more specific. A 480 after ringing is no
  /// answer, as telephones send it when they have rung for too long.
  public init(sipStatus: Int, afterRinging hasRung: Bool = false) {
    switch sipStatus {
    case 486, 600: self = .busy
    case 403, 603, 607, 608: self = .rejected
    case 408: self = .noAnswer
    case 480 where hasRung: self = .noAnswer
    case 487: self = .cancelled
    default: self = .failed
    }
  }

  /// Whether a call with it was never established.
  package var isWithoutTalk: Bool {
    switch self {
    case .failed, .rejected, .busy, .cancelled, .noAnswer: true
    case .completed, .dropped, .missing, .unknown: false
    }
  }
}

/// Causes of lost points, in the order of all lists, which also breaks ties in attribution.
public enum Cause: String, Sendable, CaseIterable {
  case loss, jitter, delay, freeze, framerate, resolution, bitrate, coding, silence, playout

  /// All cases: `allCases` makes a new array on each call.
  public static let inOrder = allCases

  /// The letter below a sparkline and in a bar; must agree with `reports/call/score-lane.js`.
  package var letter: String {
    switch self {
    case .loss: "L"
    case .jitter: "J"
    case .delay: "D"
    case .freeze: "F"
    case .framerate: "R"
    case .resolution: "S"
    case .bitrate: "B"
    case .coding: "C"
    case .silence: "Q"
    case .playout: "P"
    }
  }
}

/// The state of a scored interval: only `active` and `stalled` ones have a score.
public enum WindowState: String, Sendable, CaseIterable {
  case active, silent, stalled, unscored

  /// All cases, as in `Cause.inOrder`.
  public static let inOrder = allCases
}

/// How urgent a finding is.
public enum Severity: String, Sendable, CaseIterable {
  case info, warning, error
}

/// Why a video encoder sends less than it could (W3C `qualityLimitationReason`); the raw value is its code in a `Sample`.
public enum LimitedBy: Int, Sendable, CaseIterable {
  case none = 0
  case cpu, bandwidth, other

  /// The W3C spelling: none, cpu, bandwidth, other.
  public var name: String {
    switch self {
    case .none: "none"
    case .cpu: "cpu"
    case .bandwidth: "bandwidth"
    case .other: "other"
    }
  }
}
