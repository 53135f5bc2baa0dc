import Testing

@testable import Reporting

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
        setupMs: nil, poorShare: score.map { _ in 0 }, isBroken: score == nil,
        traits: [path, browser, scenario])
    }
    return run
  }

  private static let before = run("a") { _ in (92, "Chrome 156", "prflx") }

  private static func judged(_ candidate: RunFigures) -> Judgement {
    Judgement(Comparison(candidate: candidate, baseline: before, seed: 1), gates: [])
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
    let search = Self.judged(candidate).comparison.place(sdk: "web")
    #expect(search.found == nil && search.suspect?.value == "Chrome 157" && search.suspect?.isNew == true)
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
    #expect(sentences.first?.hasPrefix("Of the calls of web 66.7 % broke, 0 % before (between +") == true)
    #expect(sentences.contains { $0.hasSuffix("stands out by its score; nothing is known of codecs.") })
    #expect(ComparisonMarkdown.document(judgement).contains("66.7 % broke"))
    // A gate that fails for it says so itself.
    let gates = try GateFile(name: "g", text: "broken.share <= 2%").gates
    let gated = Sentences(judgement: Judgement(judgement.comparison, gates: gates)).all()
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
    let text = Sentences(judgement: Judgement(comparison, gates: [])).all().joined(separator: "\n")
    #expect(text.contains("Clearly worse too: setup.p"), "\(text)")
    #expect(text.contains("setup.p90_ms of web (906 ms, 406 ms before)"), "\(text)")
    let lower = Self.sentences(Self.run("b") { _ in (73, "Chrome 156", "prflx") })
    #expect(!lower.contains("Clearly worse too"), "\(lower)")
  }
}
