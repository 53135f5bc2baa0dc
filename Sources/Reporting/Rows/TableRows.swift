import CallModel

/// Aligned columns for people, laid out by the first rows.
struct TableRows: RowWriter {
  private static let rowsHeld = 200

  private let columns: [RowColumn]
  private let terminal: TerminalFacts
  private let output: Output
  private var held: [[Cell]] = []
  private var layout: TableLayout?
  private var heads: [String] = []
  private var printed = 0

  init(_ columns: [RowColumn], _ terminal: TerminalFacts, _ output: Output) {
    self.columns = columns
    self.terminal = terminal
    self.output = output
  }

  mutating func row(_ cells: [Cell]) throws {
    if let layout { return try line(texts(cells), layout) }
    held.append(cells)
    if held.count == Self.rowsHeld { try start(isComplete: false) }
  }

  mutating func finish() throws {
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
      let above = [layout.moments?.words, unknown.isEmpty ? nil : "nothing known: \(unknown)"].compactMap(
        \.self)
      for part in above { try write(part, .faint) }
      try write(
        row(
          layout.fields.map {
            VisibleText.fit(columns[$0].shownHeading, to: layout.widths[$0], rightAligned: layout.numeric[$0])
          }),
        .heading)
    }
    for texts in rows { try line(texts, layout) }
  }

  private mutating func line(_ texts: [String], _ layout: TableLayout) throws {
    if layout.isRecord { return try record(texts) }
    let heads = layout.heads.map { texts[$0] }
    if heads != self.heads {
      // A head a row needs no air; heads of several rows do.
      if printed > 1 { try output.write("\n") }
      printed = 0
      try write(VisibleText.cut(heads.joined(separator: " · "), to: terminal.width ?? .max), .accent)
      self.heads = heads
    }
    printed += 1
    let fields = layout.fields.map { index in
      let whole = texts[index]
      let text = columns[index].kind == .moment ? layout.moments?.short(whole) ?? whole : whole
      // What came later and is wider sticks out where nothing must be cut; a moment is never cut.
      let mayStickOut = terminal.width == nil || columns[index].kind == .moment
      return mayStickOut && VisibleText.width(text) > layout.widths[index]
        ? text : VisibleText.fit(text, to: layout.widths[index], rightAligned: layout.numeric[index])
    }
    try write(row(fields), nil)
    for index in layout.below where texts[index] != CellText.unknown && !texts[index].isEmpty {
      for part in VisibleText.wrap(texts[index], to: max(TableLayout.narrowest, (terminal.width ?? 80) - 2)) {
        try output.write(terminal.told("  \(part)\n"))
      }
    }
  }

  private func row(_ fields: [String]) -> String {
    var text = fields.joined(separator: "  ")
    while text.last == " " { text.removeLast() }
    return text
  }

  private func write(_ text: String, _ style: Ink.Style?) throws {
    try output.write(terminal.told((style.map { Ink(terminal)($0, text) } ?? text) + "\n"))
  }

  /// A row as a list, one value a line.
  private mutating func record(_ texts: [String]) throws {
    let names = columns.map(\.shownHeading)
    let widest = min(names.map(VisibleText.width).max() ?? 0, 32)
    if printed > 0 { try output.write("\n") }
    printed += 1
    for (name, text) in zip(names, texts) {
      let room = max(TableLayout.narrowest, (terminal.width ?? 80) - widest - 2)
      let value = VisibleText.cut(text, to: room)
      try output.write(
        terminal.told(Ink(terminal)(.faint, VisibleText.fit(name, to: widest)) + "  " + value + "\n"))
    }
  }

  private func texts(_ cells: [Cell]) -> [String] {
    columns.indices.map { CellText.table(cells.cell($0), columns[$0].kind, zone: terminal.zone) }
  }
}
