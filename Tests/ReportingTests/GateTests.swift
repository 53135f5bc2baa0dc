import Testing

@testable import Reporting
@testable import Rendering

@Suite("Gates")
struct GateTests {
  @Test("a gate file is read line by line, comments left out")
  func reading() throws {
    let file = try GateFile(
      name: "release.gate",
      text: """
        # what blocks
        score.mean   >= baseline - 3
        setup.p90_ms <= baseline * 1.10   # ten per cent
        broken.share <= 2% for web, ios
        missing<=0
        """)
    #expect(file.gates.map(\.line) == [2, 3, 4, 5])
    #expect(file.gates.map(\.factor) == [1, 1.1, 0, 0])
    #expect(file.gates.map(\.offset) == [-3, 0, 0.02, 0])
    #expect(file.gates[2].sdks == ["web", "ios"])
    #expect(file.gates[1].figure == .setupPercentile(90))
  }

  @Test(
    "a mistake is named with file and line",
    arguments: [
      ("\nscore.men >= 3", "g:2: 'score.men' is no figure"), ("score.mean => 3", "g:1: '=>' is no relation"),
      ("score.mean >=", "g:1: the line ends where a number"),
      ("score.mean >= baseline / 2", "g:1: '/' after baseline"),
      ("score.mean >= many", "g:1: 'many' is no number"), ("# nothing", "g: no gate in it"),
      ("missing <= 0 of web", "g:1: 'of' is one word too many"),
      ("score.p0 >= 1", "g:1: 'score.p0' is no figure"),
      ("setup.p90_ms <= baseline * -1", "g:1: baseline * -1.0"),
      ("score.mean >= nan", "g:1: 'nan' is no number"),
      ("\nbroken.share <= 2", "g:2: broken.share lies between 0 and 100%, so '2' cannot be meant: write 2%"),
      ("poor.share <= baseline + 1", "g:1: poor.share lies between 0 and 100%, so '1' cannot"),
      ("poor.share <= 200%", "g:1: poor.share lies between"),
      ("score.mean >= 80%", "g:1: score.mean is in points from 0 to 100, so '80%' cannot be meant: write 80"),
      ("setup.p90_ms <= baseline + 10%", "g:1: setup.p90_ms is in milliseconds"),
      ("missing <= 2%", "g:1: missing is a number of calls"),
    ])
  func mistakes(_ text: String, _ message: String) {
    let error = #expect(throws: PlacedError.self) { try GateFile(name: "g", text: text) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test("a share is below 1 or in per cent, and a factor may be in per cent")
  func units() throws {
    let file = try GateFile(
      name: "g", text: "broken.share <= 0.02\npoor.share <= 100%\nscore.mean >= baseline * 97%")
    #expect(file.gates.map(\.offset) == [0.02, 1, 0])
    #expect(file.gates.map(\.factor) == [0, 0, 0.97])
  }

  @Test("a gate for an SDK that neither run has is undecided and names the one that may be meant")
  func strangers() throws {
    let gates = try GateFile(name: "g", text: "score.mean >= 10 for weeb").gates
    let judgement = NightJudgement(
      Comparison(
        candidate: Fleet.run("b", calls: 40, drop: 0, seed: 2),
        baseline: Fleet.run("a", calls: 40, drop: 0, seed: 1), seed: 1), gates: gates)
    #expect(judgement.results.map(\.verdict) == [.inconclusive])
    #expect(judgement.results.first?.reason == "neither run has a call of 'weeb'; did you mean 'web'?")
    #expect(judgement.verdict(of: "weeb") == "inconclusive")
    #expect(judgement.ofRun?.verdict == "inconclusive")
    let text = ComparisonText(judgement, for: TerminalFacts()).text
    #expect(text.hasPrefix("NOT SURE: 1 of 2 SDKs cannot be decided"))
    #expect(text.contains("did you mean 'web'?"))
  }

  @Test(
    "pass is the whole interval inside, fail the whole interval outside, the rest says how many more calls decide"
  )
  func verdicts() throws {
    func judged(drop: Double, calls: Int) throws -> GateResult {
      let gates = try GateFile(name: "g", text: "score.mean >= baseline - 3").gates
      let comparison = Comparison(
        candidate: Fleet.run("b", calls: calls, drop: drop, seed: 2),
        baseline: Fleet.run("a", calls: calls, drop: 0, seed: 1), seed: 1)
      return try #require(comparison.judge(gates).first)
    }
    #expect(try judged(drop: 0, calls: 40).verdict == .pass)
    #expect(try judged(drop: 8, calls: 40).verdict == .fail)
    let near = try judged(drop: 2.5, calls: 40)
    #expect(near.verdict == .inconclusive)
    #expect((near.moreCalls ?? 1) > 0)
    #expect(try judged(drop: 0, calls: 40).contrast?.method == .pairedScenarios)
  }

  @Test(
    "without a baseline a relative gate is undecided and an absolute one is not; missing calls leave a pass undecided"
  )
  func withoutBaseline() throws {
    let gates = try GateFile(name: "g", text: "score.mean >= baseline - 3\nscore.mean >= 50\nmissing <= 3")
      .gates
    var run = Fleet.run("a", calls: 40, drop: 0, seed: 1)
    var results = Comparison(candidate: run, baseline: nil, seed: 1).judge(gates)
    #expect(results.map(\.verdict) == [.inconclusive, .pass, .pass])
    run.missing["web"] = 4
    results = Comparison(candidate: run, baseline: nil, seed: 1).judge(gates)
    #expect(results.map(\.verdict) == [.inconclusive, .inconclusive, .fail])
  }

  @Test("while calls of either run are not judged nothing is decided, and what to do is said")
  func unjudged() throws {
    let gates = try GateFile(name: "g", text: "score.mean >= baseline - 3\nbroken.share <= 50%").gates
    func judgement(candidate: Int, baseline: Int, _ gates: [Gate]) -> NightJudgement {
      var now = Fleet.run("b", calls: 40, drop: 0, seed: 2)
      var before = Fleet.run("a", calls: 40, drop: 0, seed: 1)
      if candidate > 0 { now.unfinished["web"] = candidate }
      if baseline > 0 { before.unfinished["web"] = baseline }
      return NightJudgement(Comparison(candidate: now, baseline: before, seed: 1), gates: gates)
    }
    #expect(judgement(candidate: 0, baseline: 0, gates).results.map(\.verdict) == [.pass, .pass])
    let cut = judgement(candidate: 3, baseline: 0, gates)
    #expect(cut.results.map(\.verdict) == [.inconclusive, .inconclusive])
    #expect(cut.ofRun?.verdict == "inconclusive")
    let text = ComparisonText(cut, for: TerminalFacts()).text
    #expect(text.hasPrefix("NOT SURE: 1 of 1 SDK cannot be decided"))
    #expect(
      text.contains(
        "Not judged yet, because an import was interrupted or still runs: 3 calls of b; run the import"))
    #expect(judgement(candidate: 0, baseline: 1, gates).results.map(\.verdict) == [.inconclusive, .pass])
    #expect(judgement(candidate: 3, baseline: 0, []).verdict(of: "web") == "inconclusive")
  }

  @Test("the same seed gives the same interval, and one SDK's draws do not depend on the others")
  func deterministic() {
    let (a, b) = (Fleet.run("a", calls: 40, drop: 0, seed: 1), Fleet.run("b", calls: 40, drop: 2, seed: 2))
    func change(ios: Double, seed: UInt64) -> Interval? {
      var (candidate, baseline) = (b, a)
      candidate.calls["ios"] = Fleet.run("b", calls: 30, drop: ios, seed: 3).calls["web"]
      baseline.calls["ios"] = a.calls["web"]
      return Comparison(candidate: candidate, baseline: baseline, seed: seed).change(
        of: .scoreMean, sdk: "web")
    }
    #expect(change(ios: 0, seed: 9) == change(ios: 20, seed: 9))
    #expect(change(ios: 0, seed: 9) != change(ios: 0, seed: 10))
  }

  @Test(
    "a change is inside the margin only where a gate has one for the mean score, and passed",
    arguments: [("score.mean >= baseline - 30", true), ("score.mean >= 10", false), ("missing <= 0", false)])
  func margin(gate: String, isSaid: Bool) throws {
    let judgement = NightJudgement(
      Comparison(
        candidate: Fleet.run("b", calls: 40, drop: 8, seed: 2),
        baseline: Fleet.run("a", calls: 40, drop: 0, seed: 1), seed: 1),
      gates: try GateFile(name: "g", text: gate).gates)
    let text = ComparisonText(judgement, for: TerminalFacts()).text
    #expect(text.contains("points lower than its baseline"))
    #expect(text.contains("inside the margin") == isSaid)
  }

  @Test("runs without a scenario in common are compared unpaired, and say so")
  func unpaired() {
    var (a, b) = (Fleet.run("a", calls: 30, drop: 0, seed: 1), Fleet.run("b", calls: 30, drop: 0, seed: 2))
    a.calls["web"] = a.calls["web"]?.map { call in
      ComparedCall(
        sdk: "web", scenario: nil, score: call.score, setupMs: nil, isPoor: nil, isBroken: false)
    }
    b.calls["web"] = b.calls["web"]?.map { call in
      ComparedCall(
        sdk: "web", scenario: "new", score: call.score, setupMs: nil, isPoor: nil, isBroken: false)
    }
    let change = Comparison(candidate: b, baseline: a, seed: 1).change(of: .scoreMean, sdk: "web")
    #expect(change?.method == .unpaired)
    #expect((change?.low ?? 1) < 0 && (change?.high ?? -1) > 0)
  }

  @Test("an interval of few calls goes no further than scores and setup times can", arguments: [0.0, 1.0])
  func possible(factor: Double) throws {
    let (a, b) = (run("a", scores: [100, 0, 90]), run("b", scores: [95, 2, 80]))
    let comparison = Comparison(candidate: b, baseline: a, seed: 1)
    let score = try #require(comparison.contrast(.scoreMean, "web", factor: factor))
    #expect(score.low == -100 * factor && score.high == 100)
    let setup = try #require(comparison.contrast(.setupMean, "web", factor: factor))
    #expect(factor == 0 ? setup.low == 0 : setup.low ?? 0 < 0)
    #expect(setup.high ?? 0 > 1000)
  }

  private func run(_ name: String, scores: [Double]) -> RunFigures {
    var run = RunFigures(run: name)
    run.runs["web"] = name
    run.calls["web"] = scores.map {
      ComparedCall(
        sdk: "web", scenario: name, score: $0, setupMs: 10 * (100 - $0), isPoor: false, isBroken: false)
    }
    return run
  }
}

/// Calls of one SDK over forty scenarios, with the noise of real ones.
enum Fleet {
  static func run(_ name: String, calls: Int, drop: Double, seed: UInt64) -> RunFigures {
    var random = SeededRandom(seed: seed)
    var run = RunFigures(run: name)
    run.runs["web"] = name
    run.calls["web"] = (0..<calls).map { index in
      let noise = (0..<12).reduce(-6.0) { sum, _ in sum + random.unit() } * 3
      return ComparedCall(
        sdk: "web", scenario: "s\(index)", score: 70 + Double(index % 7) * 4 - drop + noise,
        setupMs: 400 + noise * 10, isPoor: false,
        isBroken: false)
    }
    return run
  }
}
