import CallModel

/// Rows as JSON objects: dotted names nest, marked names embed (`RowColumn`), numbers keep every digit, unknown is null.
public struct JSONObjects {
  private let columns: [RowColumn]
  /// What stands before each value: braces, commas and names, the same on every row.
  private let before: [[UInt8]]
  private let after: [UInt8]

  /// Objects with a member a column.
  public init(columns names: [String]) { self.init(names.map(RowColumn.init)) }

  init(_ columns: [RowColumn]) {
    self.columns = columns
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

  /// Appends the object of a row, without a line end.
  public func append(_ cells: [Cell], to bytes: inout [UInt8]) {
    for (index, column) in columns.enumerated() {
      bytes += before[index]
      append(cells.cell(index), column.kind, to: &bytes)
    }
    bytes += after
  }

  private func append(_ cell: Cell, _ kind: RowColumn.Kind, to bytes: inout [UInt8]) {
    switch (kind, cell) {
    case (.flag, .integer(let value)): bytes += Array((value == 0 ? "false" : "true").utf8)
    case (.json, .text(let json)) where !json.isEmpty:
      // Line ends can stand only between tokens of valid JSON; a line must stay one.
      bytes += json.utf8.lazy.map {
        $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0
      }
    default: JSONBytes.append(cell, to: &bytes)
    }
  }
}
