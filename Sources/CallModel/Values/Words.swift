/// Which way a stream flows, seen from the end that reports it.
public enum StreamDirection: String, Sendable, CaseIterable {
  case inbound, outbound, unknown
}

/// What a stream carries.
public enum MediaKind: String, Sendable, CaseIterable {
  case audio, video
}

/// Who looked: the endpoint's own statistics, or packets seen on the wire.
public enum StreamSource: String, Sendable, CaseIterable {
  case stats, capture
}

/// Who started the call, seen from the end that reports it.
public enum CallDirection: String, Sendable, CaseIterable {
  case outgoing, incoming, unknown
}

/// How a call ended.
public enum Outcome: String, Sendable, CaseIterable {
  case completed, dropped, failed, rejected, busy, cancelled, missing, unknown
  case noAnswer = "no-answer"
}

/// Where points can go; the order is the order of every list and the tie-break of every attribution.
public enum Cause: String, Sendable, CaseIterable {
  case loss, jitter, delay, freeze, framerate, resolution, bitrate, coding

  /// All of them: `allCases` is made anew each time it is asked for.
  public static let inOrder = allCases
}

/// What a scored interval is: only `active` and `stalled` ones carry a score.
public enum WindowState: String, Sendable, CaseIterable {
  case active, silent, stalled, unscored

  /// All of them, as `Cause.inOrder`.
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
