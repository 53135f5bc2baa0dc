import CallModel

/// Scales that the rows of a table share, so that their small pictures can be compared.
struct ColumnScales {
  private var sparks: [String: ClosedRange<Double>] = [:]
  private var reaches: [String: Double] = [:]

  init(_ part: TablePart, _ table: Table) {
    for column in part.columns {
      switch column.format {
      case .spark:
        let values = table.rows.flatMap { Self.list(table.cell($0, column.column)).compactMap { $0 } }
        sparks[column.column] = Self.range(values)
      case .change:
        for row in table.rows {
          let key = Self.key(column, table, row)
          let ends = ["", "_low", "_high"].map { table.cell(row, column.column + $0).number }
          let far = (ends + [table.cell(row, "margin").number]).compactMap { $0.map { abs($0) } }.max()
          reaches[key] = max(reaches[key] ?? 1e-9, far ?? 0)
        }
      default: break
      }
    }
  }

  /// Lowest and highest of all lines in a column.
  func spark(_ column: ColumnPart) -> ClosedRange<Double> { sparks[column.column] ?? 0...1 }

  /// The farthest from nought that any row of the same figure reaches.
  func reach(_ column: ColumnPart, _ table: Table, _ row: [Cell]) -> Double {
    reaches[Self.key(column, table, row)] ?? 1
  }

  /// The figure that a row is of, as its column `figure` says; nil where the table has but one.
  static func figure(_ table: Table, _ row: [Cell]) -> String? {
    table.cell(row, "figure").string
  }

  /// Comma-separated numbers; nil for each that is not known.
  static func list(_ cell: Cell) -> [Double?] {
    (cell.string ?? cell.number.map { CellText.shortest($0) } ?? "").split(
      separator: ",", omittingEmptySubsequences: false
    ).map { Double($0.trimmed) }
  }

  private static func key(_ column: ColumnPart, _ table: Table, _ row: [Cell]) -> String {
    column.column + " " + (figure(table, row) ?? "")
  }

  /// A fifth of the height at least lies between the ends: noise must not look like news.
  private static func range(_ values: [Double]) -> ClosedRange<Double>? {
    guard let low = values.min(), let high = values.max() else { return nil }
    let room = max(0, 0.2 * abs(high) - (high - low)) / 2
    return (low - room)...(high + room)
  }
}
