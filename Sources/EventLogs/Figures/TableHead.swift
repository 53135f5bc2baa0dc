import Bytes
import IO

/// The head of a table: what parts its cells, its columns, and the form that names them.
struct TableHead {
  let form: SummaryForm
  let layout: FigureLayout
  let separator: UInt8
  let columns: TableColumns
  /// How many rows are above the first one with data.
  let rowsAbove: Int

  /// The most rows that may be above the heading.
  private static let mostAbove = 12

  /// Nil if no form names its columns.
  init?(_ head: UnsafeBufferPointer<UInt8>, _ forms: [SummaryForm]) {
    var tops: [UInt8: [(above: Int, cells: [String])]] = [:]
    for form in forms {
      guard let layout = form.layout, layout.rows.isEmpty || layout.rows.contains(where: \.isDocument) else {
        continue
      }
      let isHeadless = !layout.columns.isEmpty
      for separator in layout.separators {
        let top = tops[separator] ?? Self.headings(head, separator)
        tops[separator] = top
        for (above, first) in isHeadless ? Array(top.prefix(1)) : top {
          guard first.count > 1 || layout.columns.count == 1, first.count >= layout.columns.count else {
            continue
          }
          let columns = TableColumns(isHeadless ? layout.columns : first)
          guard layout.has.allSatisfy({ columns[$0.path] != nil }) else { continue }
          if isHeadless || layout.has.contains(where: { !$0.beginning.isEmpty }) {
            // What is in the first row decides.
            let cells = isHeadless ? first : Self.row(head, separator, at: 2 + above + layout.skipped)
            let isOfForm = layout.has.allSatisfy { path, beginning in
              columns[path].map { cells.indices.contains($0) && cells[$0].hasPrefix(beginning) } ?? false
            }
            guard isOfForm else { continue }
          }
          (self.form, self.layout, self.separator, self.columns) = (form, layout, separator, columns)
          rowsAbove = (isHeadless ? 0 : 1 + above) + layout.skipped
          return
        }
      }
    }
    return nil
  }

  /// The rows that may be the heading: the first one, and the one below a title, comments or `sep=;`.
  private static func headings(_ head: UnsafeBufferPointer<UInt8>, _ separator: UInt8) -> [(
    above: Int, cells: [String]
  )] {
    // Quickly, as it is asked of every text.
    let lines = ByteSearch.lines(in: head, most: mostAbove)
    let top = UnsafeBufferPointer(rebasing: head[..<(lines.last?.upperBound ?? head.count)])
    let rows = rows(top, separator, most: mostAbove)
    let above = rowsAboveHeading(rows)
    return Set([0, above]).sorted().compactMap { rows.indices.contains($0) ? ($0, rows[$0]) : nil }
  }

  /// How many rows are above the heading, which has as many cells as the row below it.
  static func rowsAboveHeading(_ rows: [[String]]) -> Int {
    rows.indices.dropLast().first { index in
      rows[index].count > 1 && rows[index].count == rows[index + 1].count && !rows[index][0].hasPrefix("#")
    } ?? 0
  }

  private static func row(_ head: UnsafeBufferPointer<UInt8>, _ separator: UInt8, at number: Int) -> [String]
  {
    rows(head, separator, most: number).dropFirst(number - 1).first ?? []
  }

  /// The first rows of a text.
  static func rows(_ head: UnsafeBufferPointer<UInt8>, _ separator: UInt8, most: Int) -> [[String]] {
    var rows: [[String]] = []
    try? CSVReader.forEachRow(of: MemoryBytes(Array(head)), separator: separator) { row in
      rows.append(row.texts)
      return rows.count < most
    }
    return rows
  }
}
