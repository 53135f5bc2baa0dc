import CallModel

/// Prints rows of a list as they arrive, in the chosen format.
public struct RowPrinter {
  private var writer: any RowWriter
  private var finished = false
  private var left: Int

  /// A printer for columns of these names (`RowColumn` explains the marks `.`, `[]`, `{}` and `?`). Rows beyond `limit`
  /// are ignored.
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

  /// Prints a row with one cell per column; missing cells are unknown. Throws `OutputError`.
  public mutating func row(_ cells: [Cell]) throws {
    guard left > 0 else { return }
    left -= 1
    try writer.row(cells)
  }

  /// Prints rows that were held back and flushes the output. Throws `OutputError`.
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
  /// The cell of a column; unknown if the row is too short.
  package func cell(_ index: Int) -> Cell { index < count ? self[index] : .null }
}

/// Output format of rows; the raw value is the argument of `--format`.
public enum RowFormat: String, Sendable, CaseIterable {
  /// Aligned columns for people.
  case table
  /// JSON Lines, one object per row.
  case json
  /// RFC 4180, for spreadsheets and programs.
  case csv
  /// Tab-separated; tab, line ends and backslash inside a value as `\t`, `\n`, `\r`, `\\`.
  case tsv
  /// A GitHub Markdown table.
  case markdown
}

/// JSON Lines, one object per row.
struct JSONRows: RowWriter {
  private let objects: JSONObjects
  private let output: Output
  private var line: [UInt8] = []

  package init(_ columns: [RowColumn], _ output: Output) {
    objects = JSONObjects(columns)
    self.output = output
  }

  package mutating func row(_ cells: [Cell]) throws {
    line.removeAll(keepingCapacity: true)
    objects.append(cells, to: &line)
    line.append(UInt8(ascii: "\n"))
    try output.write(line)
  }

  package func finish() throws { try output.flush() }
}

/// A GitHub Markdown table: numbers are right-aligned, and text is escaped so that it is not read as markup.
struct MarkdownRows: RowWriter {
  private let columns: [RowColumn]
  private let zone: Zone
  private let output: Output
  private var held: [[Cell]] = []
  private var started = false

  package init(_ columns: [RowColumn], _ terminal: TerminalFacts, _ output: Output) {
    self.columns = columns
    zone = terminal.zone
    self.output = output
  }

  package mutating func row(_ cells: [Cell]) throws {
    if started { return try line(cells) }
    held.append(cells)
    if held.count == 200 { try start() }
  }

  package mutating func finish() throws {
    if !started { try start() }
    try output.flush()
  }

  /// Writes the header. The rule below it marks numeric columns, so some rows must be seen first.
  private mutating func start() throws {
    started = true
    try line(columns.map { Escape.markdown($0.heading) })
    try line(columns.indices.map { TableLayout.isNumeric(held, $0, columns[$0].kind) ? "---:" : "---" })
    for cells in held { try line(cells) }
    held = []
  }

  private func line(_ cells: [Cell]) throws {
    try line(
      columns.indices.map { Escape.markdown(CellText.table(cells.cell($0), columns[$0].kind, zone: zone)) })
  }

  private func line(_ fields: [String]) throws {
    try output.write("| " + fields.joined(separator: " | ") + " |\n")
  }
}

/// RFC 4180 through libcsv, with values unchanged, because programs read this. Formulas are guarded only in files of a
/// report or page.
struct CSVRows: RowWriter {
  private let columns: [RowColumn]
  private let output: Output
  private var writer = CSVWriter(formulas: .verbatim)

  package init(_ columns: [RowColumn], _ output: Output) {
    self.columns = columns
    self.output = output
    writer.header(columns.map(\.name))
  }

  package mutating func row(_ cells: [Cell]) throws {
    writer.row(
      columns.enumerated().map { index, column in
        let cell = cells.cell(index)
        if column.kind == .flag, case .integer(let value) = cell {
          return .text(value == 0 ? "false" : "true")
        }
        return cell
      })
    if writer.bytes.count > 1 << 15 { try output.write(writer.take()) }
  }

  package mutating func finish() throws {
    try output.write(writer.take())
    try output.flush()
  }
}

/// Tab-separated values: NULL is empty; tabs and line ends inside a value are escaped.
struct TSVRows: RowWriter {
  private let columns: [RowColumn]
  private let output: Output
  private var started = false

  package init(_ columns: [RowColumn], _ output: Output) {
    self.columns = columns
    self.output = output
  }

  package mutating func row(_ cells: [Cell]) throws {
    try start()
    try line(columns.indices.map { text(cells.cell($0), columns[$0].kind) })
  }

  package mutating func finish() throws {
    try start()
    try output.flush()
  }

  private mutating func start() throws {
    guard !started else { return }
    started = true
    try line(columns.map { Self.escape($0.name) })
  }

  private func line(_ fields: [String]) throws {
    try output.write(fields.joined(separator: "\t"))
    try output.write("\n")
  }

  private func text(_ cell: Cell, _ kind: RowColumn.Kind) -> String {
    switch (kind, cell) {
    case (_, .null): ""
    case (.flag, .integer(let value)): value == 0 ? "false" : "true"
    case (_, .integer(let value)): String(value)
    case (_, .real(let value)): value.isFinite ? CellText.shortest(value) : ""
    case (_, .text(let value)): Self.escape(value)
    case (_, .blob(let value)): CellText.hexadecimal(value)
    }
  }

  private static func escape(_ text: String) -> String {
    guard
      text.utf8.contains(where: {
        $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
          || $0 == UInt8(ascii: "\\")
      })
    else {
      return text
    }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t": result.append(contentsOf: "\\t".unicodeScalars)
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      case "\r": result.append(contentsOf: "\\r".unicodeScalars)
      case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

/// Aligned columns for people; the first rows determine the layout.
struct TableRows: RowWriter {
  private static let rowsHeld = 200

  private let columns: [RowColumn]
  private let terminal: TerminalFacts
  private let output: Output
  private var held: [[Cell]] = []
  private var layout: TableLayout?
  private var heads: [String] = []
  private var printed = 0

  package init(_ columns: [RowColumn], _ terminal: TerminalFacts, _ output: Output) {
    self.columns = columns
    self.terminal = terminal
    self.output = output
  }

  package mutating func row(_ cells: [Cell]) throws {
    if let layout { return try line(texts(cells), layout) }
    held.append(cells)
    if held.count == Self.rowsHeld { try start(isComplete: false) }
  }

  package mutating func finish() throws {
    if layout == nil { try start(isComplete: true) }
    try output.flush()
  }

  private mutating func start(isComplete: Bool) throws {
    let rows = held.map(texts)
    let layout = TableLayout(columns, held, rows, width: terminal.width, isComplete: isComplete)
    self.layout = layout
    held = []
    if !layout.isRecord {
      let unknown = layout.unknown.map { columns[$0].shownHeading }.joined(separator: ", ")
      let same = layout.constant.map { "\(columns[$0].shownHeading) \(rows[0][$0])" }.joined(separator: ", ")
      let above = [
        layout.moments?.words, unknown.isEmpty ? nil : "no values for: \(unknown)",
        same.isEmpty ? nil : "in every row: \(same)",
      ].compactMap(\.self)
      for part in above {
        for line in VisibleText.wrap(part, to: max(40, terminal.width ?? .max)) { try write(line, .faint) }
      }
      try write(
        row(
          layout.fields.map {
            VisibleText.fit(columns[$0].shownHeading, to: layout.widths[$0], rightAligned: layout.numeric[$0])
          }, layout),
        .heading)
    }
    for texts in rows { try line(texts, layout) }
  }

  private mutating func line(_ texts: [String], _ layout: TableLayout) throws {
    if layout.isRecord { return try record(texts) }
    let heads = layout.heads.map { texts[$0] }
    if heads != self.heads {
      // Print an empty line before a heading, unless the previous group has only one row.
      if printed > 1 { try output.write("\n") }
      printed = 0
      try write(VisibleText.cut(heads.joined(separator: " · "), to: terminal.width ?? .max), .accent)
      self.heads = heads
    }
    printed += 1
    let fields = layout.fields.map { index in
      let whole = texts[index]
      let text = columns[index].kind == .moment ? layout.moments?.short(whole) ?? whole : whole
      // A later, wider value may overflow its column if nothing needs to be cut; a time is never cut.
      let mayStickOut = terminal.width == nil || columns[index].kind == .moment
      return mayStickOut && VisibleText.width(text) > layout.widths[index]
        ? text : VisibleText.fit(text, to: layout.widths[index], rightAligned: layout.numeric[index])
    }
    try write(row(fields, layout), nil)
    for index in layout.below where texts[index] != CellText.unknown && !texts[index].isEmpty {
      for part in VisibleText.wrap(texts[index], to: max(TableLayout.narrowest, (terminal.width ?? 80) - 2)) {
        try output.write(terminal.displayable("  \(part)\n"))
      }
    }
  }

  private func row(_ fields: [String], _ layout: TableLayout) -> String {
    var text = fields.joined(separator: String(repeating: " ", count: layout.gap))
    while text.last == " " { text.removeLast() }
    return text
  }

  private func write(_ text: String, _ style: TerminalStyle.Style?) throws {
    try output.write(terminal.displayable((style.map { TerminalStyle(terminal)($0, text) } ?? text) + "\n"))
  }

  /// A row as a list with one value per line.
  private mutating func record(_ texts: [String]) throws {
    let names = columns.map(\.shownHeading)
    let widest = min(names.map(VisibleText.width).max() ?? 0, 32)
    if printed > 0 { try output.write("\n") }
    printed += 1
    for (name, text) in zip(names, texts) {
      let room = max(TableLayout.narrowest, (terminal.width ?? 80) - widest - 2)
      let value = VisibleText.cut(text, to: room)
      try output.write(
        terminal.displayable(
          TerminalStyle(terminal)(.faint, VisibleText.fit(name, to: widest)) + "  " + value + "\n"))
    }
  }

  private func texts(_ cells: [Cell]) -> [String] {
    columns.indices.map { CellText.table(cells.cell($0), columns[$0].kind, zone: terminal.zone) }
  }
}
