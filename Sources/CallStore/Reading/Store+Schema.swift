import CallModel

extension Store {
  /// The statements that made a table or view, with their comments; nil for every table and view.
  public func schema(of name: String? = nil) throws -> [(name: String, sql: String)] {
    try exclusive {
      try connection.rows(
        """
        SELECT name, sql FROM sqlite_schema
        WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' AND (?1 IS NULL OR name = ?1) ORDER BY rowid
        """, name
      ) { ($0.text(0), $0.text(1)) }
    }
  }
}
