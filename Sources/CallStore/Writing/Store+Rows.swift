import CallModel

extension Store {
  /// Puts rows into a table as they are, in one transaction: for what no source brings (manifests, simulated fleets).
  ///
  /// Names are checked against the schema; the values are bound, never part of the SQL.
  public func insert(into table: String, columns: [String], rows: [[Cell]]) throws {
    guard !rows.isEmpty else { return }
    try exclusive {
      let known = try connection.rows("SELECT name FROM pragma_table_info(?)", table) { $0.text(0) }
      guard !known.isEmpty, columns.allSatisfy(known.contains) else {
        throw StoreError(
          .sql, path: path, "there is no table \(table) with the columns \(columns.joined(separator: ", "))")
      }
      let marks = columns.map { _ in "?" }.joined(separator: ", ")
      let statement = try connection.cached(
        "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))")
      try connection.transaction {
        for row in rows {
          statement.clear()
          for (index, cell) in row.enumerated() { statement.bind(Int32(clamping: index + 1), cell) }
          try statement.run()
        }
      }
    }
  }
}
