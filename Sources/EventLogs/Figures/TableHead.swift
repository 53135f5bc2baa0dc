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

  /// Nil if no form names its columns.
  init?(_ head: UnsafeBufferPointer<UInt8>, _ forms: [SummaryForm]) {
    var firsts: [UInt8: [String]] = [:]
    for form in forms {
      guard let layout = form.layout, layout.rows.isEmpty || layout.rows.contains(where: \.isDocument) else {
        continue
      }
      for separator in layout.separators {
        let first = firsts[separator] ?? Self.firstRow(head, separator)
        firsts[separator] = first
        guard first.count > 1 || layout.columns.count == 1 else { continue }
        let isHeadless = !layout.columns.isEmpty
        guard !isHeadless || first.count >= layout.columns.count else { continue }
        let columns = TableColumns(isHeadless ? layout.columns : first)
        guard layout.has.allSatisfy({ columns[$0.path] != nil }) else { continue }
        if isHeadless || layout.has.contains(where: { !$0.beginning.isEmpty }) {
          // What is in the first row decides.
          let cells = isHeadless ? first : Self.row(head, separator, at: 2 + layout.skipped)
          let isOfForm = layout.has.allSatisfy { path, beginning in
            columns[path].map { cells.indices.contains($0) && cells[$0].hasPrefix(beginning) } ?? false
          }
          guard isOfForm else { continue }
        }
        (self.form, self.layout, self.separator, self.columns) = (form, layout, separator, columns)
        rowsAbove = (isHeadless ? 0 : 1) + layout.skipped
        return
      }
    }
    return nil
  }

  /// The first row of a text, its cells parted by a byte.
  static func firstRow(_ head: UnsafeBufferPointer<UInt8>, _ separator: UInt8) -> [String] {
    // Quickly, as it is asked of every text.
    let end = head.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? head.count
    return row(UnsafeBufferPointer(rebasing: head[..<end]), separator, at: 1)
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
