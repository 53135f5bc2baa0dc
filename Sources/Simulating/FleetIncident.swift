import Reporting

/// A problem added to some calls of a simulated fleet, beyond network conditions and random variation.
public struct FleetIncident: Sendable, Equatable {
  /// The kind of problem.
  public enum Kind: Sendable, Equatable {
    /// Sound that was sent does not reach the callee from one minute into the call, on the last night.
    case silent(share: Double)
    /// The callee sends no sound, like a voicemail box, every night.
    case unsent(share: Double)
    /// Calls fail with a code, on the last night.
    case fail(code: String, share: Double)
    /// Calls lose points, on the last night.
    case regress(points: Double)
  }

  /// The scenario whose calls are affected; nil means all.
  public var scenario: String?
  public var kind: Kind

  /// An incident in one scenario or in all.
  public init(_ kind: Kind, scenario: String? = nil) { (self.kind, self.scenario) = (kind, scenario) }
}

extension FleetPlan {
  /// The calls of an SDK with the incidents applied. Uses a random stream of its own, so that a fleet without incidents
  /// does not change.
  func withIncidents(_ calls: [SimulatedCall], of sdk: String, night: Int) -> [SimulatedCall] {
    guard !incidents.isEmpty else { return calls }
    var random = SeededRandom(seed: seed, stream: "\(sdk)|\(night)|incidents")
    return calls.map { call in
      var call = call
      for incident in incidents {
        let dice = random.unit()
        guard incident.scenario == nil || incident.scenario == call.scenario else { continue }
        apply(&call, incident.kind, dice, isLast: night == nights - 1)
      }
      return call
    }
  }

  private func apply(_ call: inout SimulatedCall, _ kind: FleetIncident.Kind, _ dice: Double, isLast: Bool) {
    guard call.outcome == "completed", call.silence == nil else { return }
    switch kind {
    case .silent(let share) where isLast && dice < share:
      (call.silence, call.score) = (
        .lost, call.score.map { SimulatedWindows.possible($0 * SimulatedCall.audibleShare) }
      )
    case .unsent(let share) where dice < share: (call.silence, call.score) = (.unsent, nil)
    case .fail(let code, let share) where isLast && dice < share:
      (call.outcome, call.endCode, call.score, call.setupMs) = ("failed", code, nil, nil)
    case .regress(let points) where isLast:
      call.score = call.score.map { SimulatedWindows.possible($0 - points) }
      call.fall += points
    default: break
    }
  }
}

/// The windows of a simulated call: five minutes in windows of five seconds, some of them poor, whose mean is the
/// call's score.
struct SimulatedWindows {
  static let count = 60
  /// Scores in order of time.
  let scores: [Int]

  /// The nearest score that is a possible mean of integer window scores.
  static func possible(_ score: Double) -> Double {
    (max(0, min(100, score)) * Double(count)).rounded() / Double(count)
  }

  /// Number of windows below 60: none at a score of 80 and above, all at 40 and below.
  static func poor(_ score: Double) -> Int {
    Int((Double(count) * max(0, min(1, (80 - score) / 40))).rounded())
  }

  /// Windows with this mean. The poor ones are consecutive, starting at `place`.
  init(mean: Double, place: Int) {
    let (total, poor) = (Int((mean * Double(Self.count)).rounded()), Self.poor(mean))
    // The sum left for the poor windows if the good ones are at 80; each poor one stays below 60.
    let spell = poor == Self.count ? total : max(0, min(59 * poor, total - 80 * (Self.count - poor)))
    let start = place % (Self.count - poor + 1)
    let good = Self.shared(total - spell, among: Self.count - poor)
    scores = Array(good[..<start]) + Self.shared(spell, among: poor) + Array(good[start...])
  }

  var lowest: Int { scores.min() ?? 0 }

  /// The tenth percentile by nearest rank.
  var p10: Int { scores.sorted()[Self.count / 10 - 1] }

  private static func shared(_ total: Int, among count: Int) -> [Int] {
    (0..<count).map { total * ($0 + 1) / count - total * $0 / count }
  }
}
