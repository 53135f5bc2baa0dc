import Testing

@testable import Reporting
@testable import Rendering

@Suite("What a comparison says first")
struct FirstSentencesTests {
  /// Thirty calls in each of five scenarios' turn; what a call scores and its browser and path are as the body says.
  private static func run(
    _ name: String, scenarios: Int = 5, call: (Int) -> (score: Double?, browser: String, path: String)
  ) -> RunFigures {
    var run = RunFigures(run: name)
    run.runs["web"] = name
    run.dimensions = ["candidate type", "user agent", "scenario"]
    run.calls["web"] = (0..<30).map { index in
      let (score, browser, path) = call(index)
      let scenario = "s\(index % scenarios)"
      return ComparedCall(
        sdk: "web", scenario: scenario, score: score.map { $0 - Double(index % 2) / 2 },
        setupMs: nil, isPoor: score.map { _ in false }, isBroken: score == nil,
        traits: [path, browser, scenario])
    }
    return run
  }

  private static let before = run("a") { _ in (92, "Chrome 156", "prflx") }

  private static func judged(_ candidate: RunFigures) -> NightJudgement {
    NightJudgement(Comparison(candidate: candidate, baseline: before, seed: 1), gates: [])
  }

  private static func sentences(_ candidate: RunFigures) -> String {
    Sentences(judgement: judged(candidate)).all().joined(separator: "\n")
  }

  @Test("a value that is new tonight is held against what its scenarios scored without it")
  func newValue() {
    let relayed = Self.run("b") { $0 % 3 == 0 ? (46, "Chrome 156", "relay") : (91, "Chrome 156", "prflx") }
    #expect(
      Self.sentences(relayed).contains(
        "In web the change sits in calls with candidate type relay, which none had before: −46.0 points over 10 calls, "
          + "against −1.0 in all others."), "\(Self.sentences(relayed))")
    let updated = Self.run("b") { $0 % 2 == 0 ? (73, "Chrome 157", "prflx") : (92, "Chrome 156", "prflx") }
    #expect(Self.judged(updated).concentrations["web"]?.value == "Chrome 157")
  }

  @Test("a value that is new in every call is named, for nothing tells its part apart")
  func renewed() {
    let text = Self.sentences(Self.run("b") { _ in (73, "Chrome 157", "prflx") })
    #expect(text.contains("every scored call has user agent Chrome 157, which none had before"), "\(text)")
    #expect(!text.contains("of networks and clients") && text.contains("of networks there is one kind"))
  }

  @Test("too few calls of a new value are named as too few")
  func few() {
    let candidate = Self.run("b") { $0 < 3 ? (10, "Chrome 157", "prflx") : (92, "Chrome 156", "prflx") }
    let search = Self.judged(candidate).scan.calls.source(of: .scoreMean, sdk: "web")
    #expect(search.found == nil && search.suspect?.value == "Chrome 157" && search.suspect?.isNew == true)
  }

  @Test("calls that were expected and never came are reported before what the others show")
  func neverCame() {
    var candidate = Self.run("b") { _ in (92, "Chrome 156", "prflx") }
    candidate.missing = ["web": 11, "ios": 1]
    #expect(
      Self.sentences(candidate).hasPrefix(
        "12 calls that were expected never came, 1 of ios and 11 of web; 30 came."))
  }

  @Test("calls that were put aside came, and what is left of the night is reported")
  func putAside() {
    var candidate = Self.run("b") { _ in (92, "Chrome 156", "prflx") }
    (candidate.missing, candidate.excluded) = (["ios": 1], ["rebtel": 60])
    let text = Self.sentences(candidate)
    #expect(text.contains("1 call that was expected never came, of ios; 90 came."), "\(text)")
    #expect(text.contains("60 calls of 90 were put aside, all of rebtel, and count in no figure."), "\(text)")
  }

  @Test("the small line of runs ends with a dot only where the last run has a value, and is worded")
  func smallLine() {
    func drawn(_ values: [Double?]) -> String {
      var html = HTML()
      InlineCharts.spark(values, within: 0...1, text: { ValueText.percent($0) }, into: &html)
      return String(decoding: html.bytes, as: UTF8.self)
    }
    #expect(drawn([0.25, nil, 0.5]).contains("last 3 runs, the oldest first: 25.0 %, none, 50.0 %"))
    #expect(drawn([0.25, nil, 0.5]).contains("circle") && !drawn([0.25, 0.5, nil]).contains("circle"))
    #expect(drawn([nil, nil, 0.5]).contains("first run") && !drawn([nil, 0.5, nil]).contains("first run"))
  }

  @Test("calls without a run cannot be accepted, and nobody is told to")
  func nightWithoutRun() {
    var candidate = Self.run("night of 2026-11-20") { _ in (92, "Chrome 156", "prflx") }
    candidate.isRun = false
    let judgement = NightJudgement(Comparison(candidate: candidate, baseline: nil, seed: 1), gates: [])
    let text = Sentences(judgement: judgement).all().joined(separator: "\n")
    #expect(!text.contains("accept night"))
    #expect(text.contains("with `--run NAME`"))
  }

  @Test("a scenario that only one run has is no part of the change, and no place of it")
  func otherScenario() throws {
    let harder = Self.run("b", scenarios: 6) { ($0 % 6 == 5 ? 20 : 80, "Chrome 156", "prflx") }
    let judgement = Self.judged(harder)
    #expect(try abs(#require(judgement.changes["web"]).estimate + 11.95) < 0.01)
    #expect(judgement.concentrations["web"] == nil, "\(judgement.concentrations)")
  }

  @Test("calls that break come before all that is said of scores")
  func broken() throws {
    let failing = Self.run("b") { (index: Int) -> (Double?, String, String) in
      (index % 3 == 0 ? 92 : nil, "Chrome 156", "prflx")
    }
    let judgement = Self.judged(failing)
    let sentences = Sentences(judgement: judgement).all()
    #expect(sentences.first?.hasPrefix("66.7 % of the calls of web broke, 0 % before (between +") == true)
    #expect(
      sentences.contains {
        $0.hasPrefix(
          "The change of the broken calls is spread over scenarios; no single one explains it; of ")
          && $0.hasSuffix("nothing is known of codecs.")
      }, "\(sentences)")
    #expect(ComparisonMarkdown.document(judgement).contains("66.7 % of the calls of web broke"))
    // A gate that fails for it says so itself.
    let gates = try GateFile(name: "g", text: "broken.share <= 2%").gates
    let gated = Sentences(judgement: NightJudgement(judgement.comparison, gates: gates)).all()
    #expect(gated.filter { $0.contains("66.7 %") }.count == 1)
    #expect(gated.first?.contains("fails the gate broken.share") == true)
  }

  @Test("what else got worse is said beside the gravest, and what comes with a lower mean only once")
  func others() {
    var slower = Self.run("b") { _ in (92, "Chrome 156", "prflx") }
    var before = Self.before
    for index in 0..<30 {
      before.calls["web"]?[index].setupMs = 400 + Double(index % 7)
      slower.calls["web"]?[index].setupMs = 900 + Double(index % 7)
    }
    let comparison = Comparison(candidate: slower, baseline: before, seed: 1)
    let text = Sentences(judgement: NightJudgement(comparison, gates: [])).all().joined(separator: "\n")
    #expect(text.contains("Clearly worse: setup p"), "\(text)")
    #expect(text.contains("setup p90 of web (906 ms, 406 ms before)"), "\(text)")
    let lower = Self.sentences(Self.run("b") { _ in (73, "Chrome 156", "prflx") })
    #expect(!lower.contains("Clearly worse"), "\(lower)")
  }

  /// Two SDKs, of which one falls by 20 points and the other by so many.
  private static func fallen(by drop: Double, gates text: String = "") throws -> NightJudgement {
    var (old, new) = (before, before)
    for (sdk, fall) in [("one", 20.0), ("two", drop)] {
      func calls(_ mean: Double, shift: Int) -> [ComparedCall] {
        (before.calls["web"] ?? []).enumerated().map { index, call in
          var call = call
          (call.sdk, call.score) = (sdk, mean + Double((index + shift) * 7 % 11))
          return call
        }
      }
      old.calls[sdk] = calls(70, shift: 0)
      new.calls[sdk] = calls(70 - fall, shift: 3)
    }
    return try NightJudgement(
      Comparison(candidate: new, baseline: old, seed: 1),
      gates: text.isEmpty ? [] : GateFile(name: "g", text: text).gates)
  }

  @Test(
    "what only just leaves chance among many figures is not called clearly worse, nor what a gate lets fall")
  func barely() throws {
    func isReported(_ judgement: NightJudgement) -> Bool {
      Sentences(judgement: judgement).all().contains { $0.hasPrefix("Clearly worse too: mean score of two") }
    }
    let falls = try stride(from: 0.5, through: 4, by: 0.05).map { try Self.fallen(by: $0) }
    let reported = falls.map(isReported)
    let worse = falls.map { fall in
      fall.figureChanges.rows.contains { row in
        func text(_ name: String) -> String? { fall.figureChanges.cell(row, name).string }
        return text("sdk") == "two" && text("figure") == "score.mean" && text("moved") == "worse"
      }
    }
    #expect(reported.first == false && reported.last == true)
    #expect(zip(reported, worse).allSatisfy { !$0 || $1 } && reported != worse)
    #expect(try !isReported(Self.fallen(by: 8, gates: "score.mean >= baseline - 30")))
  }
}
