import Foundation
import Testing
import Timeline

@Suite("docs/verdict.md says what became of a medium as the code does")
struct DocumentTests {
  @Test("each rule has its row, in order")
  func rules() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(
      decoding: Data(contentsOf: root.appendingPathComponent("docs/verdict.md")), as: UTF8.self)
    let section = try #require(
      text.components(separatedBy: "\n## ").first { $0.hasPrefix("What became of a medium\n") })
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
    #expect(
      rows == FateRule.allCases.map { "| `\($0.rawValue)` | `\($0.what.rawValue)` | \($0.condition) |" })
  }
}
