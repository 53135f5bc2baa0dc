import Reporting

/// How often gates cry wolf, and how often they see one: many quiet nights, and as many with a change in one SDK.
public struct GateBars: Sendable {
  public var gates: [Gate]
  public var seeds: Int
  public var callsPerNight: Int
  /// Points that every call of one SDK loses in the nights that are not quiet.
  public var points = 6.0

  /// Bars for these gates.
  public init(gates: [Gate], seeds: Int, callsPerNight: Int) {
    self.gates = gates
    self.seeds = seeds
    self.callsPerNight = callsPerNight
  }

  /// What came out, as counts of seeds.
  public struct Result: Sendable, Equatable {
    /// Quiet nights on which any SDK was blocked, or left undecided.
    public var falseBlocks = 0
    public var undecided = 0
    /// Nights with a change: the SDK was blocked; its change was told from chance; another SDK was blocked.
    public var blocked = 0
    public var noticed = 0
    public var othersBlocked = 0
  }

  /// Runs all seeds; `each` is told after every one.
  public func run(each: (Int) -> Void = { _ in }) -> Result {
    var result = Result()
    for seed in 0..<seeds {
      var plan = FleetPlan(seed: UInt64(seed) &+ 1)
      (plan.nights, plan.callsPerNight, plan.rigFaults, plan.regression) = (2, callsPerNight, 0, nil)
      let (before, quiet) = (plan.figures(night: 0), plan.figures(night: 1))
      let judged = Comparison(candidate: quiet, baseline: before, seed: plan.seed).judge(gates)
      if judged.contains(where: { $0.verdict == .fail }) { result.falseBlocks += 1 }
      if judged.contains(where: { $0.verdict == .inconclusive }) { result.undecided += 1 }
      var regression = FleetPlan.Regression()
      (regression.codec, regression.points) = (nil, points)
      plan.regression = regression
      var changed = quiet
      changed.calls[regression.sdk] = plan.figures(night: 1).calls[regression.sdk]
      let comparison = Comparison(candidate: changed, baseline: before, seed: plan.seed)
      let failed = Set(comparison.judge(gates).filter { $0.verdict == .fail }.map(\.sdk))
      if failed.contains(regression.sdk) { result.blocked += 1 }
      if !failed.subtracting([regression.sdk]).isEmpty { result.othersBlocked += 1 }
      let change = comparison.change(of: .scoreMean, sdk: regression.sdk)
      if (change?.high ?? 0) < 0 { result.noticed += 1 }
      each(seed)
    }
    return result
  }
}
