import CallModel
import Testing

@testable import Rendering
@testable import CallViews

@Suite("One call fits a terminal")
struct CallTextTests {
  static func bad(_ name: String) -> EndAccount {
    SampleAccount.end(
      name, (0..<400).map { SampleAccount.window($0, [.loss: ($0 * 7) % 60], loss: 0.05, audio: 70) })
  }

  @Test("every line keeps to the width, whatever the names", arguments: SampleAccount.hostile, [40, 80])
  func width(_ text: String, _ width: Int) {
    var finding = Finding(named: "code", .error, evidence: Evidence(), text: text)
    finding.startMs = SampleAccount.startMs
    var account = SampleAccount.call(
      text, ends: [Self.bad(text), Self.bad("callee")],
      findings: [AccountFinding(end: text, finding: finding)],
      events: [SampleAccount.event(.callEnded, end: text, args: "{\"reason\":\"x\"}")])
    account.call.endReason = text
    account.call.outcome = .dropped
    account.call.run = text
    let view = CallText(account, for: TerminalFacts(width: width)).text
    for line in view.split(separator: "\n") { #expect(VisibleText.width(String(line)) <= width, "\(line)") }
    #expect(
      !view.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) })
    #expect(!view.unicodeScalars.contains { [0x202E, 0x202C, 0x200F].contains($0.value) })
  }

  @Test("in brief it fits 40 lines, however much there is to tell; the last line names what shows more")
  func brief() {
    let findings = (0..<20).map { number in
      var finding = Finding(
        named: "code-\(number)", .error, evidence: Evidence(),
        text: String(repeating: "a long sentence ", count: 20))
      finding.startMs = SampleAccount.startMs
      return AccountFinding(end: "caller", finding: finding)
    }
    for findings in [[], findings] {
      let account = SampleAccount.call(ends: [Self.bad("caller"), Self.bad("callee")], findings: findings)
      var view = CallText(account, for: TerminalFacts(width: 80))
      view.sections = []
      let lines = view.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      #expect(lines.count <= 40 && lines.last?.hasPrefix("more: ") == true, "\(view.text)")
      #expect(lines.contains("…") == !findings.isEmpty)
    }
  }

  @Test("without colour there is no escape sequence, with it there is")
  func colour() {
    let account = SampleAccount.call(ends: [Self.bad("caller")])
    #expect(!CallText(account, for: TerminalFacts(width: 80)).text.contains("\u{1B}"))
    #expect(CallText(account, for: TerminalFacts(width: 80, colour: true)).text.contains("\u{1B}["))
  }

  @Test("a sparkline keeps the worst of the windows behind a character")
  func sparkline() {
    let windows = (0..<100).map { SampleAccount.window($0, $0 == 57 ? [.freeze: 90] : [:]) }
    let line = Sparkline(
      windows, fromMs: windows[0].startMs, toMs: windows[99].endMs, columns: 20)
    #expect(line.heights.count == 20)
    #expect(line.heights == "███████████▁████████")
    #expect(line.letters == "           F        ")
  }

  @Test("neighbours that suffer alike are one stretch")
  func stretches() throws {
    let windows =
      [0, 1, 2].map { SampleAccount.window($0, [.loss: 40], loss: 0.1) } + [SampleAccount.window(3)]
      + [SampleAccount.window(4, [.delay: 70])]
    let worst = ImpairedSpan.worst(windows)
    #expect(worst.count == 2)
    #expect(worst[0].words(at: "callee") == "score 30: 70 points lost to delay")
    #expect(
      worst[1].words(at: "callee")
        == "score 60: 40 points lost to loss (10 % lost on the wire towards the callee)"
    )
  }

  @Test("what lasted from beginning to end is no moment")
  func throughout() {
    let end = SampleAccount.end("caller", (0..<6).map { SampleAccount.window($0, [.loss: 40], loss: 0.1) })
    let text = CallText(SampleAccount.call(ends: [end]), for: TerminalFacts(width: 80)).text
    #expect(text.contains("\nthroughout score 60: 40 points lost to loss"), "\(text)")
    #expect(text.contains("\ncaller  ▅▅▅▅▅▅  60 60 60 60 60 60\n"), "\(text)")
    #expect(text.contains("The recorded end"))
  }

  @Test(
    "a moment is a clock time of the call's day, or counts from its start",
    arguments: [
      ("+0:42", 42_000.0), ("42s", 42_000), ("00:01", 60_000), ("00:01:30.5", 90_500),
      ("+1:00:00", 3_600_000),
    ])
  func moments(_ text: String, _ offset: Double) {
    #expect(CallMoment.parse(text, in: SampleAccount.call(), zone: .utc) == SampleAccount.startMs + offset)
  }

  @Test(
    "a minute is its 60 s, everything else a second",
    arguments: [("00:01", 60_000.0), ("00:01:30", 1000), ("+0:42", 1000), ("+1:00:00", 1000), ("42s", 1000)])
  func spans(_ text: String, _ length: Double) throws {
    let span = try #require(CallMoment.span(text, in: SampleAccount.call(), zone: .utc))
    #expect(span.upperBound - span.lowerBound == length)
  }

  @Test("a clock that was put back during the call is read on the side of the change on which the call was")
  func putBack() throws {
    let berlin = try #require(Zone(named: "Europe/Berlin"))
    let change = 1_792_890_000_000.0
    var account = SampleAccount.call()
    account.call.startedMs = change - 15_000
    account.call.durationMs = 60_000
    #expect(CallMoment.parse("02:59:50", in: account, zone: berlin) == change - 10_000)
    #expect(CallMoment.parse("02:00:05", in: account, zone: berlin) == change + 5000)
  }

  @Test("what is no moment is none", arguments: ["noon", "25:00", "", "+", "1:2:3:4"])
  func noMoments(_ text: String) {
    #expect(CallMoment.parse(text, in: SampleAccount.call(), zone: .utc) == nil)
  }
}
