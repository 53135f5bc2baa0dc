import CallModel

/// A table of GitHub Markdown: numbers to the right, nothing of the text taken for markup.
struct MarkdownRows: RowWriter {
  private let columns: [RowColumn]
  private let zone: Zone
  private let output: Output
  private var held: [[Cell]] = []
  private var started = false

  init(_ columns: [RowColumn], _ terminal: TerminalFacts, _ output: Output) {
    self.columns = columns
    zone = terminal.zone
    self.output = output
  }

  mutating func row(_ cells: [Cell]) throws {
    if started { return try line(cells) }
    held.append(cells)
    if held.count == 200 { try start() }
  }

  mutating func finish() throws {
    if !started { try start() }
    try output.flush()
  }

  /// The rule under the header says which columns are numbers, so some rows must be seen first.
  private mutating func start() throws {
    started = true
    try line(columns.map { Self.escape($0.heading) })
    try line(columns.indices.map { TableLayout.isNumeric(held, $0, columns[$0].kind) ? "---:" : "---" })
    for cells in held { try line(cells) }
    held = []
  }

  private func line(_ cells: [Cell]) throws {
    try line(
      columns.indices.map { Self.escape(CellText.table(cells.cell($0), columns[$0].kind, zone: zone)) })
  }

  private func line(_ fields: [String]) throws {
    try output.write("| " + fields.joined(separator: " | ") + " |\n")
  }

  private static func escape(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if "\\`*_[]<>|&~".unicodeScalars.contains(scalar) { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }
}
