import CallModel

extension Cell {
  /// The value as an integer; nil for NULL, other types, and what is too large to compute with.
  public var integer: Int64? { number.flatMap { Int64(exactly: $0) } }
}

/// A value that can be bound to a parameter.
public protocol CellConvertible: Sendable {
  /// The value in the form SQLite stores.
  var cell: Cell { get }
}

extension Cell: CellConvertible {
  public var cell: Cell { self }
}
extension Int: CellConvertible {
  public var cell: Cell { .integer(Int64(self)) }
}
extension Int64: CellConvertible {
  public var cell: Cell { .integer(self) }
}
extension UInt32: CellConvertible {
  public var cell: Cell { .integer(Int64(self)) }
}
extension Bool: CellConvertible {
  public var cell: Cell { .integer(self ? 1 : 0) }
}
extension Double: CellConvertible {
  public var cell: Cell { .real(self) }
}
extension String: CellConvertible {
  public var cell: Cell { .text(self) }
}
extension Optional: CellConvertible where Wrapped: CellConvertible {
  public var cell: Cell { map { $0.cell } ?? .null }
}
