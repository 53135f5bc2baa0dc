import CallModel

/// JSON Lines: an object a row.
struct JSONRows: RowWriter {
  private let objects: JSONObjects
  private let output: Output
  private var line: [UInt8] = []

  init(_ columns: [RowColumn], _ output: Output) {
    objects = JSONObjects(columns)
    self.output = output
  }

  mutating func row(_ cells: [Cell]) throws {
    line.removeAll(keepingCapacity: true)
    objects.append(cells, to: &line)
    line.append(UInt8(ascii: "\n"))
    try output.write(line)
  }

  func finish() throws { try output.flush() }
}
