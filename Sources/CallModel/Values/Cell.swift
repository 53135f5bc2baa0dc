/// One value of a SQLite row: returned by queries, printed by lists.
public enum Cell: Sendable, Equatable {
  /// Unknown; never printed as zero or as an empty string.
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// Whether the value is unknown.
  public var isNull: Bool { self == .null }

  /// Doubles are exact up to here: a figure beyond it is unknown, wherever it comes from.
  public static let largest = 9_007_199_254_740_992.0

  /// The number, if it is one that can be computed with.
  public var number: Double? {
    switch self {
    case .integer(let value): Self.bounded(Double(value))
    case .real(let value): Self.bounded(value)
    default: nil
    }
  }

  /// The value; nil if it is too large to compute with.
  public static func bounded(_ value: Double) -> Double? { abs(value) <= largest ? value : nil }

  /// The text, if it is one.
  public var string: String? {
    if case .text(let value) = self { value } else { nil }
  }
}
