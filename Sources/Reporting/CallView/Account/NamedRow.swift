import CallModel
import CallStore

/// A row whose cells are asked for by the name of their column.
struct NamedRow {
  private let columns: [String: Int]
  private let cells: [Cell]

  subscript(_ column: String) -> Cell { columns[column].map { cells.cell($0) } ?? .null }

  func text(_ column: String) -> String? { self[column].string }
  func number(_ column: String) -> Double? { self[column].number }
  func integer(_ column: String) -> Int64? {
    if case .integer(let value) = self[column] {
      value
    } else {
      number(column).flatMap { Int64(exactly: $0) }
    }
  }
  func flag(_ column: String) -> Bool { integer(column) == 1 }
  func word<Word: RawRepresentable>(_ column: String) -> Word? where Word.RawValue == String {
    text(column).flatMap(Word.init)
  }

  /// Every cell by name.
  var all: [String: Cell] { columns.mapValues { cells.cell($0) } }

  /// The rows of a question.
  static func rows(_ store: Store, _ sql: String, _ parameters: [String: Cell]) throws -> [NamedRow] {
    let result = try store.query(sql, parameters)
    let columns = Dictionary(
      result.columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return result.rows.map { NamedRow(columns: columns, cells: $0) }
  }
}
