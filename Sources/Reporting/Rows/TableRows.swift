import CallModel

/// Aligned columns for people. Widths come from the first rows; on a terminal that is too narrow long texts are cut,
/// and where even that does not help every row becomes a small list of its own.
struct TableRows: RowWriter {
  private static let rowsHeld = 200
  private static let narrowest = 8
  /// Beyond this a long text sticks out rather than pushing its neighbours away, where nothing has to be cut.
  private static let widestPadding = 60

  private let columns: [RowColumn]
  private let terminal: TerminalFacts
  private let output: Output
  private var held: [[Cell]] = []
  private var layout: Layout?
  private var printed = 0

  private struct Layout {
    var widths: [Int]
    var numeric: [Bool]
    var expanded = false
  }

  init(_ columns: [RowColumn], _ terminal: TerminalFacts, _ output: Output) {
    self.columns = columns
    self.terminal = terminal
    self.output = output
  }

  mutating func row(_ cells: [Cell]) throws {
    if let layout { return try line(cells, layout) }
    held.append(cells)
    if held.count == Self.rowsHeld { try start() }
  }

  mutating func finish() throws {
    if layout == nil { try start() }
    try output.flush()
  }

  /// Whether a column holds numbers and nothing else, so that it is aligned to the right.
  static func isNumeric(_ rows: [[Cell]], _ index: Int, _ kind: RowColumn.Kind) -> Bool {
    let known = rows.lazy.map { $0.cell(index) }.filter { !$0.isNull }
    return kind == .plain && !known.isEmpty && known.allSatisfy { $0.number != nil }
  }

  private mutating func start() throws {
    var layout = Layout(widths: [], numeric: [])
    for (index, column) in columns.enumerated() {
      let numeric = Self.isNumeric(held, index, column.kind)
      let widest = held.map { VisibleText.width(text($0.cell(index), column)) }.max() ?? 0
      let natural = max(VisibleText.width(VisibleText.visible(column.heading)), widest)
      layout.widths.append(terminal.width == nil ? min(natural, Self.widestPadding) : natural)
      layout.numeric.append(numeric)
    }
    narrow(&layout)
    self.layout = layout
    if !layout.expanded {
      let names = columns.indices.map {
        VisibleText.fit(
          VisibleText.visible(columns[$0].heading), to: layout.widths[$0], rightAligned: layout.numeric[$0])
      }
      try write(names, Ink(terminal))
    }
    for cells in held { try line(cells, layout) }
    held = []
  }

  /// Takes columns from the widest texts until the table fits; gives up and expands where that is not enough.
  private func narrow(_ layout: inout Layout) {
    guard let width = terminal.width else { return }
    var excess = layout.widths.reduce(0, +) + 2 * max(0, columns.count - 1) - width
    while excess > 0 {
      let candidates = columns.indices.filter {
        !layout.numeric[$0] && columns[$0].kind != .moment && layout.widths[$0] > Self.narrowest
      }
      guard let widest = candidates.max(by: { layout.widths[$0] < layout.widths[$1] }) else { break }
      layout.widths[widest] -= 1
      excess -= 1
    }
    layout.expanded = excess > 0
  }

  private mutating func line(_ cells: [Cell], _ layout: Layout) throws {
    if layout.expanded { return try record(cells) }
    let fields = columns.indices.map { index in
      let text = text(cells.cell(index), columns[index])
      let fits = terminal.width != nil || VisibleText.width(text) <= layout.widths[index]
      return fits
        ? VisibleText.fit(text, to: layout.widths[index], rightAligned: layout.numeric[index]) : text
    }
    try write(fields, nil)
  }

  private func write(_ fields: [String], _ ink: Ink?) throws {
    var text = fields.joined(separator: "  ")
    while text.last == " " { text.removeLast() }
    try output.write((ink.map { $0(.heading, text) } ?? text) + "\n")
  }

  /// A row as a list, one value a line.
  private mutating func record(_ cells: [Cell]) throws {
    let names = columns.map { VisibleText.visible($0.heading) }
    let widest = min(names.map(VisibleText.width).max() ?? 0, 32)
    if printed > 0 { try output.write("\n") }
    printed += 1
    for (index, name) in names.enumerated() {
      let room = max(Self.narrowest, (terminal.width ?? 80) - widest - 2)
      let value = VisibleText.cut(text(cells.cell(index), columns[index]), to: room)
      try output.write(Ink(terminal)(.faint, VisibleText.fit(name, to: widest)) + "  " + value + "\n")
    }
  }

  private func text(_ cell: Cell, _ column: RowColumn) -> String {
    CellText.table(cell, column.kind, zone: terminal.zone)
  }
}
