import CallModel
import Foundation
import Rendering
import Reporting
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("What pipelines read")
struct PipelineTests {
  static func judgement(drop: Double = 8) throws -> NightJudgement {
    let gates = try GateFile(name: "g", text: "score.mean >= baseline - 3\nbroken.share <= 1%\nmissing <= 0")
      .gates
    return NightJudgement(
      Comparison(
        candidate: Fleet.run("new <b>", calls: 40, drop: drop, seed: 2),
        baseline: Fleet.run("old", calls: 40, drop: 0, seed: 1), seed: 1),
      gates: gates)
  }

  @Test(
    "JUnit: a failed gate is a failure, an undecided one an error, a call that did not do as expected a failure"
  )
  func junit() throws {
    let expectations = Table(
      ["call_id", "sdk", "scenario", "trouble", "excluded", "known", "duration_ms", "verdict", "place"],
      [
        [.text("c1"), .text("web"), .text("loss"), .null, .null, .null, .real(33_500), .null, .null],
        [
          .text("c2 <&\"'\u{1}"), .text("web"), .text("busy"), .text("failed, expected busy"), .null, .null,
          .null, .text("failed"), .text("firewall"),
        ],
        [
          .text("c3"), .text("web"), .null, .text("never came"), .text("rig fault"), .null, .null, .null,
          .null,
        ],
      ])
    let document = JUnit.document(try Self.judgement(), expectations: expectations)
    let text = String(decoding: document, as: UTF8.self)
    #expect(XMLParser(data: Data(document)).parse())
    #expect(
      text.contains("<testsuite name=\"gates.web\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\">"))
    #expect(text.contains("<testsuite name=\"calls\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">"))
    #expect(text.contains("time=\"33.500\"/>"))
    #expect(text.contains("<failure message=\"failed, expected busy\"/>"))
    #expect(
      text.contains(
        "<property name=\"verdict\" value=\"failed\"/><property name=\"place\" value=\"firewall\"/>")
    )
  }

  @Test("JUnit: what is held against a multiple of the baseline is called no change")
  func multiples() throws {
    let gates = try GateFile(name: "g", text: "setup.p90_ms <= baseline * 0.5").gates
    let judgement = NightJudgement(try Self.judgement().comparison, gates: gates)
    let text = String(decoding: JUnit.document(judgement, expectations: Table([])), as: UTF8.self)
    #expect(text.contains("(against 0.5 × the baseline +") && !text.contains("(change"), "\(text)")
  }

  @Test("in a terminal: verdict, sentences, what moved clearly first, gates with what would decide them")
  func text() throws {
    let judgement = try Self.judgement()
    let lines = ComparisonText(judgement, for: TerminalFacts(width: 80)).text.split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "BLOCK: 1 of 1 SDK; web: score −8.4")
    #expect(lines.allSatisfy { VisibleText.width(String($0)) <= 80 && $0.last != " " })
    let table = try #require(lines.firstIndex { $0.hasPrefix("sdk ") })
    #expect(lines[table + 1].hasPrefix("web  score.") && lines[table + 1].hasSuffix("worse"))
    let gates = lines.filter { $0.hasPrefix("✕") || $0.hasPrefix("?") || $0.hasPrefix("✓") }
    #expect(gates.map { $0.prefix(3) } == ["✕ f", "? i", "✓ p"])
    #expect(lines.joined(separator: " ").contains("more calls would"))
  }

  @Test("without a gate nothing passes")
  func ungated() throws {
    let judgement = NightJudgement(try Self.judgement().comparison, gates: [])
    for text in [
      ComparisonText(judgement, for: TerminalFacts()).text, ComparisonMarkdown.document(judgement),
    ] {
      #expect(text.contains("COMPARED: 1 SDK, without a gate to judge by"))
      #expect(!text.contains("PASS") && !text.contains("margin"))
    }
  }

  @Test("what stands out is said of traits that both runs tell of, and what they are silent on is named")
  func places() throws {
    func text(_ traits: [String?], before: [String?]) throws -> String {
      var comparison = try Self.judgement(drop: 0).comparison
      comparison.candidate.dimensions = ["video codec", "network type", "scenario"]
      func set(_ traits: [String?], _ run: inout RunFigures) {
        run.calls["web"] = run.calls["web"]?.map { call in
          var call = call
          call.traits = traits
          return call
        }
      }
      set(traits, &comparison.candidate)
      if var baseline = comparison.baseline {
        set(before, &baseline)
        comparison.baseline = baseline
      }
      return ComparisonText(NightJudgement(comparison, gates: []), for: TerminalFacts()).text
    }
    let all = ["VP8", "wifi", "s"]
    #expect(
      try text(all, before: all).contains(
        "Where a change sits cannot be said: of codecs, networks and scenarios there is one kind only, or too few calls; nothing is known of clients."
      ))
    #expect(
      try text(["VP8", nil, "s"], before: all).contains(
        "Where a change sits cannot be said: of codecs and scenarios there is one kind only, or too few calls; nothing is known of networks or clients."
      ))
    #expect(
      try text([nil, nil, nil], before: all).contains(
        "Where a change sits cannot be said: nothing is known of codecs, networks, clients or scenarios."))
  }

  @Test("Markdown: names from outside stay text")
  func markdown() throws {
    let text = ComparisonMarkdown.document(try Self.judgement())
    #expect(text.hasPrefix("## ✕ BLOCK: 1 of 1 SDK; web: score −8.4\n\n`new <b>` against `old`"))
    #expect(text.contains("| ✕ **fail** | web | `score.mean >= baseline - 3` |"))
  }

  @Test("Prometheus: a family a figure, unknown samples left out, names escaped")
  func prometheus() throws {
    let text = PrometheusText.document(try Self.judgement(), finishedMs: nil)
    #expect(text.contains("# TYPE callqa_calls gauge\ncallqa_calls{sdk=\"web\"} 40\n"))
    #expect(text.contains("callqa_gate{sdk=\"web\",gate=\"score.mean >= baseline - 3\"} 2\n"))
    #expect(text.contains("callqa_setup_seconds{sdk=\"web\",quantile=\"0.9\"} "))
    #expect(!text.contains("callqa_last_call_timestamp_seconds"))
    // Each family is in the table of docs/every-night.md.
    let docs = try String(contentsOfFile: "docs/every-night.md", encoding: .utf8)
    for family in text.split(separator: "\n").filter({ $0.hasPrefix("# TYPE ") }).map({
      $0.split(separator: " ")[2]
    }) {
      #expect(docs.contains("`\(family)`"), "\(family)")
    }
    #expect(text.hasSuffix("\n"))
  }

  /// Calls of one SDK by scenario, and what each scored; even and odd calls differ by half a point.
  private static func run(_ name: String, _ scores: [(scenario: String, calls: Int, score: Double)])
    -> RunFigures
  {
    var run = RunFigures(run: name)
    run.runs["web"] = name
    run.dimensions = ["scenario", "network type"]
    run.calls["web"] = scores.flatMap { scenario, calls, score in
      (0..<calls).map { index in
        var call = ComparedCall(
          sdk: "web", scenario: scenario, score: score - Double(index % 2) / 2, setupMs: nil, isPoor: false,
          isBroken: false)
        call.traits = [scenario, "wifi"]
        return call
      }
    }
    return run
  }

  private static func sentences(_ calls: Int, _ worse: [String: Double]) -> String {
    let before = ["clean", "delay", "h264", "loss", "vp8"].map { (scenario: $0, calls: calls, score: 90.0) }
    let now = before.map {
      (scenario: $0.scenario, calls: calls, score: $0.score - (worse[$0.scenario] ?? 0))
    }
    let comparison = Comparison(candidate: run("b", now), baseline: run("a", before), seed: 1)
    return ComparisonText(NightJudgement(comparison, gates: []), for: TerminalFacts()).text
  }

  @Test("where too few calls tell, the place of a change is not denied: the one with most of it is named")
  func fewCalls() {
    #expect(
      Self.sentences(3, ["h264": 60]).contains(
        "Where the change sits cannot be said: in web, calls with scenario h264 moved most (−60.0 points over 3 calls, "
          + "against 0.0 in all others), but there are too few to tell."))
    #expect(
      Self.sentences(5, ["h264": 60]).contains(
        "In web the change sits in calls with scenario h264: −60.0 points over 5"))
    let all = ["clean": 20.0, "delay": 20, "h264": 20, "loss": 20, "vp8": 20]
    #expect(
      Self.sentences(5, all).contains(
        "The change is spread over scenarios; no single one explains it; of networks there is one kind only, or too few "
          + "calls; nothing is known of codecs or clients."))
    #expect(
      Self.sentences(3, all).contains(
        "Where the change sits cannot be said: of networks and scenarios there is one kind only, or too few calls; "
      ))
  }

  @Test("calls that all score the same have an error all the same, and what moved among them is found")
  func noSpread() {
    func same(_ name: String, _ score: Double) -> RunFigures {
      var run = Self.run(name, [("clean", 6, 100), ("h264", 6, score)])
      run.calls["web"] = run.calls["web"]?.map { call in
        var call = call
        call.score = call.scenario == "h264" ? score : 100
        return call
      }
      return run
    }
    let comparison = Comparison(candidate: same("b", 40), baseline: same("a", 100), seed: 1)
    #expect(NightJudgement(comparison, gates: []).concentrations["web"]?.value == "h264")
  }

  @Test("groups of calls bear the name of what divides them")
  func kinds() throws {
    var comparison = Comparison(
      candidate: Fleet.run("b", calls: 40, drop: 0, seed: 2),
      baseline: Fleet.run("a", calls: 40, drop: 0, seed: 1), seed: 1)
    comparison.kind = "video codec"
    let judgement = NightJudgement(comparison, gates: [])
    let text = ComparisonText(judgement, for: TerminalFacts()).text
    #expect(text.hasPrefix("COMPARED: 1 video codec, without a gate"))
    #expect(!text.contains("SDK") && text.contains("\nvideo codec  figure"), "\(text)")
    let markdown = ComparisonMarkdown.document(judgement)
    #expect(!markdown.contains("SDK") && markdown.contains("| Video codec | Figure |"))
  }
}
