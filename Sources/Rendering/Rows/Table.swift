import CallModel
import CallStore
import Concurrency

/// The rows of a query result, with the names of their columns.
public struct Table: Sendable, Equatable {
  public var columns: [String]
  public var rows: [[Cell]]

  /// A table; each row must have one cell per column.
  public init(_ columns: [String], _ rows: [[Cell]] = []) {
    self.columns = columns
    self.rows = rows
  }

  /// Index of a column; nil if there is no column of that name.
  public func index(of column: String) -> Int? { columns.firstIndex(of: column) }

  /// A value by column name; NULL if there is no such column.
  public func cell(_ row: [Cell], _ column: String) -> Cell {
    guard let index = index(of: column), index < row.count else { return .null }
    return row[index]
  }

  /// Left join: adds the columns of another table where the values of `key` match, and NULL where there is no match.
  public func joined(with other: Table, on key: String) -> Table {
    guard let own = index(of: key), let theirs = other.index(of: key) else { return self }
    let added = other.columns.indices.filter { $0 != theirs && index(of: other.columns[$0]) == nil }
    var result = Table(columns + added.map { other.columns[$0] })
    result.rows = rows.map { row in
      let match = other.rows.first { $0[theirs] == row[own] }
      return row + added.map { match?[$0] ?? .null }
    }
    return result
  }

  /// One row per key. The values of each other column are joined by commas in row order. A comma inside a value becomes
  /// a semicolon, so that all lists have the same number of members.
  public func listed(by key: String) -> Table {
    guard let place = index(of: key) else { return self }
    let others = columns.indices.filter { $0 != place }
    var order: [Cell] = []
    var lists: [[[String]]] = []
    for row in rows {
      var slot = order.firstIndex(of: row[place])
      if slot == nil {
        order.append(row[place])
        lists.append(others.map { _ in [] })
        slot = order.count - 1
      }
      guard let slot else { continue }
      for (index, column) in others.enumerated() {
        lists[slot][index].append(
          row[column].number.map { CellText.fixed($0, decimals: 6) }
            ?? row[column].string?.replacing(",", with: ";") ?? "")
      }
    }
    return Table(
      [key] + others.map { columns[$0] + "_list" },
      zip(order, lists).map { key, lists in [key] + lists.map { .text($0.joined(separator: ",")) } })
  }

  /// The table as CSV with a header line. Numbers are rounded to nine decimals, because the last digits of a mean
  /// depend on the order of summation and may differ between machines.
  public func csv(_ formulas: CSVWriter.Formulas) -> [UInt8] {
    var writer = CSVWriter(formulas: formulas)
    writer.header(columns)
    for row in rows { writer.row(row.map(Self.settled)) }
    return writer.bytes
  }

  private static func settled(_ cell: Cell) -> Cell {
    guard case .real(let value) = cell, abs(value) < 1e6 else { return cell }
    return .real((value * 1e9).rounded() / 1e9)
  }
}

/// Runs queries: the store, or a test double.
public protocol RowSource: Sendable {
  /// The rows of one SELECT. Parameter names have no colon; parameters that the SQL does not use are ignored.
  func table(_ sql: String, _ parameters: [String: Cell]) throws -> Table

  /// As `table`, row by row, for large results; `columns` is called once, first.
  func forEachRow(
    _ sql: String, _ parameters: [String: Cell], columns: ([String]) throws -> Void,
    row: ([Cell]) throws -> Void) throws

  /// The results of several queries in order, each with its own error. A source may run them in parallel.
  func tables(_ questions: [RowQuestion]) throws -> [Result<Table, any Error>]

  /// Names of the parameters of a SELECT, without colon.
  func parameters(of sql: String) throws -> [String]
}

/// A SELECT with its parameters by name.
public struct RowQuestion: Sendable {
  let sql: String
  let parameters: [String: Cell]

  /// A query; parameters that the SQL does not use are ignored.
  public init(_ sql: String, _ parameters: [String: Cell]) {
    self.sql = sql
    self.parameters = parameters
  }

  /// A copy with more parameters, which replace those of the same name.
  package func given(_ more: [String: Cell]) -> RowQuestion {
    RowQuestion(sql, parameters.merging(more) { $1 })
  }
}

extension RowSource {
  /// Default implementation: one query after the other.
  public func tables(_ questions: [RowQuestion]) throws -> [Result<Table, any Error>] {
    questions.map { question in Result { try table(question.sql, question.parameters) } }
  }

  /// Default implementation: loads the whole table first.
  public func forEachRow(
    _ sql: String, _ parameters: [String: Cell], columns: ([String]) throws -> Void,
    row: ([Cell]) throws -> Void
  ) throws {
    let table = try table(sql, parameters)
    try columns(table.columns)
    for cells in table.rows { try row(cells) }
  }
}

/// A store as a source of rows.
public struct StoreRows: RowSource {
  private let store: Store

  /// A source for an open store.
  public init(_ store: Store) {
    self.store = store
  }

  /// Names of a query's parameters, without duplicates.
  public func parameters(of sql: String) throws -> [String] {
    try store.parameters(of: sql).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The rows of one query. Only the parameters that it uses are bound.
  public func table(_ sql: String, _ parameters: [String: Cell]) throws -> Table {
    let known = Set(try store.parameters(of: sql))
    let result = try store.query(sql, parameters.filter { known.contains($0.key) })
    return Table(result.columns, result.rows)
  }

  /// The results of several queries, run in parallel on all cores.
  public func tables(_ questions: [RowQuestion]) throws -> [Result<Table, any Error>] {
    let readers = Readers(of: store, most: Cores.count, keepsPages: true)
    do {
      return try readers.map(questions) { question, store in
        Result { try StoreRows(store).table(question.sql, question.parameters) }
      }
    } catch {
      // The work itself does not throw, so this means that no further connection could be opened; use this one for
      // everything.
      return questions.map { question in Result { try table(question.sql, question.parameters) } }
    }
  }

  /// Passes on the rows of one query without keeping them.
  public func forEachRow(
    _ sql: String, _ parameters: [String: Cell], columns: ([String]) throws -> Void,
    row: ([Cell]) throws -> Void
  ) throws {
    let known = Set(try store.parameters(of: sql))
    try store.query(sql, parameters.filter { known.contains($0.key) }, columns: columns, row: row)
  }
}
