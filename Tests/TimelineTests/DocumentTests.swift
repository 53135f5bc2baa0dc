import CallModel
import Foundation
import Testing
import Timeline

@Suite("docs/verdict.md says what became of a medium, and where, as the code does")
struct DocumentTests {
  private func rows(of title: String) throws -> [String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(
      decoding: Data(contentsOf: root.appendingPathComponent("docs/verdict.md")), as: UTF8.self)
    let section = try #require(
      text.components(separatedBy: "\n## ").first { $0.hasPrefix(title + "\n") })
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
    #expect(rows.allSatisfy { $0.count { $0 == "|" } == 4 && $0.hasSuffix(". |") })
    return rows.map { $0.split(separator: "|").prefix(2).joined(separator: "|") }
  }

  @Test("each rule has its row, in order")
  func rules() throws {
    #expect(
      try rows(of: "Where it was")
        == PlaceRule.allCases.map { " `\($0.rawValue)` | `\($0.place.rawValue)` " })
    #expect(
      try rows(of: "What became of a medium")
        == FateRule.allCases.map { " `\($0.rawValue)` | `\($0.what.rawValue)` " })
  }
}
