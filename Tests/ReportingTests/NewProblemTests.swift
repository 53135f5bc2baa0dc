import CallModel
import Testing

@testable import Reporting

@Suite("A problem that is new, or that more calls have")
struct NewProblemTests {
  /// A night of five SDKs and eight scenarios; so many of its calls, dealt out evenly, failed with each code.
  private static func night(_ name: String, of count: Int, failed: [String: Int]) -> RunFigures {
    var run = RunFigures(run: name)
    run.verdictVersions = [Verdict.version]
    let codes = failed.sorted { $0.key < $1.key }.flatMap { Array(repeating: $0.key, count: $0.value) }
    for index in 0..<count {
      let sdk = "sdk\(index % 5)"
      var call = ComparedCall(
        sdk: sdk, scenario: "s\(index / 5 % 8)", score: 90, setupMs: nil, isPoor: false, isBroken: false)
      // Places that share no divisor with the number of SDKs and scenarios.
      let place = index * 37 % count
      call.failure = place < codes.count ? codes[place] : nil
      (call.verdict, call.key) = (call.failure == nil ? .good : .failed, Int64(index))
      run.runs[sdk] = name
      run.calls[sdk, default: []].append(call)
    }
    return run
  }

  private static func judged(
    _ count: Int, now: [String: Int], before: [String: Int], history: SeenBefore? = nil
  ) -> NightJudgement {
    NightJudgement(
      Comparison(
        candidate: night("b", of: count, failed: now), baseline: night("a", of: count, failed: before),
        seed: 1),
      gates: [], before: history)
  }

  @Test("a code that more calls have than before is reported, by an exact test")
  func growth() {
    let judgement = Self.judged(2999, now: ["503": 26, "408": 9], before: ["503": 10, "408": 8])
    #expect(judgement.newProblems.map(\.line) == ["failed with 503: 10 → 26 calls"])
    #expect(Headline(judgement, facts: []).line.contains("failed with 503: 10 → 26 calls"))
    #expect(Self.judged(2999, now: ["503": 17], before: ["503": 10]).newProblems.isEmpty)
    // A call that was to be busy has a code too, and its command must list no more calls than the sentence counts.
    #expect(judgement.groups.first?.command == #"callqa calls --run b --where "failure_code = '503'""#)
  }

  @Test(
    "a code that no run before had is news by itself from five calls on, and comes first",
    arguments: [(399, 6), (2999, 9)])
  func new(count: Int, failed: Int) throws {
    // Codes of which a call or two come every night are asked about too.
    let usual = ["404": 2, "408": 3, "486": 2, "500": 3, "503": 4, "504": 2]
    let history = SeenBefore(
      runs: 14, calls: 14 * count, new: [NewProblem.failed + "488"])
    let now = usual.merging(["488": failed, "503": 30]) { $1 }
    let judgement = Self.judged(count, now: now, before: usual, history: history)
    let first = try #require(judgement.newProblems.first)
    #expect(first.line == "failed with 488: 0 → \(failed) calls", "\(judgement.newProblems.map(\.line))")
    #expect(first.sentence.contains("before and none in the 14 runs up to then"), "\(first.sentence)")
    #expect(first.keys.count == failed)
    let few = usual.merging(["488": 4]) { $1 }
    #expect(Self.judged(count, now: few, before: usual, history: history).newProblems.isEmpty)
  }

  @Test("what an earlier run had is not new, however many")
  func known() {
    let history = SeenBefore(runs: 14, calls: 5600, new: [])
    let judgement = Self.judged(399, now: ["488": 12], before: [:], history: history)
    #expect(judgement.newProblems.map(\.newIn) == [nil])
  }

  @Test("the chance is Fisher's, whatever the strata, and questions without an answer do not count")
  func exact() {
    #expect(abs(ExactGrowth(400, 400, in: 6).chance - 0.01533) < 1e-4)
    let strata = [
      ExactGrowth.Stratum(now: 1500, before: 1500, having: 13, hadBefore: 5),
      ExactGrowth.Stratum(now: 1500, before: 1500, having: 13, hadBefore: 5),
    ]
    #expect(abs(ExactGrowth(strata).chance - 0.00555) < 2e-4)
    let large = [ExactGrowth.Stratum(now: 50_000, before: 50_000, having: 900, hadBefore: 700)]
    #expect(ExactGrowth(large).chance < 1e-6 && ExactGrowth(large).chance > 1e-8)
    #expect(!ExactGrowth(large).isReported(at: 0.01), "it grew by less than half")
    #expect(ExactGrowth(strata).isReported(at: 0.01))
    let never = (0..<40).map { _ in ExactGrowth(400, 400, in: 1) }
    #expect(ExactGrowth.limit(never + [ExactGrowth(400, 400, in: 6)], error: 0.04) == 0.04)
  }

  @Test("on nights on which nothing changed anything is reported at most once in twenty")
  func chance() {
    var random = SeededRandom(seed: 5, stream: "quiet nights")
    let rates = [("503", 0.036), ("ice", 0.024), ("408", 0.012), ("500", 0.006), ("504", 0.003)]
    func quiet() -> [String: Int] {
      var failed: [String: Int] = [:]
      for _ in 0..<199 {
        let dice = random.unit()
        var reached = 0.0
        for (code, rate) in rates {
          reached += rate
          if dice < reached {
            failed[code, default: 0] += 1
            break
          }
        }
      }
      // Now and then a code that nobody has met, in a call or two.
      if random.unit() < 0.4 { failed["rare \(random.below(1_000_000))"] = 1 + random.below(2) }
      return failed
    }
    let alarms = (0..<60).count { _ in
      let now = quiet()
      let rare = Set(now.keys.filter { $0.hasPrefix("rare") }.map { NewProblem.failed + $0 })
      let history = SeenBefore(runs: 14, calls: 2800, new: rare)
      return !Self.judged(199, now: now, before: quiet(), history: history).newProblems.isEmpty
    }
    #expect(alarms <= 3, "\(alarms) of 60")
  }
}
