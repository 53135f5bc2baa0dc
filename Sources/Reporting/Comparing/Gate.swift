/// One line of a gate file: a figure that must stay on one side of a limit.
public struct Gate: Sendable, Equatable {
  /// The comparison that must hold.
  public enum Relation: String, Sendable, CaseIterable {
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"

    /// Whether larger values are better.
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
  /// The limit is `factor` × baseline + `offset`; factor 0 means the line does not refer to the baseline.
  public var factor: Double
  public var offset: Double
  /// SDKs it applies to; empty means all.
  public var sdks: [String]
  /// The line as written, without its comment.
  public var text: String
  public var line: Int

  /// Whether it needs a baseline.
  public var isRelative: Bool { factor != 0 }

  /// Whether it applies to an SDK.
  public func speaks(of sdk: String) -> Bool { sdks.isEmpty || sdks.contains(sdk) }
}

/// The result of a gate for one SDK.
public struct GateResult: Sendable, Equatable {
  /// Ordered by severity.
  public enum Verdict: String, Sendable, Comparable, CaseIterable {
    case pass, inconclusive, fail

    public static func < (a: Verdict, b: Verdict) -> Bool { a.rank < b.rank }
    private var rank: Int { self == .pass ? 0 : self == .inconclusive ? 1 : 2 }
  }

  public var gate: Gate
  public var sdk: String
  public var verdict: Verdict
  /// The figure in both runs: of all calls or, if the gate refers to the baseline, of those used for the contrast.
  public var candidate: Double?
  public var baseline: Double?
  /// Candidate minus factor × baseline (just the figure if the gate does not refer to the baseline), to be compared
  /// with `gate.offset`.
  public var contrast: Interval?
  /// Estimated number of further calls that would decide an inconclusive gate; nil if unknown.
  public var moreCalls: Int?
  /// The verdict in words.
  public var reason: String
}
