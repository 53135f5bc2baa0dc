import CallModel
import Rendering

/// The tables of a page.
extension PageWriter {
  func write(_ part: TablePart, isUnderHeading: Bool, _ main: inout HTML) {
    guard let table = answers[part.query] else { return }
    main.element("section", ["class": "table", "id": part.query]) { section in
      head(part, written: part.query, isUnderHeading: isUnderHeading, &section)
      guard !table.rows.isEmpty else {
        section.element("p", ["class": "empty"], placeholder ?? part.otherwise)
        return
      }
      var (part, table) = (part, table)
      let all = table.rows.count
      if !part.needs.isEmpty {
        let whole = table
        table.rows.removeAll { row in part.needs.allSatisfy { whole.cell(row, $0).isNull } }
      }
      guard !table.rows.isEmpty else {
        section.element("p", ["class": "empty"], part.otherwise)
        return
      }
      // If a column is empty in every row, one line says so instead.
      let isEmpty = { (column: ColumnPart) in
        table.rows.allSatisfy { Self.isNothing(table.cell($0, column.column)) }
      }
      let without = part.columns.filter(isEmpty).map(\.heading)
      part.columns.removeAll(where: isEmpty)
      let same = said(once: part, table)
      if let same { section.element("p", same) }
      if part.isFolded || same != nil {
        section.element("details", ["class": "whole"]) { fold in
          fold.element("summary", ValueText.count(table.rows.count, "row"))
          rows(of: part, table, &fold)
        }
      } else {
        rows(of: part, table, &section)
      }
      let left = [
        without.isEmpty ? nil : "Not known of any: \(without.joined(separator: ", ")).",
        all > table.rows.count
          ? "\(ValueText.count(all - table.rows.count, "row")) without a figure \(Plural.word(all - table.rows.count, "is", "are")) in the CSV file."
          : nil,
      ].compactMap { $0 }
      if !left.isEmpty { section.element("p", ["class": "note"], left.joined(separator: " ")) }
    }
  }

  private static func isNothing(_ cell: Cell) -> Bool { cell.isNull || cell.string?.isEmpty == true }

  /// The value that all rows share, if it replaces the table.
  private func said(once part: TablePart, _ table: Table) -> String? {
    guard let column = part.once, table.rows.count > 1, let first = table.rows.first,
      let words = table.cell(first, column).string,
      table.rows.allSatisfy({ table.cell($0, column).string == words })
    else { return nil }
    return Measure.sentence(words) + (words.hasSuffix(".") ? "" : ".")
  }

  /// Maximum number of rows that expand in place; further rows are only in the CSV file.
  private static let maxUnfolded = 500

  /// The rows; those that pass or exceed the limit are collapsed, with their count.
  private func rows(of part: TablePart, _ table: Table, _ section: inout HTML) {
    let isPlain: ([Cell]) -> Bool = { row in
      part.fold.map { table.cell(row, $0.column).string != $0.value } ?? true
    }
    let plain = table.rows.filter(isPlain)
    let passing = table.rows.filter { !isPlain($0) }
    // If every row passes, show them.
    let shown = plain.isEmpty ? passing : plain
    body(of: part, table, Array(shown.prefix(part.limit)), &section)
    let more = Array(shown.dropFirst(part.limit))
    if !more.isEmpty {
      section.element("details", ["class": "more"]) { fold in
        fold.element("summary", ValueText.count(more.count, "more row"))
        body(of: part, table, Array(more.prefix(Self.maxUnfolded)), &fold)
        if more.count > Self.maxUnfolded {
          fold.element("p", ["class": "note"]) { note in
            let words = "All \(ValueText.grouped(Double(table.rows.count))) rows"
            let file = "csv/\(Escape.path(part.query)).csv"
            if isWritten(part.query) { note.element("a", ["href": file], words) } else { note.text(words) }
          }
        }
      }
    }
    if !plain.isEmpty, !passing.isEmpty, let fold = part.fold {
      section.element("details", ["class": "more", "data-fold": fold.value]) { details in
        details.element("summary", "\(passing.count) \(fold.value)")
        body(of: part, table, passing, &details)
      }
    }
  }

  private func body(of part: TablePart, _ table: Table, _ values: [[Cell]], _ section: inout HTML) {
    // A table that scrolls sideways on a small screen needs keyboard focus and an accessible name.
    let name = part.title.isEmpty ? part.query : part.title
    section.scrollBox(name) {
      $0.table(
        part.columns.map(\.heading), ["aria-label": name],
        isNumber: { Self.isNumber(part.columns[$0].format) }
      ) { rows in
        let scales = ColumnScales(part, table)
        let isGrouped = Self.isGrouped(part, table)
        var before: [Cell]?
        for cells in values {
          row(part, table, cells, after: before, scales, &rows)
          before = isGrouped ? cells : nil
        }
      }
    }
  }

  /// Whether rows with the same first column are adjacent, so that repeated values can be dimmed.
  private static func isGrouped(_ part: TablePart, _ table: Table) -> Bool {
    guard let column = part.columns.first, column.format == .text else { return false }
    let values = table.rows.prefix(part.limit).map { table.cell($0, column.column) }
    let runs = zip(values, values.dropFirst()).count { $0 != $1 } + 1
    var met: [Cell] = []
    for value in values where !met.contains(value) { met.append(value) }
    return runs == met.count
  }

  /// A row; a first column that repeats the previous row's is dimmed.
  private func row(
    _ part: TablePart, _ table: Table, _ values: [Cell], after before: [Cell]?, _ scales: ColumnScales,
    _ rows: inout HTML
  ) {
    rows.element("tr") { row in
      for (index, column) in part.columns.enumerated() {
        let repeats =
          index == 0
          && before.map { table.cell($0, column.column) == table.cell(values, column.column) } == true
        let kind = Self.isNumber(column.format) ? "n" : repeats ? "same" : nil
        // Sort key for the page's script.
        let number = Self.isNumber(column.format) || column.format == .change || column.format == .bar
        let value = number ? table.cell(values, column.column).number.map { "\($0)" } : nil
        row.element("td", ["data-label": column.heading, "class": kind, "data-v": value]) { cell in
          cells.write(table, values, column, scales, into: &cell)
        }
      }
    }
  }
}
