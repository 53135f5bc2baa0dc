import CallModel

/// Prints the rows of a list as they come, in the format asked for.
public struct RowPrinter {
  private var writer: any RowWriter
  private var finished = false
  private var left: Int

  /// A printer for columns of these names (`RowColumn` explains the marks `.`, `[]`, `{}` and `?`); more rows than `limit` are
  /// passed over.
  public init(
    columns: [String], as format: RowFormat, limit: Int? = nil, for terminal: TerminalFacts, to output: Output
  ) {
    left = limit ?? .max
    let columns = columns.map(RowColumn.init)
    writer =
      switch format {
      case .table: TableRows(columns, terminal, output)
      case .json: JSONRows(columns, output)
      case .csv: CSVRows(columns, output)
      case .tsv: TSVRows(columns, output)
      case .markdown: MarkdownRows(columns, terminal, output)
      }
  }

  /// Prints a row, a cell a column; missing cells are unknown. Throws `OutputError`.
  public mutating func row(_ cells: [Cell]) throws {
    guard left > 0 else { return }
    left -= 1
    try writer.row(cells)
  }

  /// Prints what was held back and hands everything to the system. Throws `OutputError`.
  public mutating func finish() throws {
    guard !finished else { return }
    finished = true
    try writer.finish()
  }
}

/// One output format.
protocol RowWriter {
  mutating func row(_ cells: [Cell]) throws
  mutating func finish() throws
}

extension [Cell] {
  /// The cell of a column, unknown where the row is too short.
  func cell(_ index: Int) -> Cell { index < count ? self[index] : .null }
}
