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

  /// The number, if it is one.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  /// The text, if it is one.
  public var string: String? {
    if case .text(let value) = self { value } else { nil }
  }
}
