import Foundation
import Rendering
import Reporting
import Testing

@Suite("What a report says where few calls, or none, say anything")
struct NothingRanTests {
  @Test("a night without calls says so first, and nothing on its page says that all is well")
  func noCalls() throws {
    let store = try SmallNight.store()
    var request = try SmallNight.request()
    request.slice = Slice(run: nil, sinceMs: 1_900_000_000_000, name: "since 2030-03-17")
    try Golden.withFolder { folder in
      let outcome = try ReportEngine(request, rows: StoreRows(store)).make(in: folder.path + "/n")
      #expect(outcome.headline.line == "NO CALLS since 2030-03-17: night of 2026-11-20 had 4 calls")
      #expect(outcome.headline.tone == "unsure")
      let page = try String(contentsOfFile: folder.path + "/n/index.html", encoding: .utf8)
      #expect(page.contains("<p>No call arrived since 2030-03-17; night of 2026-11-20 had 4 calls.</p>"))
      for calm in [
        "None of the", "No call is known", "Every call", "stands out", "How sure", "gone", "Nothing was",
      ] {
        #expect(!page.contains(calm), "\(calm)")
      }
      // What the definition says where there is no trouble must not be said here.
      for part in request.definition.parts {
        guard case .table(let table) = part else { continue }
        #expect(!page.contains(">\(table.otherwise)<"), "\(table.otherwise)")
      }
    }
  }

  @Test("calls that were expected and never came, or were put aside, are told apart from none at all")
  func expected() {
    var run = RunFigures(run: "r2")
    let before = Fleet.run("r1", calls: 40, drop: 0, seed: 1)
    func said(_ run: RunFigures) -> [String] {
      let judgement = NightJudgement(Comparison(candidate: run, baseline: before, seed: 1), gates: [])
      return ComparisonText(judgement, for: TerminalFacts()).text.split(separator: "\n").prefix(3).map(
        String.init)
    }
    #expect(said(run)[0] == "NO CALLS in r2: r1 had 40 calls")
    run.missing["web"] = 14
    #expect(said(run)[0] == "NO CALLS in r2, 14 expected: r1 had 40 calls")
    #expect(said(run)[2] == "None of the 14 calls expected in r2 came; r1 had 40 calls.")
    run.missing = [:]
    run.excluded["web"] = 3
    #expect(said(run)[2] == "No call counts in r2: 3 came and were put aside; r1 had 40 calls.")
  }

  @Test("nothing is missing of an SDK that nobody announced, and no gate passes for that")
  func count() throws {
    let gates = try GateFile(name: "g", text: "missing <= 0").gates
    let judgement = NightJudgement(
      Comparison(
        candidate: RunFigures(run: "b"), baseline: Fleet.run("a", calls: 40, drop: 0, seed: 1), seed: 1),
      gates: gates)
    #expect(judgement.results.map(\.verdict) == [.inconclusive])
  }

  @Test("of calls without a score nothing is said of change, of what stands out, or of poor calls")
  func unscored() {
    func bare(_ name: String, _ calls: Int) -> RunFigures {
      var run = RunFigures(run: name)
      run.runs["web"] = name
      run.calls["web"] = (0..<calls).map { _ in
        ComparedCall(sdk: "web", scenario: nil, score: nil, setupMs: nil, isPoor: nil, isBroken: false)
      }
      return run
    }
    let both = NightJudgement(Comparison(candidate: bare("b", 5), baseline: bare("a", 5), seed: 1), gates: [])
    let text = ComparisonText(both, for: TerminalFacts()).text
    #expect(text.contains("Whether the score changed cannot be said"))
    #expect(!text.contains("stands out") && !text.contains("How sure") && !text.contains("chance"))
    let first = NightJudgement(Comparison(candidate: bare("b", 1), baseline: nil, seed: 1), gates: [])
    let firstRun = ComparisonText(first, for: TerminalFacts()).text
    #expect(
      firstRun.hasPrefix("FIRST RUN: 1 call, none broken, 1 without a score, nothing to compare with yet\n"))
    #expect(firstRun.contains("1 call ran; it has no score."))
  }

  @Test("SDKs with too few scored calls, and those of which nothing came, are not among the unchanged")
  func few() {
    func run(_ name: String, _ seed: UInt64) -> RunFigures {
      var run = Fleet.run(name, calls: 40, drop: 0, seed: seed)
      run.calls["ios"] = run.calls["web"]
      run.calls["tv"] = run.calls["web"]?.prefix(1).map { $0 }
      return run
    }
    var (a, b) = (run("a", 1), run("b", 2))
    a.calls["gone"] = a.calls["web"]
    b.calls["gone"] = nil
    let text = ComparisonText(
      NightJudgement(Comparison(candidate: b, baseline: a, seed: 1), gates: []), for: TerminalFacts()
    ).text
    #expect(text.contains("No call of gone came; its baseline has 40."))
    #expect(
      text.contains(
        "None of the 2 SDKs with enough scored calls shows a change in score that chance would not"))
    #expect(text.contains("too few calls of 2 other SDKs are scored to say the same."))
  }

  @Test("a first run says in its first line how many calls of its manifest never came")
  func firstRun() {
    var run = Fleet.run("r1", calls: 1, drop: 0, seed: 1)
    run.missing["web"] = 19
    let text = ComparisonText(
      NightJudgement(Comparison(candidate: run, baseline: nil, seed: 1), gates: []), for: TerminalFacts()
    ).text
    #expect(
      text.hasPrefix("FIRST RUN: 1 call, 19 missing, none broken or poor, nothing to compare with yet\n"))
    #expect(text.contains("1 call ran, 19 that were expected never came; it scores "))
  }
}
