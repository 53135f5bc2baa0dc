import CallModel
import Reporting
import Verdicts

/// A simulated fleet: nights of calls for trying out reports, reproducible for the same seed.
public struct FleetPlan: Sendable {
  public var seed: UInt64
  public var nights = 15
  public var callsPerNight = 20_000
  public var sdks = ["cisco-rem", "kandy-link", "oracle-wsc", "pexip", "rebtel"]
  public var scenarios = 40
  /// Shares of calls that are missing, fail, drop, or are busy as intended, 0–1.
  public var missing = 0.004
  public var failed = 0.004
  public var dropped = 0.003
  public var busy = 0.005
  /// The regression of the last night; nil means none.
  public var regression: Regression? = Regression()
  /// Further incidents.
  public var incidents: [FleetIncident] = []
  /// Number of calls of one SDK on the last night that a broken test rig spoiled and that are excluded.
  public var rigFaults = 60

  /// Points lost by the calls of one SDK with one codec.
  public struct Regression: Sendable {
    public var sdk = "pexip"
    /// Nil means all its calls.
    public var codec: String? = "H264"
    public var points = 15.0

    /// The default regression.
    public init() {}
  }

  /// The default plan with a seed.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// Names of all scenarios.
  public var scenarioNames: [String] { (0..<scenarios).map { scenario($0).name } }

  /// Name and network condition of a scenario.
  func scenario(_ index: Int) -> (name: String, condition: Condition) {
    let condition = Condition.measured[index % Condition.measured.count]
    return ("\(condition.name)\(index < Condition.measured.count ? "" : "-again")", condition)
  }
}

extension FleetPlan {
  /// The calls of a night in the form that a comparison needs, without a database.
  public func figures(night: Int) -> RunFigures {
    var run = RunFigures(run: "night \(night)")
    run.dimensions = ["video codec", "network", "candidate type", "client"]
    run.verdictVersions = [Verdict.version]
    var cache = VerdictCache()
    for call in calls(night: night) {
      run.runs[call.sdk] = run.run
      if call.excluded != nil {
        run.excluded[call.sdk, default: 0] += 1
      } else if call.outcome == "missing" {
        run.missing[call.sdk, default: 0] += 1
      } else {
        let value = cache.value(of: call)
        var compared = ComparedCall(
          sdk: call.sdk, scenario: call.scenario, score: call.score, setupMs: call.setupMs,
          isPoor: nil, isBroken: call.expected != call.outcome && value.isBroken,
          traits: [call.videoCodec, call.network, call.candidate, call.client])
        compared.verdict = value
        let hasPoorVerdict = value == .poor || value == .silent || value == .noPicture
        compared.isPoor = hasPoorVerdict ? true : call.score == nil ? nil : false
        run.calls[call.sdk, default: []].append(compared)
      }
    }
    return run
  }
}

extension SimulatedEvidence {
  /// The verdict of the real rules on a simulated call.
  public var verdict: Verdict {
    var evidence = CallEvidence(outcome: outcome)
    evidence.durationMs = outcome == .failed ? nil : durationMs
    evidence.trouble = trouble
    let wholeCall = startMs...(startMs + durationMs)
    var sound = MediumEvidence(.audio)
    sound.scored = windows.compactMap { window in
      window.score.map { ScoredTime(from: window.startMs, to: window.endMs, score: Double($0)) }
    }
    sound.faults =
      lost.map {
        MediaFault(from: $0.startMs, to: $0.endMs, reason: .lostOnPath, isProven: true, isLossShown: true)
      }
      + unsent.map { MediaFault(from: $0.startMs, to: $0.endMs, reason: .notSent, isProven: false) }
    guard !sound.scored.isEmpty || !sound.faults.isEmpty else { return evidence.verdict }
    sound.expected = wholeCall
    var callee = EndEvidence("callee")
    callee.basis = .oneEnd
    callee.recordedMs = windows.reduce(0) { $0 + ($1.state == .unscored ? 0 : $1.endMs - $1.startMs) }
    callee.media = [sound]
    evidence.ends = [callee]
    return evidence.verdict
  }

  private var trouble: Verdict.Reason? {
    if findings.contains(where: { $0.code == .iceNeverConnected }) { return .ice }
    if outcome == .dropped { return .server }
    return endCode.flatMap(Int.init).map { (500..<600).contains($0) ? .server : .signalling }
  }

  /// The verdict as columns of table `calls`.
  static let columns: SimulatedJudge = { evidence in
    let verdict = evidence.verdict
    return [
      ("verdict_judged", .text(verdict.value.rawValue)), ("verdict_end", .of(verdict.end)),
      ("verdict_medium", .of(verdict.medium?.rawValue)), ("verdict_cause", .of(verdict.reason?.rawValue)),
      ("verdict_basis", .text(verdict.basis.rawValue)), ("verdict_rule", .text(verdict.rule)),
      ("verdict_version", .integer(Int64(Verdict.version))),
      ("verdict_from_ms", .of(verdict.span?.lowerBound)),
      ("verdict_until_ms", .of(verdict.span?.upperBound)),
    ]
  }
}

/// Caches verdicts, because many calls of a fleet are alike.
struct VerdictCache {
  private struct Key: Hashable {
    let outcome: String
    let code: String?
    let silence: SimulatedCall.Silence?
    let score: Double?
  }

  private var known: [Key: Verdict.Value] = [:]

  mutating func value(of call: SimulatedCall) -> Verdict.Value {
    let key = Key(outcome: call.outcome, code: call.endCode, silence: call.silence, score: call.score)
    if let value = known[key] { return value }
    let value = call.evidence(startMs: 0).verdict.value
    known[key] = value
    return value
  }
}

/// Measures how often gates block a night without a change, and how often they detect one: many unchanged nights, and
/// as many with a change in one SDK.
public struct GateBars: Sendable {
  public var gates: [Gate]
  public var seeds: Int
  public var callsPerNight: Int
  /// Points that every call of one SDK loses on nights with a change.
  public var points = 6.0

  /// A measurement of these gates.
  public init(gates: [Gate], seeds: Int, callsPerNight: Int) {
    self.gates = gates
    self.seeds = seeds
    self.callsPerNight = callsPerNight
  }

  /// Results, as numbers of seeds.
  public struct Result: Sendable, Equatable {
    /// Unchanged nights on which any SDK was blocked, or left undecided.
    public var falseBlocks = 0
    public var undecided = 0
    /// Nights with a change on which the SDK was blocked, on which its change was significant, and on which another SDK
    /// was blocked.
    public var blocked = 0
    public var noticed = 0
    public var othersBlocked = 0
  }

  /// Runs all seeds and calls `each` after every one.
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
