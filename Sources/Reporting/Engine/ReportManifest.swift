import CallModel

/// `report.json`: what the report said, for programs, and the sign that its folder is a report's.
struct ReportManifest {
  var outcome: ReportOutcome
  var request: ReportRequest
  var slice: Slice

  func json() -> [UInt8] {
    var bytes: [UInt8] = []
    func member(_ name: String, _ cell: Cell, first: Bool = false) {
      bytes += Array((first ? "{\n  " : ",\n  ").utf8)
      JSONBytes.append(name, to: &bytes)
      bytes += Array(": ".utf8)
      JSONBytes.append(cell, to: &bytes)
    }
    member("made_by", .text("callqa report"), first: true)
    member("title", .text(request.definition.title))
    member("run", slice.run.map { .text($0) } ?? .null)
    member("since_ms", .of(slice.sinceMs))
    member("until_ms", .of(slice.untilMs))
    member("headline", .text(outcome.headline.line))
    member("seed", .integer(Int64(truncatingIfNeeded: request.seed)))
    for (name, table) in [("verdicts", outcome.judgement.verdicts), ("gates", outcome.judgement.gates)] {
      bytes += Array(",\n  \"\(name)\": [".utf8)
      for (index, row) in table.rows.enumerated() {
        bytes += Array((index == 0 ? "\n    {" : ",\n    {").utf8)
        for (place, cell) in row.enumerated() {
          if place > 0 { bytes += Array(", ".utf8) }
          JSONBytes.append(table.columns[place], to: &bytes)
          bytes += Array(": ".utf8)
          JSONBytes.append(cell, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
      }
      bytes += Array((table.rows.isEmpty ? "]" : "\n  ]").utf8)
    }
    bytes += Array(",\n  \"files\": [".utf8)
    for (index, file) in outcome.files.sorted().enumerated() {
      if index > 0 { bytes += Array(", ".utf8) }
      JSONBytes.append(file, to: &bytes)
    }
    bytes += Array("]\n}\n".utf8)
    return bytes
  }
}
