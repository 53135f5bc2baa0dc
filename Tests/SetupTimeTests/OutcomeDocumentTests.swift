import Foundation
import Testing

@testable import CallModel
@testable import SetupTime

@Suite("How a call ended")
struct OutcomeDocumentTests {
  @Test("every rule of the table stands in docs/verdict.md, in its order and with who says it")
  func document() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("docs/verdict.md"), encoding: .utf8)
    let section = try #require(text.components(separatedBy: "## How a call ended\n").dropFirst().last)
      .components(separatedBy: "\n## ")[0]
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { row in
      row.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(rows == OutcomeRule.table.map { [$0.what, $0.reporter.rawValue] })
  }

  @Test("the rule that decides is the reason that is given")
  func reasons() {
    func reason(_ events: [(Double, EventName, String)]) -> String? {
      setupAttempts(
        of: events.map { EventRecord(timeMs: $0.0, event: $0.1, raw: $0.1.rawValue, args: $0.2) }
      ).last?.reason?.words(at: nil)
    }
    #expect(
      reason([(0, .callDialing, "{}"), (500, .callEstablished, "{}"), (9000, .callEnded, "{}")])
        == "it was established, and ended normally (the end itself: call.ended)")
    #expect(
      reason([
        (0, .callDialing, "{}"), (500, .callEstablished, "{}"), (4000, .networkLost, "{}"),
        (9000, .callEnded, "{}"),
      ]) == "it ended while its connection was down (the connection: network.lost)")
    #expect(
      reason([(0, .callDialing, "{}"), (500, .callFailed, #"{"outcome":"busy","code":"486"}"#)])
        == "the code of its end says so (the SDK: call.failed 486)")
    #expect(
      reason([(0, .callDialing, "{}"), (500, .callEstablished, "{}")])
        == "the log stops while it is established")
  }
}
