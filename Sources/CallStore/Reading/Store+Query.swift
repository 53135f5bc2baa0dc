import CallModel
import CSQLite
import Glibc
import SQLite

/// The answer to a question in SQL.
public struct QueryResult: Sendable {
  /// Names of the columns, in order.
  public var columns: [String]
  /// A cell for each column of each row; unknown stays `.null`.
  public var rows: [[Cell]]
}

extension Store {
  /// Runs one statement that only reads, with its parameters by name without the `:`; one that is not given is NULL.
  ///
  /// Throws `StoreError.Kind.sql` where the SQL is wrong, writes, holds several statements, or knows no such parameter.
  public func query(_ sql: String, _ parameters: [String: Cell] = [:]) throws -> QueryResult {
    var result = QueryResult(columns: [], rows: [])
    try query(sql, parameters, columns: { result.columns = $0 }, row: { result.rows.append($0) })
    return result
  }

  /// The same row by row, for answers of any size; `columns` is called once and first.
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

  /// The same, of a question that may ask `names_person(text)`: 1 where a person is in a text, however the name is spelled, else NULL.
  public func query(_ sql: String, _ parameters: [String: Cell], person: String) throws -> QueryResult {
    try exclusive {
      let sought = Person(person)
      try connection.define("names_person") { sought.stands(in: $0) ? .integer(1) : nil }
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
  /// Runs questions that must be done in a time: beyond it they throw `StoreError.Kind.interrupted`.
  public func within<Result>(seconds: Double, _ body: () throws -> Result) throws -> Result {
    let until = UnsafeMutablePointer<Double>.allocate(capacity: 1)
    until.initialize(to: Self.monotonicSeconds + seconds)
    // Every so many steps of SQLite's machine the clock is looked at.
    sqlite3_progress_handler(
      connection.handle, 10_000,
      { until in
        guard let until = until?.assumingMemoryBound(to: Double.self) else { return 0 }
        return Store.monotonicSeconds > until.pointee ? 1 : 0
      }, until)
    defer {
      sqlite3_progress_handler(connection.handle, 0, nil, nil)
      until.deallocate()
    }
    return try body()
  }

  private static var monotonicSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
