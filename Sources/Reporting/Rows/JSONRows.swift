import CallModel

/// JSON Lines: an object a row, numbers without loss, unknown as null.
struct JSONRows: RowWriter {
  private let columns: [RowColumn]
  private let output: Output
  private var line: [UInt8] = []
  /// What stands before each value: braces, commas and names, the same on every row.
  private let before: [[UInt8]]
  private let after: [UInt8]

  init(_ columns: [RowColumn], _ output: Output) {
    self.columns = columns
    self.output = output
    var open: [String] = []
    var before: [[UInt8]] = []
    for (index, column) in columns.enumerated() {
      let outer = Array(column.path.dropLast())
      let shared = zip(open, outer).prefix { $0 == $1 }.count
      var text: [UInt8] = index == 0 ? [UInt8(ascii: "{")] : []
      text += [UInt8](repeating: UInt8(ascii: "}"), count: open.count - shared)
      if index > 0 { text.append(UInt8(ascii: ",")) }
      for name in outer[shared...] {
        JSONBytes.append(name, to: &text)
        text += Array(":{".utf8)
      }
      JSONBytes.append(column.path.last ?? column.name, to: &text)
      text.append(UInt8(ascii: ":"))
      before.append(text)
      open = outer
    }
    self.before = before
    after =
      Array((columns.isEmpty ? "{" : "").utf8) + [UInt8](repeating: UInt8(ascii: "}"), count: open.count + 1)
  }

  mutating func row(_ cells: [Cell]) throws {
    line.removeAll(keepingCapacity: true)
    for (index, column) in columns.enumerated() {
      line += before[index]
      append(cells.cell(index), column.kind)
    }
    line += after
    line.append(0x0A)
    try output.write(line)
  }

  func finish() throws { try output.flush() }

  private mutating func append(_ cell: Cell, _ kind: RowColumn.Kind) {
    switch (kind, cell) {
    case (.flag, .integer(let value)): line += Array((value == 0 ? "false" : "true").utf8)
    case (.json, .text(let json)) where !json.isEmpty:
      // Line ends can stand only between tokens of valid JSON; a line must stay one.
      line += json.utf8.lazy.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
    default: JSONBytes.append(cell, to: &line)
    }
  }
}
