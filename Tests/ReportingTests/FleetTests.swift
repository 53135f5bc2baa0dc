import CallModel
import CallStore
import Reporting
@testable import Simulating
import Testing

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
      #expect(outcome.headline.line == "BLOCK: 1 of 5 SDKs")
      #expect(outcome.judgement.verdict(of: "pexip") == "fail")
      #expect(outcome.judgement.concentrations["pexip"]?.value == "H264")
      let page = try String(contentsOfFile: folder.path + "/n/index.html", encoding: .utf8)
      #expect(page.contains("In pexip the change sits in calls with video codec H264"))
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
    #expect(names.allSatisfy(EventVocabulary.contains))
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
