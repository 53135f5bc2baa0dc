import CallModel

/// What a list command prints: columns named as the members of its JSON.
///
/// `points_lost.loss` nests, `findings[]` and `args{}` hold JSON text, `chosen?` is 0 or 1 and means false or true.
public struct Listing: Sendable {
  /// The command.
  public let name: String
  /// SQL with `{scope}` for the condition on the call `k`, `{windows}` for that on the window `w`, `{sources}` for that
  /// on the source `s`.
  let sql: String
  /// What rows are ordered by.
  let order: String

  init(_ name: String, order: String, _ sql: String) {
    self.name = name
    self.sql = sql
    self.order = order
  }

  /// The whole statement for a scope.
  func statement(_ scope: CallScope) -> String {
    // The user's own SQL goes in last, so that nothing in it is taken for a mark.
    let sql = self.sql.replacing("{windows}", with: scope.windowCondition)
      .replacing("{sources}", with: scope.sourceCondition).replacing("{scope}", with: scope.condition)
    let worstFirst = scope.worst != nil && name == Listing.calls.name
    return sql + "\nORDER BY " + (worstFirst ? "k.score_mean IS NULL, k.score_mean, " : "") + order
      + scope.limitClause
  }

  /// Every listing.
  public static let all: [Listing] = [
    .calls, .streams, .score, .setup, .events, .findings, .sessions, .sources, .rejects, .runs,
  ]
}

extension Store {
  /// The rows of a listing, one by one; `columns` is called once and first.
  public func list(
    _ listing: Listing, _ scope: CallScope = CallScope(), columns: ([String]) throws -> Void,
    row: ([Cell]) throws -> Void
  ) throws {
    let sql = listing.statement(scope)
    let known = try Set(parameters(of: sql))
    try query(sql, scope.parameters.filter { known.contains($0.key) }, columns: columns, row: row)
  }

  /// The rows of a listing.
  public func list(_ listing: Listing, _ scope: CallScope = CallScope()) throws -> QueryResult {
    var result = QueryResult(columns: [], rows: [])
    try list(listing, scope, columns: { result.columns = $0 }, row: { result.rows.append($0) })
    return result
  }

  /// Keys of the calls in a scope, in the order of the lists.
  public func keys(_ scope: CallScope) throws -> [Int64] {
    try query(
      "SELECT k.call_key FROM calls AS k WHERE \(scope.condition) ORDER BY k.started_ms, k.call_id, k.call_key",
      scope.parameters
    ).rows.compactMap { $0.first?.integer }
  }
}
