import CallModel
import CallStore
import Foundation
import IO
import Rendering
import Simulating
import Testing

@testable import Reporting

@Suite("What is news comes first, what it explains comes later")
struct NewsOrderTests {
  /// Five SDKs with 1,500 calls each over ten scenarios. On a bad night calls of scenario s3 are silent, and H264 of sdk0
  /// loses 15 points.
  private static func night(_ name: String, isBad: Bool = false) -> RunFigures {
    var (run, random) = (RunFigures(run: name), SeededRandom(seed: UInt64(name.utf8.first ?? 0)))
    run.verdictVersions = [Verdict.version]
    run.dimensions = ["video codec"]
    for sdk in 0..<5 {
      run.runs["sdk\(sdk)"] = name
      run.calls["sdk\(sdk)"] = (0..<1500).map { index in
        let scenario = index % 10
        let codec = index / 10 % 3 == 0 ? "H264" : "VP8"
        let isSilent = isBad && scenario == 3 && index / 10 % 3 == 1
        let lost = isBad && sdk == 0 && codec == "H264" ? 15.0 : 0
        var call = ComparedCall(
          sdk: "sdk\(sdk)", scenario: "s\(scenario)",
          score: isSilent ? 10 : 80 - lost + 4 * (random.unit() - 0.5), setupMs: nil, isPoor: isSilent,
          isBroken: isSilent, traits: [codec])
        (call.verdict, call.key) = (isSilent ? .silent : .good, Int64(sdk * 10_000 + index))
        return call
      }
    }
    return run
  }

  @Test("silent calls lower the score of every SDK a little: that is told after them, and fills no headline")
  func silence() throws {
    let gates = try GateFile(name: "g", text: "score.mean >= baseline - 3\nsilent.share <= baseline + 1%")
      .gates
    let judgement = NightJudgement(
      Comparison(candidate: Self.night("b", isBad: true), baseline: Self.night("a"), seed: 1), gates: gates,
      before: SeenBefore(runs: 14, calls: 100_000, new: [Verdict.Value.silent.rawValue]))
    #expect(judgement.sdks.allSatisfy { judgement.verdict(of: $0) == "fail" })
    let groups = judgement.groups
    #expect(groups.first?.words == "silent: 0 → 250 calls", "\(groups.map(\.words))")
    #expect(
      groups.dropFirst().first?.words.hasPrefix("sdk0 with video codec H264: score −1") == true,
      "\(groups.map(\.words))")
    #expect(groups.contains { $0.words.hasPrefix("sdk1: score −") && $0.isLate }, "\(groups.map(\.words))")
    #expect(groups.prefix(2).allSatisfy { !$0.isLate })
    let line = Headline(judgement, facts: []).line
    #expect(
      line.hasPrefix("BLOCK: 5 of 5 SDKs; silent: 0 → 250 calls; sdk0 with video codec H264"), "\(line)")
  }

  @Test("an SDK whose own gate on the score failed comes after silent calls, and is not opened late")
  func fall() throws {
    var now = Self.night("b", isBad: true)
    now.calls["sdk4"] = now.calls["sdk4"]?.map { call in
      var call = call
      call.score = call.score.map { $0 - 8 }
      return call
    }
    let gates = try GateFile(name: "g", text: "score.mean >= baseline - 3\nsilent.share <= baseline + 1%")
      .gates
    let groups = NightJudgement(
      Comparison(candidate: now, baseline: Self.night("a"), seed: 1), gates: gates,
      before: SeenBefore(runs: 14, calls: 100_000, new: [Verdict.Value.silent.rawValue])
    ).groups
    let fell = try #require(groups.firstIndex { $0.words.hasPrefix("sdk4: score −") })
    let silent = try #require(groups.firstIndex { $0.words.hasPrefix("silent: ") })
    #expect(silent < fell && !groups[fell].isLate, "\(groups.map(\.words))")
  }

  @Test("calls of what other news may explain are opened after two of each of these")
  func opened() throws {
    let store = try Store(path: ":memory:", access: .memory)
    var fleet = FleetStore(FleetTests.plan(), store)
    try fleet.write()
    let rows = StoreRows(store)
    let calls = try rows.table(
      "SELECT call_key, call_id FROM judged_calls WHERE run_id = '2026-11-09' AND counted ORDER BY 1 LIMIT 9",
      [:]
    ).rows
    let news = stride(from: 0, to: 9, by: 3).map { place in
      "[\(calls[place..<place + 3].compactMap { $0[0].integer.map(String.init) }.joined(separator: ","))]"
    }
    let sql = try String(
      contentsOfFile: try #require(ResourceFolder("reports")).path + "/nightly/worst.sql", encoding: .utf8)
    let found = try rows.table(
      sql,
      ["run": .text("2026-11-09"), "news": .text("[\(news.joined(separator: ","))]"), "late": .text("[1]")])
    let first = found.rows.prefix(6).map { found.cell($0, "call_id") }
    #expect(first == [0, 6, 1, 7, 2, 3].map { calls[$0][1] }, "\(first)")
  }
}
