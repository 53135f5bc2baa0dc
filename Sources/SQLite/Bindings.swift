/// Binds the parameters of a statement in order.
package struct Bindings: ~Copyable {
  private let statement: Statement
  private var last: Int32 = 0

  fileprivate init(_ statement: Statement) { self.statement = statement }

  package mutating func add(_ value: Double?) {
    last &+= 1
    if let value { statement.bind(last, value) } else { statement.bindNull(last) }
  }

  package mutating func add(_ value: Int?) {
    last &+= 1
    if let value { statement.bind(last, Int64(value)) } else { statement.bindNull(last) }
  }

  package mutating func add(_ value: Int64) {
    last &+= 1
    statement.bind(last, value)
  }

  package mutating func add(_ value: Bool) { add(value ? 1 as Int64 : 0) }

  package mutating func add(_ value: String?) {
    last &+= 1
    if let value { statement.bind(last, value) } else { statement.bindNull(last) }
  }

  package mutating func add(_ value: any CellConvertible) {
    last &+= 1
    statement.bind(last, value.cell)
  }
}

extension Statement {
  /// Binds all parameters in order and runs the statement.
  package func run(_ give: (inout Bindings) -> Void) throws {
    var bindings = Bindings(self)
    give(&bindings)
    try run()
  }
}
