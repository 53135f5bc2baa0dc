/// A time without sound in which the far end sent none, as what came afterwards proves: it was not lost on the way.
public struct UnsentSpan: Sendable, Equatable {
  /// What proves it.
  public enum Proof: Sendable, Equatable {
    /// The numbers of a capture's packets go on where they had stopped.
    case sequenceNumbers
    /// By its own count (RTCP sender reports) the far end sent no packet that did not come.
    case senderReports
  }

  /// Shorter times without sound are nothing to tell of, ms, and are not kept.
  static let leastMs = 3000.0

  public var startMs: Double
  public var endMs: Double
  public var proof: Proof
}
