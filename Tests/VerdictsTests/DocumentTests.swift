import CallModel
import Foundation
import Testing

@testable import Verdicts

@Suite("docs/verdict.md says what the code does")
struct DocumentTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(decoding: Data(contentsOf: root.appendingPathComponent(path)), as: UTF8.self)
  }

  /// The rows of the table of a section, cell by cell, without the marks of code.
  private func rows(_ section: String) throws -> [[String]] {
    let text = try Self.text("docs/verdict.md")
    let part = try #require(
      text.components(separatedBy: "\n## ").first { $0.hasPrefix(section + "\n") }, "no section \(section)")
    return part.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2).map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private func plain(_ cell: String) -> String { cell.replacingOccurrences(of: "`", with: "") }

  @Test("the words stand in their order, with the alarms that they raise")
  func words() throws {
    let rows = try rows("The words")
    #expect(rows.map { plain($0[0]) } == Verdict.Value.allCases.map(\.rawValue))
    for (row, word) in zip(rows, Verdict.Value.allCases) {
      #expect(row[2] == (word.isAlarm ? "yes" : "no"), "\(word.rawValue)")
      #expect(row[3] == (word.isBroken ? "yes" : "no"), "\(word.rawValue)")
    }
  }

  @Test("every cause and every basis is explained, and no other")
  func causes() throws {
    let causes = try rows("Causes").flatMap { plain($0[0]).components(separatedBy: ", ") }
    #expect(causes == Verdict.Reason.allCases.map(\.rawValue))
    #expect(try rows("Bases").map { plain($0[0]) } == Verdict.Basis.allCases.map(\.rawValue))
  }

  @Test("every threshold has its value and a reason")
  func thresholds() throws {
    let values: [String: Double] = [
      "minMs": Threshold.minMs, "toEndMs": Threshold.toEndMs, "endSlackMs": Threshold.endSlackMs,
      "wholeShare": Threshold.wholeShare, "thirdShare": Threshold.thirdShare, "badSound": Threshold.badSound,
      "badPicture": Threshold.badPicture, "missedShare": Threshold.missedShare,
      "badShare": Threshold.badShare,
      "badMs": Threshold.badMs,
      "badTotalMs": Threshold.badTotalMs, "lossAtFarEnd": Threshold.lossAtFarEnd,
      "fairShare": Threshold.fairShare, "fairMean": Threshold.fairMean, "joinedMs": Threshold.joinedMs,
      "minScoredMs": Threshold.minScoredMs, "recordedShare": Threshold.recordedShare,
    ]
    let declared = try Self.text("Sources/Verdicts/Judge.swift").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.starts(with: ["static", "let"]) ? String(words[2]) : nil
    }
    #expect(Set(declared) == Set(values.keys), "a threshold is missing here")
    let rows = try rows("Thresholds")
    #expect(rows.map { plain($0[0]) } == declared)
    for row in rows {
      let documented =
        row[1] == "1/3"
        ? 1.0 / 3 : row[1].hasSuffix(" s") ? Double(row[1].dropLast(2)).map { $0 * 1000 } : Double(row[1])
      #expect(documented == values[plain(row[0])], "\(row[0])")
      #expect(!row[2].isEmpty)
    }
  }
}
