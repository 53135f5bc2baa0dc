import CallModel
import CallStore
import Concurrency

/// The rows of one answer, with the names of their columns.
public struct Table: Sendable, Equatable {
  public var columns: [String]
  public var rows: [[Cell]]

  /// A table; rows are as long as there are columns.
  public init(_ columns: [String], _ rows: [[Cell]] = []) {
    self.columns = columns
    self.rows = rows
  }

  /// The place of a column; nil if there is none of that name.
  public func index(of column: String) -> Int? { columns.firstIndex(of: column) }

  /// A value by its column's name; NULL where there is no such column.
  public func cell(_ row: [Cell], _ column: String) -> Cell {
    guard let index = index(of: column), index < row.count else { return .null }
    return row[index]
  }

  /// This table with the columns of another beside it, where the values of `key` are the same; NULL where the other has no such row.
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

  /// One row per key: the values of each other column, in the order of the rows, as one comma-separated text; a comma in a value
  /// becomes a semicolon, so that every list has as many members as the others.
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

  /// The table as CSV with a header line. The last digits of a mean depend on the order in which it was added up: nine decimals are
  /// what any machine agrees on.
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

/// Where rows come from: the store, or a test.
public protocol RowSource: Sendable {
  /// The rows of one SELECT; parameters are named without their colon, and those that the SQL does not name are left alone.
  func table(_ sql: String, _ parameters: [String: Cell]) throws -> Table

  /// The same row by row, for answers as long as a night has calls; `columns` is called once and first.
  func forEachRow(
    _ sql: String, _ parameters: [String: Cell], columns: ([String]) throws -> Void,
    row: ([Cell]) throws -> Void) throws

  /// The rows of several, in their order, each with what went wrong with it; where it can, a source works on some at a time.
  func tables(_ questions: [RowQuestion]) throws -> [Result<Table, any Error>]

  /// Names of the parameters of a SELECT, without their colon.
  func parameters(of sql: String) throws -> [String]
}

/// A SELECT with its parameters by name.
public struct RowQuestion: Sendable {
  let sql: String
  let parameters: [String: Cell]

  /// A question; parameters that the SQL does not name are left alone.
  public init(_ sql: String, _ parameters: [String: Cell]) {
    self.sql = sql
    self.parameters = parameters
  }

  /// The same with more parameters, which take the place of those with their names.
  package func given(_ more: [String: Cell]) -> RowQuestion {
    RowQuestion(sql, parameters.merging(more) { $1 })
  }
}

extension RowSource {
  /// One after the other, where a source has nothing better.
  public func tables(_ questions: [RowQuestion]) throws -> [Result<Table, any Error>] {
    questions.map { question in Result { try table(question.sql, question.parameters) } }
  }

  /// By the table as a whole, where a source has nothing better.
  public func forEachRow(
    _ sql: String, _ parameters: [String: Cell], columns: ([String]) throws -> Void,
    row: ([Cell]) throws -> Void
  ) throws {
    let table = try table(sql, parameters)
    try columns(table.columns)
    for cells in table.rows { try row(cells) }
  }
}

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

  /// The rows of several questions, one on each core.
  public func tables(_ questions: [RowQuestion]) throws -> [Result<Table, any Error>] {
    let readers = Readers(of: store, most: Cores.count, keepsPages: true)
    do {
      return try readers.map(questions) { question, store in
        Result { try StoreRows(store).table(question.sql, question.parameters) }
      }
    } catch {
      // The work throws nothing: no other connection could be opened, and this one does it all.
      return questions.map { question in Result { try table(question.sql, question.parameters) } }
    }
  }

  /// The rows of one question, of which none is kept.
  public func forEachRow(
    _ sql: String, _ parameters: [String: Cell], columns: ([String]) throws -> Void,
    row: ([Cell]) throws -> Void
  ) throws {
    let known = Set(try store.parameters(of: sql))
    try store.query(sql, parameters.filter { known.contains($0.key) }, columns: columns, row: row)
  }
}
