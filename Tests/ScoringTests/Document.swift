import CallModel
import Foundation
import Testing

/// A document of which parts are generated.
struct Document {
  let text: String
  private let name: String
  private let url: URL

  init(_ name: String) throws {
    self.name = name
    url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("docs/\(name)")
    text = try String(contentsOf: url, encoding: .utf8)
  }

  static func table(_ heads: [String], _ rows: [[String]]) -> String {
    ([heads, heads.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }

  /// Compares the blocks between `<!-- name -->` and `<!-- /name -->`.
  func expect(_ blocks: KeyValuePairs<String, String>) throws {
    var generated = text
    for (block, content) in blocks {
      let begin = try #require(
        generated.range(of: "<!-- \(block) -->\n"), "docs/\(name) has no block '\(block)'")
      let end = try #require(generated.range(of: "<!-- /\(block) -->"), "docs/\(name): '\(block)' has no end")
      generated.replaceSubrange(begin.upperBound..<end.lowerBound, with: content)
    }
    try expect(generated)
  }

  /// Compares the table of contents, and of each section its heading, its first paragraph and its tables at the end. The
  /// rule between them is written by hand.
  func expect(sections: [FindingInfo]) throws {
    let contents = Self.table(
      ["code", "severity", "what it means"],
      sections.map { info in
        let code = info.code.rawValue
        let severities = info.severities.map(\.key.rawValue).joined(separator: ", ")
        return ["[\(code)](#\(code))", severities, info.meaning]
      })
    var front = parts[0]
    let begin = try #require(front.range(of: "| code | severity |")).lowerBound
    let end = front.range(of: "\n\n", range: begin..<front.endIndex)?.lowerBound ?? front.endIndex
    front.replaceSubrange(begin..<end, with: contents.dropLast())
    let texts = try sections.map { info in
      let rule = try self.rule(of: info.code)
      let tables = (rule.contains("### ") ? Self.tablesHeading + "\n\n" : "") + Self.tables(info)
      return ["## \(info.code.rawValue)", Self.head(info), rule, tables].filter { !$0.isEmpty }
        .joined(separator: "\n\n")
    }
    try expect(([front] + texts).joined(separator: "\n\n") + "\n")
  }

  /// Above the tables of a section that has parts.
  private static let tablesHeading = "### Thresholds and evidence"

  /// The part of a section that is written by hand.
  func rule(of code: FindingCode) throws -> String {
    let section = parts.first { $0.hasPrefix("\(code.rawValue)\n") } ?? ""
    let paragraphs = section.components(separatedBy: "\n\n").dropFirst(2)
    let generated = [Self.tablesHeading, "| threshold |", "| evidence |"]
    return paragraphs.prefix { paragraph in !generated.contains(where: paragraph.hasPrefix) }
      .joined(separator: "\n\n")
  }

  /// The text before the first section, and the sections without `## `.
  private var parts: [String] {
    text.components(separatedBy: "\n## ").map { $0.trimmingCharacters(in: .newlines) }
  }

  private static func head(_ info: FindingInfo) -> String {
    let severities = info.severities.map { severity, condition in
      "*\(severity.rawValue)*" + (condition.isEmpty ? "" : " " + condition)
    }
    return wrapped("\(severities.joined(separator: ", ")). \(info.meaning)".replacing("*. ", with: ".* "))
  }

  private static func tables(_ info: FindingInfo) -> String {
    let thresholds = info.thresholds.map { ["\($0.meaning)", $0.description] }
    let evidence = info.evidence.map { ["`\($0.name)`", $0.unit, $0.meaning] }
    return (thresholds.isEmpty ? "" : table(["threshold", "value"], thresholds) + "\n")
      + table(["evidence", "unit", "meaning"], evidence).dropLast()
  }

  private static func wrapped(_ text: String) -> String {
    text.split(separator: " ").reduce(into: [""]) { lines, word in
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + word.count < 120 {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }.joined(separator: "\n")
  }

  private func expect(_ generated: String) throws {
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil {
      return try generated.write(to: url, atomically: true, encoding: .utf8)
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = generated.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines != expected else { return }
    let place = zip(lines, expected).enumerated().first { $0.element.0 != $0.element.1 }
    Issue.record(
      "docs/\(name), line \((place?.offset ?? min(lines.count, expected.count)) + 1), is not as the code has it: '\(place?.element.1 ?? "")'. `make golden` writes it anew."
    )
  }
}
