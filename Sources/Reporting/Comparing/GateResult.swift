/// How a gate came out for one SDK.
public struct GateResult: Sendable, Equatable {
  /// Ordered by gravity.
  public enum Verdict: String, Sendable, Comparable, CaseIterable {
    case pass, inconclusive, fail

    public static func < (a: Verdict, b: Verdict) -> Bool { a.rank < b.rank }
    private var rank: Int { self == .pass ? 0 : self == .inconclusive ? 1 : 2 }
  }

  public var gate: Gate
  public var sdk: String
  public var verdict: Verdict
  /// The figure in both runs: of all calls, or, where the gate names the baseline, of those that the contrast is made from.
  public var candidate: Double?
  public var baseline: Double?
  /// Candidate minus factor × baseline (the figure itself where the gate names no baseline), to be held against `gate.offset`.
  public var contrast: Interval?
  /// Calls that would probably decide an inconclusive gate, beyond those that ran; nil where that cannot be said.
  public var moreCalls: Int?
  /// The verdict in words.
  public var reason: String
}
