/// One line of a gate file: a figure that must stay on one side of a limit.
public struct Gate: Sendable, Equatable {
  /// Which side is right.
  public enum Relation: String, Sendable, CaseIterable {
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"

    /// Whether larger is better.
    var wantsMore: Bool { self == .atLeast || self == .above }

    func holds(_ value: Double, _ limit: Double) -> Bool {
      switch self {
      case .atLeast: value >= limit
      case .atMost: value <= limit
      case .above: value > limit
      case .below: value < limit
      }
    }
  }

  public var figure: Figure
  public var relation: Relation
  /// The limit is `factor` × baseline + `offset`; factor 0 where the line names no baseline.
  public var factor: Double
  public var offset: Double
  /// SDKs it speaks of; empty means each.
  public var sdks: [String]
  /// As written, without comment.
  public var text: String
  public var line: Int

  /// Whether it needs a baseline.
  public var isRelative: Bool { factor != 0 }

  /// Whether it speaks of an SDK.
  public func speaks(of sdk: String) -> Bool { sdks.isEmpty || sdks.contains(sdk) }
}

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
