import CallModel

/// A time in which media is meant to be missing: muted by the far end, or on hold. It is never charged.
public struct QuietSpan: Sendable, Equatable {
  public var startMs: Double
  /// End, infinite while it lasts.
  public var endMs: Double
  /// The medium it concerns, nil for the whole call.
  public var kind: MediaKind?

  /// A quiet time of one medium or of all.
  public init(startMs: Double, endMs: Double = .infinity, kind: MediaKind? = nil) {
    self.startMs = startMs
    self.endMs = endMs
    self.kind = kind
  }
}

/// A quality that the client itself reported (0–100) at an instant.
public struct ClientScore: Sendable, Equatable {
  public var timeMs: Double
  public var value: Double

  /// A report of the client.
  public init(timeMs: Double, value: Double) {
    self.timeMs = timeMs
    self.value = value
  }
}
