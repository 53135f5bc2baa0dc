import CallModel
import Testing

@testable import Reporting
@testable import Rendering

@Suite("What gets worse night by night")
struct DriftTests {
  /// Rows of `drift.sql`: two scenarios a night, of which the calls of the second become more and more.
  private static func table(
    _ nights: Int = 14, score: (Int) -> Double?, setup: (Int) -> Double = { _ in 500 }
  )
    -> Table
  {
    var table = Table(["night", "sdk", "scenario", "scored", "score", "set_up", "setup_ms"])
    var random = SeededRandom(seed: 3)
    for night in 0..<nights {
      for (scenario, calls, below) in [("s0", 20, 0.0), ("s1", 5 + 3 * night, 40)] {
        let mean = score(night).map { Cell.real($0 - below + 1.5 * (random.unit() - 0.5)) } ?? .null
        table.rows.append([
          .text("n\(night)"), .text("web"), .text(scenario), .integer(Int64(calls)), mean,
          .integer(Int64(calls)),
          .real(setup(night) + 20 * (random.unit() - 0.5)),
        ])
      }
    }
    return table
  }

  @Test("one point per night is reported, with where it began and where it is")
  func slow() throws {
    let drift = try #require(Drift.all(Self.table { 90 - Double($0) }).first)
    #expect(drift.figure == .scoreMean && drift.nights == 14)
    #expect(abs(drift.first - drift.last - 13) < 1.5, "\(drift)")
    var judgement = NightJudgement(
      Comparison(candidate: RunFigures(run: "b"), baseline: nil, seed: 1), gates: [])
    judgement.drifts = [drift]
    let text = try #require(Sentences(judgement: judgement).drift())
    #expect(text.hasPrefix("Slowly worse over the last 14 runs: the mean score of web from "), "\(text)")
    let slower = Drift.all(Self.table(score: { _ in 90 }, setup: { 500 + 20 * Double($0) }))
    #expect(slower.map(\.figure) == [.setupMean])
  }

  @Test("another mix, chance, a step, what rises, and too few nights are no drift")
  func none() {
    #expect(Drift.all(Self.table { _ in 90 }).isEmpty)
    #expect(Drift.all(Self.table { $0 < 6 ? 90 : 75 }).isEmpty)
    #expect(Drift.all(Self.table { 70 + Double($0) }).isEmpty)
    #expect(Drift.all(Self.table(5) { 90 - 3 * Double($0) }).isEmpty)
    #expect(Drift.all(Self.table { $0 == 13 ? nil : 90 - Double($0) }).isEmpty)
  }
}
