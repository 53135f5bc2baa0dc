/// What began the trouble that decided a call's verdict, or cost it most: what came first in the order of physics.
public struct RootCause: Sendable, Equatable {
  /// `calls.root_cause` in SQL and JSON.
  public enum Code: String, Sendable, CaseIterable {
    /// The way to an end carried less than was sent on it.
    case capacity
    /// An end went over to another network.
    case handover = "hand-over"
    /// A machine slept.
    case asleep
    /// A processor was too slow.
    case processor
    /// A camera or microphone gave too little.
    case source
    /// The application stopped what it sent.
    case application
    /// Sound was not played, or slower than time passed.
    case playout
    /// A server or relay did not pass on what it got.
    case server
    /// Packets were lost.
    case loss
  }

  public var code: Code
  /// The end that it is of: the one to which a way carried too little, that went over to another network; else the one
  /// that suffered from it.
  public var end: String?
  /// From when to when, ms since the Unix epoch on the clock of the call.
  public var span: ClosedRange<Double>
  /// What a way carried meanwhile, bit/s; nil for other causes.
  public var carriedBps: Double?
  /// What it carried before, bit/s; nil if it held from the start.
  public var beforeBps: Double?
  /// Its part of all points that the end lost, 0–1; nil where the rest of the call does not show what was lost without it.
  public var share: Double?

  /// A root cause.
  public init(_ code: Code, at end: String?, _ span: ClosedRange<Double>, share: Double? = nil) {
    (self.code, self.end, self.span, self.share) = (code, end, span, share)
  }
}
