import Testing

@testable import Reporting

/// Scenarios differ, and no two nights run the same number of each.
@Suite("Runs with other mixes of scenarios")
struct MixTests {
  /// So many calls of each scenario, the first of which broke; setup takes as long as the scenario says.
  private static func run(
    _ name: String, _ scenarios: [(name: String, calls: Int, broken: Int, setupMs: Double)]
  )
    -> RunFigures
  {
    var run = RunFigures(run: name)
    run.runs["web"] = name
    run.calls["web"] = scenarios.flatMap { scenario in
      (0..<scenario.calls).map { index in
        ComparedCall(
          sdk: "web", scenario: scenario.name, score: 90, setupMs: scenario.setupMs + Double(index % 10),
          isPoor: index < scenario.broken, isBroken: index < scenario.broken)
      }
    }
    return run
  }

  private static let before = run("a", [("wifi", 200, 2, 300), ("tunnel", 200, 60, 2000)])

  private static func change(_ figure: Figure, to now: RunFigures) throws -> Interval {
    try #require(Comparison(candidate: now, baseline: before, seed: 1).change(of: figure, sdk: "web"))
  }

  @Test(
    "what got worse in each scenario is not hidden by more of the better one",
    arguments: [Figure.brokenShare, .poorShare])
  func regression(_ figure: Figure) throws {
    let now = Self.run("b", [("wifi", 380, 23, 300), ("tunnel", 20, 9, 2000)])
    let change = try Self.change(figure, to: now)
    // 6.05 % less 1 %, and 45 % less 30 %, as often as the candidate has calls of them.
    #expect(abs(change.estimate - (0.95 * (23.0 / 380 - 0.01) + 0.05 * 0.15)) < 1e-9)
    #expect((change.low ?? 0) > 0.02)
    #expect(change.method == .pairedShares)
  }

  @Test("more calls of the worse scenario are no regression", arguments: [Figure.brokenShare, .poorShare])
  func mixOnly(_ figure: Figure) throws {
    let change = try Self.change(
      figure, to: Self.run("b", [("wifi", 40, 0, 300), ("tunnel", 360, 108, 2000)]))
    #expect(abs(change.estimate + 0.001) < 1e-9)
    #expect((change.low ?? 1) < 0 && (change.high ?? 1) < 0.1)
  }

  @Test("a percentile is held against that of the same mix", arguments: [50, 90])
  func percentile(_ percent: Int) throws {
    let change = try Self.change(
      .setupPercentile(percent), to: Self.run("b", [("wifi", 20, 0, 300), ("tunnel", 180, 0, 2000)]))
    #expect(abs(change.estimate) <= 3, "\(change)")
    #expect((change.low ?? 1) <= 0 && (change.high ?? -1) >= 0)
  }

  @Test(
    "with one mix a share has the interval of all its calls together; where nothing broke it is not certain")
  func sameMix() throws {
    /// The baseline's share: so many of its calls broke, and the candidate has so many.
    func mixed(_ broken: [Int], of calls: [Int], like candidates: [Int]) -> MixedShare {
      let values = zip(broken, calls).map { broken, calls in (0..<calls).map { $0 < broken ? 1.0 : 0 } }
      var sampled = PairedSamples([], figure: .brokenShare)
      sampled.cells = zip(values, candidates).map {
        PairedSamples.Cell(candidate: [Double](repeating: 0, count: $1), baseline: $0)
      }
      return MixedShare(values, ScenarioMix(sampled), 1.645)
    }
    let two = mixed([10, 20], of: [100, 200], like: [10, 20])
    let one = mixed([30], of: [300], like: [7])
    #expect(abs(two.low - one.low) < 1e-9 && abs(two.high - one.high) < 1e-9)
    #expect(mixed([0, 0], of: [100, 200], like: [10, 20]).high > 0.005)
    // Three calls that stand for nearly all say little, however many others there are.
    #expect(mixed([0, 300], of: [3, 1000], like: [95, 5]).high > 0.4)
  }
}
