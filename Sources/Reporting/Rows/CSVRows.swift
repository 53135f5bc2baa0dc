import CallModel

/// RFC 4180 through libcsv, every value as it is: programs read this. Only files of a report and of a page guard formulas.
struct CSVRows: RowWriter {
  private let columns: [RowColumn]
  private let output: Output
  private var writer = CSVWriter(formulas: .verbatim)

  init(_ columns: [RowColumn], _ output: Output) {
    self.columns = columns
    self.output = output
    writer.header(columns.map(\.name))
  }

  mutating func row(_ cells: [Cell]) throws {
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

  mutating func finish() throws {
    try output.write(writer.take())
    try output.flush()
  }
}

/// Tab-separated values, NULL as nothing, line structure inside a value escaped.
struct TSVRows: RowWriter {
  private let columns: [RowColumn]
  private let output: Output
  private var started = false

  init(_ columns: [RowColumn], _ output: Output) {
    self.columns = columns
    self.output = output
  }

  mutating func row(_ cells: [Cell]) throws {
    try start()
    try line(columns.indices.map { text(cells.cell($0), columns[$0].kind) })
  }

  mutating func finish() throws {
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
