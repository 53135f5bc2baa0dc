import CallModel
import Rendering

/// `report.json`: the results of the report for programs. Its presence also marks a folder as a report.
struct ReportManifest {
  var outcome: ReportOutcome
  var request: ReportRequest
  var slice: Slice
  /// The calls of the report; only those with a page are written.
  var calls: [Nights.KnownCall] = []

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
    member("night", .text(slice.name))
    member("last_ms", .of(outcome.lastCallMs))
    member("headline", .text(outcome.headline.line))
    member("tone", .text(outcome.headline.tone))
    for (name, value) in NightFigures(outcome.judgement.comparison.candidate).members {
      member(name, .of(value))
    }
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
    bytes += Array(",\n  \"calls\": [".utf8)
    let shown = calls.compactMap { call in call.file.map { (call: call, file: $0) } }
    for (index, (call, file)) in shown.enumerated() {
      bytes += Array((index == 0 ? "\n    {" : ",\n    {").utf8)
      let members = [("call_id", call.id), ("file", file), ("what", call.what), ("people", call.people)]
      for (place, (name, text)) in members.enumerated() {
        if place > 0 { bytes += Array(", ".utf8) }
        JSONBytes.append(name, to: &bytes)
        bytes += Array(": ".utf8)
        JSONBytes.append(text, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
    bytes += Array("],\n  \"files\": [".utf8)
    for (index, file) in outcome.files.sorted().enumerated() {
      if index > 0 { bytes += Array(", ".utf8) }
      JSONBytes.append(file, to: &bytes)
    }
    bytes += Array("]\n}\n".utf8)
    return bytes
  }
}
