import CallModel
import CallStore

/// The store as a source of rows.
public struct StoreRows: RowSource {
  private let store: Store

  /// Rows of a store that is open.
  public init(_ store: Store) {
    self.store = store
  }

  /// Names of a question's parameters, each once.
  public func parameters(of sql: String) throws -> [String] {
    try store.parameters(of: sql).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The rows of one question; only the parameters that it names are given to it.
  public func table(_ sql: String, _ parameters: [String: Cell]) throws -> Table {
    let known = Set(try store.parameters(of: sql))
    let result = try store.query(sql, parameters.filter { known.contains($0.key) })
    return Table(result.columns, result.rows)
  }
}
