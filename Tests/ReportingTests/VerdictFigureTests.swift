import CallModel
import IO
import Simulating
import Testing

@testable import Reporting

@Suite("Figures of the verdict")
struct VerdictFigureTests {
  private func call(_ verdict: Verdict.Value?, errors: Set<String> = [], known: Bool = false) -> ComparedCall
  {
    var call = ComparedCall(
      sdk: "web", scenario: "s", score: 90, setupMs: nil, isPoor: nil, isBroken: verdict == .silent)
    (call.verdict, call.errors, call.findings, call.isKnown) = (verdict, errors, errors, known)
    return call
  }

  private func run(_ calls: [ComparedCall], version: Int = Verdict.version) -> RunFigures {
    var run = RunFigures(run: "r")
    run.calls["web"] = calls
    run.runs["web"] = "r"
    run.verdictVersions = [version]
    return run
  }

  @Test(
    "have the names of a gate file, and say what they are a part of",
    arguments: [
      "silent.share", "no-picture.share", "not-sent.share", "unjudged.share", "finding.one-way-audio.share",
    ])
  func names(name: String) throws {
    let figure = try #require(Figure(name))
    #expect("\(figure)" == name)
    #expect(figure.denominator?.isEmpty == false)
    #expect(try GateFile(name: "g", text: "\(name) <= baseline + 1%").gates.first?.figure == figure)
  }

  @Test(
    "of no verdict and of no finding are mistakes",
    arguments: ["good.share", "finding..share", "finding.One.share", "finding.x", "silent.shares"])
  func strangers(name: String) {
    #expect(Figure(name) == nil)
  }

  @Test("count calls by their verdict: a known silence is none, what nobody judged is no good call")
  func shares() {
    var cut = call(.unjudged)
    cut.isCut = true
    let figures = run([call(.silent), call(.silent, known: true), call(.good), call(.notSent), cut])
    func share(_ name: String) -> Double? {
      Figure(name).flatMap { Comparison.value($0, figures, sdk: "web") }
    }
    #expect(share("silent.share") == 0.25)
    #expect(share("not-sent.share") == 0.25)
    #expect(share("unjudged.share") == 0.2)
    #expect(share("finding.one-way-audio.share") == 0)
  }

  @Test("runs judged by different rules are not held against each other")
  func otherRules() throws {
    let gates = try GateFile(name: "g", text: "silent.share <= baseline + 1%\nscore.mean >= baseline - 3")
      .gates
    let calls = (0..<400).map { _ in call(.good) }
    let same = Comparison(candidate: run(calls), baseline: run(calls), seed: 1)
    #expect(same.otherRules == nil)
    #expect(same.judge(gates).map(\.verdict) == [.pass, .pass])
    let other = Comparison(candidate: run(calls), baseline: run(calls, version: 99), seed: 1)
    #expect(other.judge(gates).map(\.verdict) == [.inconclusive, .pass])
    #expect(other.otherRules?.contains("import the files of the older run again") == true)
    #expect(NightJudgement(other, gates: gates).newProblems.isEmpty)
  }

  @Test("a new error finding is reported in the first line and before any mean, one by chance is not")
  func newFinding() throws {
    func night(_ number: Int) -> RunFigures {
      run((0..<1000).map { call(.fair, errors: $0 < number ? ["no-media"] : []) })
    }
    let judgement = NightJudgement(Comparison(candidate: night(30), baseline: night(0), seed: 1), gates: [])
    #expect(Headline(judgement, facts: []).line.hasSuffix("; no media: 0 → 30 calls"))
    #expect(Sentences(judgement: judgement).all().first?.hasPrefix("No media: 30 of 1000 calls") == true)
    let chance = NightJudgement(Comparison(candidate: night(3), baseline: night(1), seed: 1), gates: [])
    #expect(chance.newProblems.isEmpty)
  }

  @Test("silent calls are one piece of news with the finding that they bear, and their place is named")
  func silent() throws {
    var calls = (0..<1000).map { _ in call(.good) }
    for index in 0..<25 {
      calls[index] = call(.silent, errors: ["one-way-audio"])
      calls[index].traits = ["relay"]
    }
    var now = run(calls)
    now.dimensions = ["candidate type"]
    let judgement = NightJudgement(
      Comparison(candidate: now, baseline: run((0..<1000).map { _ in call(.good) }), seed: 1), gates: [])
    #expect(
      judgement.newProblems.map(\.line) == [
        "silent: 0 → 25 calls (one-way audio), all of candidate type relay"
      ])
    #expect(judgement.newProblems.first?.place == "all of candidate type relay")
  }

  @Test("voicemails that were added raise no alarm, and no gate of the night fails for them")
  func voicemail() throws {
    var plan = FleetPlan(seed: 5)
    (plan.nights, plan.callsPerNight, plan.regression, plan.rigFaults) = (2, 4000, nil, 0)
    let before = plan.figures(night: 0)
    plan.incidents = [FleetIncident(.unsent(share: 1), scenario: "clean")]
    let now = plan.figures(night: 1)
    let reports = try #require(ResourceFolder("reports"))
    let gates = try GateFile(path: reports.path + "/nightly/nightly.gate").gates
    let judgement = NightJudgement(Comparison(candidate: now, baseline: before, seed: 1), gates: gates)
    #expect(!judgement.results.contains { $0.verdict == .fail }, "\(judgement.results)")
    #expect(judgement.newProblems.isEmpty)
    let moved = judgement.figureChanges
    let notSent = moved.rows.filter { moved.cell($0, "figure") == .text("not-sent.share") }
    #expect(notSent.count == 5)
    #expect(notSent.allSatisfy { moved.cell($0, "moved") == .text("changed") })
    #expect(!Sentences(judgement: judgement).all().joined().contains("not-sent"))
  }
}
