/// One value of a row as SQLite keeps it: what queries give and what lists print.
public enum Cell: Sendable, Equatable {
  /// Unknown; never printed as zero or as an empty text.
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// Whether the value is unknown.
  public var isNull: Bool { self == .null }

  /// The number, where it is one.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  /// The text, where it is one.
  public var string: String? {
    if case .text(let value) = self { value } else { nil }
  }
}
