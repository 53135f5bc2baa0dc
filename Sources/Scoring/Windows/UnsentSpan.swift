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
  /// The same of a standstill.
  static let leastStillMs = 1000.0

  public var startMs: Double
  public var endMs: Double
  public var proof: Proof
  /// Whether the far end was amid sending sound, nothing else of it was heard of meanwhile, and it went on afterwards where it had
  /// stopped, no faster than before: no pause, but a program or a machine that stood still.
  public var isStandstill = false
}
