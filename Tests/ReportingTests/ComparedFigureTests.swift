import CallModel
import Rendering
import Reporting
import Testing

@Suite("The figures beside a change")
struct ComparedFigureTests {
  /// Two scenarios of one SDK: so many calls each, with scores that do not scatter.
  private static func run(
    _ name: String, _ scenarios: [(name: String, calls: Int, score: Double, poor: Int)],
    of sdk: String = "web"
  ) -> RunFigures {
    var run = RunFigures(run: name)
    run.runs[sdk] = name
    run.calls[sdk] = scenarios.flatMap { scenario in
      (0..<scenario.calls).map { index in
        var call = ComparedCall(
          sdk: sdk, scenario: scenario.name, score: scenario.score + Double(index % 3), setupMs: nil,
          isPoor: index < scenario.poor, isBroken: false)
        let words: [Verdict.Value] = [.poor, .silent, .noPicture, .notSent, .unjudged]
        call.verdict = index < scenario.poor ? words[index % words.count] : .good
        return call
      }
    }
    return run
  }

  /// Bad calls of `lab` are only in the second run, and its mix of the other scenarios is another.
  private static var judgement: NightJudgement {
    let before = run("a", [("clean", 30, 90, 3), ("lossy", 10, 50, 10)])
    let now = run("b", [("clean", 10, 90, 1), ("lossy", 30, 50, 24), ("lab", 20, 10, 20)])
    return NightJudgement(Comparison(candidate: now, baseline: before, seed: 1), gates: [])
  }

  @Test("the one less the other is the change, for every figure", arguments: NightJudgement.shown)
  func difference(_ figure: Figure) throws {
    let table = Self.judgement.figureChanges
    let row = try #require(table.rows.first { table.cell($0, "figure") == .text("\(figure)") })
    guard let change = table.cell(row, "change").number else { return }
    let (now, before) = (
      table.cell(row, "candidate").number ?? .nan, table.cell(row, "baseline").number ?? .nan
    )
    #expect(abs(now - before - change) < 1e-9, "\(figure): \(before) to \(now) is \(change)")
  }

  @Test(
    "they are of the scenarios that both runs have, and the table says of how many calls; all calls stand beside"
  )
  func basis() throws {
    let table = Self.judgement.figureChanges
    let row = try #require(table.rows.first { table.cell($0, "figure") == .text("poor.share") })
    #expect(table.cell(row, "candidate") == .real(0.625))
    #expect(table.cell(row, "all_candidate") == .real(0.75))
    #expect(table.cell(row, "scenarios") == .integer(2))
    #expect(table.cell(row, "made_from") == .text("2 scenarios: 40 calls, 40 before"))
    let text = ComparisonText(Self.judgement, for: TerminalFacts()).text
    #expect(text.contains("of the calls of scenarios that both runs have"))
  }

  @Test("a gate shows the figures that it was decided by")
  func gate() throws {
    let gates = try GateFile(name: "g", text: "poor.share <= baseline + 10%\npoor.share <= 90%").gates
    let results = NightJudgement(Self.judgement.comparison, gates: gates).results
    #expect(results[0].candidate == 0.625 && results[0].baseline == 0.775)
    #expect(results[1].candidate == 0.75)
  }

  @Test(
    "what got clearly worse comes first, of a blocked SDK before others, the largest change before smaller ones"
  )
  func order() throws {
    func both(_ name: String, _ drops: (aaa: Double, web: Double)) -> RunFigures {
      var run = Self.run(
        name, [("x", 40, 90 - drops.aaa, 0), ("y", 40, 80 - drops.aaa, 0)], of: "aaa")
      let web = Self.run(name, [("x", 40, 90 - drops.web, 0), ("y", 40, 80 - drops.web, 0)])
      run.calls["web"] = web.calls["web"]
      run.runs["web"] = name
      return run
    }
    let gates = try GateFile(name: "g", text: "score.mean >= baseline - 3 for web").gates
    let judgement = NightJudgement(
      Comparison(candidate: both("b", (8, 6)), baseline: both("a", (0, 0)), seed: 1), gates: gates)
    let table = judgement.figureChanges
    let worse = table.rows.filter { table.cell($0, "moved") == .text("worse") }
    #expect(worse.first.map { table.cell($0, "sdk") } == .text("web"))
    #expect(Array(table.rows.prefix(worse.count)) == worse)
    let sizes = worse.filter { table.cell($0, "sdk") == .text("web") }.compactMap {
      table.cell($0, "change").number
    }
    #expect(sizes == sizes.sorted())
  }
}
