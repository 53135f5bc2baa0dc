import CallModel
import CSQLite
import Glibc
import IO
import SQLite

/// The result of a query.
public struct QueryResult: Sendable {
  /// Column names, in order.
  public var columns: [String]
  /// One cell per column and row; NULL is `.null`.
  public var rows: [[Cell]]
}

extension Store {
  /// Runs one read-only statement with named parameters, without the `:`; missing parameters are NULL.
  ///
  /// Throws `StoreError.Kind.sql` if the SQL is invalid, writes, contains several statements, or lacks a given
  /// parameter.
  public func query(_ sql: String, _ parameters: [String: Cell] = [:]) throws -> QueryResult {
    var result = QueryResult(columns: [], rows: [])
    try query(sql, parameters, columns: { result.columns = $0 }, row: { result.rows.append($0) })
    return result
  }

  /// The same row by row, for results of any size; `columns` is called once before.
  public func query(
    _ sql: String, _ parameters: [String: Cell] = [:], columns: ([String]) throws -> Void,
    row: ([Cell]) throws -> Void
  ) throws {
    try exclusive {
      let statement = try connection.prepare(sql)
      guard sqlite3_stmt_readonly(statement.handle) != 0, sqlite3_column_count(statement.handle) > 0 else {
        throw StoreError(
          .sql, path: path, "the statement is not a query",
          remedy: "write one that begins with SELECT or WITH")
      }
      try bind(parameters, to: statement)
      try columns(statement.columnNames)
      let count = sqlite3_column_count(statement.handle)
      while try statement.step() { try row((0..<count).map(statement.cell)) }
    }
  }

  /// The same for SQL that may call `names_person(text)`: 1 if a person is in a text in any spelling, otherwise NULL.
  public func query(_ sql: String, _ parameters: [String: Cell], person: String) throws -> QueryResult {
    try exclusive {
      let sought = Person(person)
      try connection.define("names_person") { sought.occurs(in: $0) ? .integer(1) : nil }
      return try query(sql, parameters)
    }
  }

  /// Names of the parameters of a statement, without their `:`.
  public func parameters(of sql: String) throws -> [String] {
    try exclusive { try names(of: try connection.prepare(sql)).compactMap { $0 } }
  }

  private func bind(_ parameters: [String: Cell], to statement: Statement) throws {
    let names = try names(of: statement)
    for (name, cell) in parameters {
      guard names.contains(name) else {
        let known = names.compactMap { $0 }.joined(separator: ", ")
        throw StoreError(
          .sql, path: path, "the query has no parameter `\(name)`",
          remedy: known.isEmpty ? "it has none at all" : "it has: \(known)")
      }
      for (index, other) in names.enumerated() where other == name { statement.bind(Int32(index + 1), cell) }
    }
  }

  private func names(of statement: Statement) throws -> [String?] {
    let count = sqlite3_bind_parameter_count(statement.handle)
    return (0..<count).map { index in
      sqlite3_bind_parameter_name(statement.handle, index + 1).map { String(String(cString: $0).dropFirst()) }
    }
  }
}

extension Store {
  /// Limits what SQL of others can take: the length of a value, which functions such as `printf` make within one
  /// instruction, and the columns of a row, each with one.
  public func limitQuestions(longestValue: Int, columns: Int) {
    let limits = [
      (SQLITE_LIMIT_LENGTH, longestValue), (SQLITE_LIMIT_COLUMN, columns), (SQLITE_LIMIT_EXPR_DEPTH, 200),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000), (SQLITE_LIMIT_COMPOUND_SELECT, 100),
    ]
    for (limit, value) in limits { sqlite3_limit(connection.handle, limit, Int32(clamping: value)) }
  }

  /// Runs queries with a time limit: beyond it they throw `StoreError.Kind.interrupted`.
  public func within<Result>(seconds: Double, _ body: () throws -> Result) throws -> Result {
    let until = UnsafeMutablePointer<Double>.allocate(capacity: 1)
    until.initialize(to: MonotonicClock.nowSeconds + seconds)
    // The clock is read every few instructions of SQLite's virtual machine.
    sqlite3_progress_handler(
      connection.handle, 10_000,
      { until in
        guard let until = until?.assumingMemoryBound(to: Double.self) else { return 0 }
        return MonotonicClock.nowSeconds > until.pointee ? 1 : 0
      }, until)
    defer {
      sqlite3_progress_handler(connection.handle, 0, nil, nil)
      until.deallocate()
    }
    return try body()
  }
}
