import CallModel
import CallStore
import Rendering
import Reporting
import Testing
@testable import Simulating

@Suite("A simulated fleet")
struct FleetTests {
  static func plan() -> FleetPlan {
    var plan = FleetPlan(seed: 3)
    (plan.nights, plan.callsPerNight) = (3, 1000)
    return plan
  }

  @Test("the report blocks the SDK that regressed and no other, and names the codec")
  func regression() throws {
    let store = try Store(path: ":memory:", access: .memory)
    var fleet = FleetStore(Self.plan(), store)
    try fleet.write()
    try Golden.withFolder { folder in
      let outcome = try ReportEngine(try SmallNight.request(), rows: StoreRows(store)).make(
        in: folder.path + "/n")
      #expect(outcome.headline.line.hasPrefix("BLOCK: 1 of 5 SDKs; pexip with video codec H264: score −1"))
      #expect(outcome.judgement.verdict(of: "pexip") == "fail")
      #expect(outcome.judgement.concentrations["pexip"]?.value == "H264")
      let page = try String(contentsOfFile: folder.path + "/n/index.html", encoding: .utf8)
      #expect(page.contains("In pexip the change sits in calls with video codec H264"))
      // Which calls to open stands before why to believe it.
      let groups = try #require(page.range(of: #"<section class="groups""#))
      let sentences = try #require(page.range(of: #"<section class="sentences""#))
      #expect(groups.upperBound < sentences.lowerBound)
      // Some hundred calls of pexip are for the screen only.
      #expect(page.contains(/<details class="listed-calls" id="[a-z-]+[0-9]+" data-long>/))
    }
  }

  @Test("events bear the names that real calls have")
  func events() throws {
    let store = try Store(path: ":memory:", access: .memory)
    var fleet = FleetStore(Self.plan(), store)
    try fleet.write()
    let rows = try StoreRows(store).table("SELECT DISTINCT event FROM events ORDER BY 1", [:]).rows
    let names = rows.compactMap { row in if case .text(let name)? = row.first { name } else { nil } }
    #expect(names == ["call.created", "call.ended", "call.established"])
    #expect(names.allSatisfy { EventName(rawValue: $0) != nil })
  }

  @Test("windows of a call have its score as their mean, and so many of them are poor", arguments: 0...100)
  func windows(points: Int) {
    for sixtieth in [0.0, 0.25, 0.5] {
      let score = SimulatedWindows.possible(Double(points) + sixtieth)
      let windows = SimulatedWindows(mean: score, place: points)
      #expect(windows.scores.count == 60 && windows.scores.allSatisfy { (0...100).contains($0) })
      #expect(abs(Double(windows.scores.reduce(0, +)) / 60 - score) < 1e-9)
      #expect(windows.scores.count { $0 < 60 } == SimulatedWindows.poor(score))
    }
  }

  @Test("the same seed is the same fleet, with and without a database")
  func deterministic() throws {
    let store = try Store(path: ":memory:", access: .memory)
    var fleet = FleetStore(Self.plan(), store)
    try fleet.write()
    let direct = Self.plan().figures(night: 2)
    let stored = try store.query(
      "SELECT sum(counted), sum(score_mean) FROM judged_calls WHERE run_id = '2026-11-09' AND sdk = 'web' OR run_id = '2026-11-09' AND sdk = 'pexip'"
    )
    let calls = direct.calls["pexip"] ?? []
    #expect(stored.rows.first?[0] == .integer(Int64(calls.count)))
    #expect(abs((stored.rows.first?[1].number ?? 0) - calls.compactMap(\.score).reduce(0, +)) < 1e-6)
  }

  @Test(
    "quiet nights block nobody, and a change of six points is told from chance (callqa simulate --bars 200 for more)"
  )
  func bars() throws {
    let gates = try GateFile(name: "g", text: "score.mean >= baseline - 3").gates
    let result = GateBars(gates: gates, seeds: 3, callsPerNight: 1000).run()
    #expect(result.falseBlocks == 0)
    #expect(result.noticed == 3)
    #expect(result.othersBlocked == 0)
  }
}

@Suite("What befalls calls of a simulated fleet")
struct FleetIncidentTests {
  private func fleet(_ incidents: [FleetIncident], judge: SimulatedJudge? = SimulatedEvidence.columns) throws
    -> Store
  {
    var plan = FleetPlan(seed: 3)
    (plan.nights, plan.callsPerNight, plan.regression, plan.rigFaults) = (2, 1000, nil, 0)
    plan.incidents = incidents
    let store = try Store(path: ":memory:", access: .memory)
    var fleet = FleetStore(plan, store)
    fleet.judge = judge
    try fleet.write()
    return store
  }

  private func count(_ store: Store, _ condition: String) throws -> Int64 {
    try store.query(
      "SELECT count(DISTINCT k.call_key) FROM calls AS k LEFT JOIN findings AS f USING (call_key) WHERE \(condition)"
    )
    .rows.first?.first?.integer ?? -1
  }

  @Test("silent calls and failures come on the last night, unsent ones every night, and nobody else changes")
  func incidents() throws {
    let quiet = try fleet([])
    let store = try fleet([
      FleetIncident(.silent(share: 1), scenario: "clean"),
      FleetIncident(.unsent(share: 1), scenario: "loss1"),
      FleetIncident(.fail(code: "480", share: 0.5)),
      FleetIncident(.regress(points: 20), scenario: "delay100"),
    ])
    let silent =
      "f.code = 'one-way-audio' AND f.severity = 'error' AND k.scenario = 'clean' AND k.score_min = 0"
    #expect(try count(store, "\(silent) AND k.run_id = '2026-11-08'") > 10)
    #expect(try count(store, "f.code = 'one-way-audio' AND k.run_id = '2026-11-07'") == 0)
    for night in ["2026-11-07", "2026-11-08"] {
      #expect(
        try count(store, "f.code = 'far-end-silent' AND k.run_id = '\(night)' AND k.score_mean IS NULL") > 10)
    }
    #expect(try count(store, "k.end_code = '480' AND k.outcome = 'failed'") > 100)
    #expect(try count(quiet, "f.code IN ('one-way-audio', 'far-end-silent') OR k.end_code = '480'") == 0)
    let others = "k.run_id = '2026-11-07' AND k.scenario = 'loss3' AND k.score_mean > 90"
    #expect(try count(store, others) == count(quiet, others))
    let lost = "k.run_id = '2026-11-08' AND k.scenario = 'delay100' AND k.score_mean < 81"
    #expect(try count(store, lost) > 10 && count(quiet, lost) == 0)
  }

  @Test("who judges a call sees its windows, spans and findings, and what is said stands in its row")
  func judged() throws {
    let store = try fleet(
      [FleetIncident(.silent(share: 1), scenario: "clean")],
      judge: {
        [
          (
            "verdict_rule",
            $0.lost.isEmpty ? .null : .text("silent for \($0.lost[0].endMs - $0.lost[0].startMs)")
          )
        ]
      })
    #expect(try count(store, "k.verdict_rule = 'silent for 240000.0' AND k.scenario = 'clean'") > 10)
  }
}
