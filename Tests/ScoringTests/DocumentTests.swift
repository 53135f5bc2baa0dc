import CallModel
import Foundation
import Scoring
import Testing

/// What the documents say is what the code does.
@Suite("Documents")
struct DocumentTests {
  private static let docs = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("docs")

  /// `RECORD_GOLDEN=1` writes the table anew.
  @Test("docs/metrics.md lists every metric as the catalogue has it")
  func metrics() throws {
    let file = Self.docs.appendingPathComponent("metrics.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let begin = try #require(text.range(of: "<!-- metrics -->\n"))
    let end = try #require(text.range(of: "<!-- /metrics -->"))
    let table = Self.table
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil {
      let written = text[..<begin.upperBound] + table + text[end.lowerBound...]
      try String(written).write(to: file, atomically: true, encoding: .utf8)
      return
    }
    #expect(text[begin.upperBound..<end.lowerBound] == table)
  }

  @Test("docs/findings.md has a paragraph for every code, and no other")
  func findings() throws {
    let text = try String(contentsOf: Self.docs.appendingPathComponent("findings.md"), encoding: .utf8)
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3) }
    #expect(headings.sorted() == FindingCode.names.map { Substring($0) }.sorted())
  }

  @Test("docs/metrics.md names every model")
  func models() throws {
    let text = try String(contentsOf: Self.docs.appendingPathComponent("metrics.md"), encoding: .utf8)
    for model in ScoreModel.all { #expect(text.contains("`\(model.name)`"), "\(model.name)") }
  }

  private static var table: String {
    var table = "| column | kind | unit | taken from | meaning |\n| --- | --- | --- | --- | --- |\n"
    for metric in Metric.allCases {
      let info = metric.info
      let members = info.members == "-" ? "" : info.members
      table +=
        "| `\(info.column)` | \(info.behaviour.rawValue) | \(info.unit) | \(members) | \(info.summary) |\n"
    }
    return table
  }
}
