import CallModel
import CallStore
import Testing

@testable import Reporting
@testable import Rendering

@Suite("What a run is compared with where none was accepted")
struct RunBeforeTests {
  /// Runs of a call each, an hour apart, with what is recorded of each.
  private static func choice(_ verdicts: [String?]) throws -> SliceChoice {
    let store = try Store(path: ":memory:", access: .memory)
    for (index, verdict) in verdicts.enumerated() {
      try store.insert(
        into: "runs", columns: ["run_id", "verdict", "verdict_reason"],
        rows: [
          [
            .text("r\(index)"), verdict.map { .text($0 == "limit" ? "block" : $0) } ?? .null,
            .text("web: " + (verdict == "limit" ? "missing <= 0" : "score.mean >= baseline - 3")),
          ]
        ])
      try store.insert(
        into: "calls", columns: ["call_id", "run_id", "sdk", "started_ms", "outcome", "stale"],
        rows: [
          [
            .text("c"), .text("r\(index)"), .text("web"), .real(1.79e12 + Double(index) * 3.6e6),
            .text("completed"), .integer(0),
          ]
        ])
    }
    return SliceChoice(rows: StoreRows(store), zone: .utc)
  }

  private static func chosen(_ verdicts: [String?], of run: String) throws -> BaselineChoice.Chosen {
    try BaselineChoice(choice: choice(verdicts), slice: Slice(run: run, name: run)).choose()
  }

  @Test("what was recorded as blocked is no measure for the nights after it")
  func blocked() throws {
    let lasting = try Self.chosen(["pass", nil, "block", "block", nil], of: "r4")
    #expect(lasting.general?.run == "r1" && lasting.fallback?.run == "r3")
    #expect(lasting.remark == " (the last that was not blocked, 2 since were; `callqa accept` sets another)")
    let undecided = try Self.chosen(["pass", "block", "inconclusive", nil], of: "r3")
    #expect(undecided.general?.run == "r2" && undecided.remark == " (the run before; none was accepted)")
    // What came later has no say in it, and of a run that never came all came before.
    #expect(try Self.chosen(["pass", "pass", "block"], of: "r1").general?.run == "r0")
    #expect(try Self.chosen(["pass", "block"], of: "tonight").general?.run == "r0")
    #expect(try Self.chosen([nil], of: "r0").general == nil)
  }

  @Test("a fixed limit that blocks each night moves no baseline")
  func fixedLimit() throws {
    #expect(try Self.chosen(["pass", "limit", "limit", nil], of: "r3").general?.run == "r2")
    #expect(try Self.chosen(["pass", "limit", "block", nil], of: "r3").general?.run == "r1")
    let gates = try GateFile(name: "g", text: "score.mean >= 90\nscore.mean >= baseline - 3").gates
    let comparison = Comparison(
      candidate: Fleet.run("b", calls: 40, drop: 20, seed: 2),
      baseline: Fleet.run("a", calls: 40, drop: 0, seed: 1), seed: 1)
    #expect(NightJudgement(comparison, gates: gates).ofRun?.reason == "web: score.mean >= baseline - 3")
  }

  @Test("where every run before was blocked, the last of them has to do, and that is said")
  func allBlocked() throws {
    let chosen = try Self.chosen(["block", "block", nil], of: "r2")
    #expect(chosen.general?.run == "r1" && chosen.fallback == nil)
    #expect(chosen.remark == " (the run before, blocked itself; none was accepted)")
  }

  @Test("an SDK that came since the last run that was not blocked has the run before")
  func newcomer() throws {
    let chosen = try Self.chosen(["pass", "block", nil], of: "r2")
    let figures = chosen.figures(of: ["web", "ios"]) { slice, sdks in
      var run = RunFigures(run: slice.name)
      for sdk in slice.run == "r0" ? ["web"] : ["ios", "web"] where sdks?.contains(sdk) ?? true {
        run.runs[sdk] = slice.name
        run.calls[sdk] = [
          ComparedCall(sdk: sdk, scenario: nil, score: 90, setupMs: nil, isPoor: false, isBroken: false)
        ]
      }
      return run
    }
    #expect(figures?.runs == ["web": "r0", "ios": "r1"] && figures?.ran == 2)
  }
}
