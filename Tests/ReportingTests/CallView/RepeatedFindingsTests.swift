import CallModel
import Rendering
import Testing

@testable import CallViews

@Suite("Findings that come again and again")
struct RepeatedFindingsTests {
  /// A finding from a second on, for so many seconds.
  private func finding(_ code: String, at second: Double, _ seconds: Double, end: String = "callee")
    -> AccountFinding
  {
    var finding = Finding(named: code, .warning, evidence: Evidence(), text: "\(code) at \(Int(second))")
    finding.startMs = SampleAccount.startMs + second * 1000
    finding.endMs = finding.startMs.map { $0 + seconds * 1000 }
    return AccountFinding(end: end, finding: finding)
  }

  @Test("Up to eight of a kind each stand alone, nine are one")
  func many() {
    let eight = (0..<8).map { finding("jitter", at: Double($0), 1) }
    #expect(RepeatedFindings.of(eight).count == 8)
    let nine = eight + [finding("jitter", at: 8, 1)]
    #expect(RepeatedFindings.of(nine).map(\.entries.count) == [9])
    let others = [finding("freeze", at: 0, 1), finding("jitter", at: 9, 1, end: "caller")]
    #expect(
      RepeatedFindings.of(others + nine).map(\.entries.count) == [1, 1, 9], "another code, another end")
  }

  @Test("They are counted, the longest of them stand for all, and none is lost")
  func words() throws {
    let findings = (0..<20).map { finding("jitter", at: Double($0) * 60, $0 == 7 ? 30 : 3) }
    let repeated = try #require(RepeatedFindings.of(findings).first)
    #expect(repeated.words == "20 times, 87 s in all")
    #expect(repeated.example.finding.text == "jitter at 420")
    #expect(repeated.longest(3).map(\.finding.text) == ["jitter at 0", "jitter at 60", "jitter at 420"])
    #expect(RepeatedFindings.of(findings).flatMap(\.entries).count == 20)
  }

  @Test("The terminal tells them in one place, with how often")
  func terminal() {
    let findings = (0..<1000).map { finding("jitter", at: Double($0), 1) }
    let text = CallText(
      SampleAccount.call(ends: [], findings: findings), for: TerminalFacts(width: 80)
    ).text
    #expect(text.contains("warning: jitter (callee), 1000 times, 16 min 40 s in all; the longest at "))
    #expect(text.split(separator: "\n").count < 40)
  }

  @Test("A page's table of events has what is rare, and of what comes again and again the first")
  func events() {
    let often = (0..<3000).map { second in
      AccountEvent(
        end: "callee",
        record: EventRecord(
          timeMs: SampleAccount.startMs + Double(second) * 1000, event: .mediaQualityLimited, raw: "x"),
        source: 1)
    }
    let end = AccountEvent(
      end: "callee",
      record: EventRecord(timeMs: SampleAccount.startMs + 3_000_000, event: .callEnded, raw: "x"), source: 1
    )
    let shown = ShownEvents(often + [end])
    #expect(shown.events.count == 11 && shown.events.last?.record.event == .callEnded)
    #expect(shown.left.map(\.kind) == ["media.quality-limited (callee)"] && shown.left.map(\.count) == [2990])
    let few = ShownEvents(Array(often.prefix(500)))
    #expect(few.events.count == 500 && few.left.isEmpty)
  }
}
