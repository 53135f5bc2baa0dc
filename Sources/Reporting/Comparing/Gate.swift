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
