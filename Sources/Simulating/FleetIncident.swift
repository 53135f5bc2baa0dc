import Rendering
import Reporting

/// What befell some calls of a simulated fleet beyond what its conditions and the dice do.
public struct FleetIncident: Sendable, Equatable {
  /// What befell them.
  public enum Kind: Sendable, Equatable {
    /// Sound that was sent did not reach the callee from a minute on, on the last night.
    case silent(share: Double)
    /// The callee sent none, as a voicemail box does not, every night.
    case unsent(share: Double)
    /// They failed with a code, on the last night.
    case fail(code: String, share: Double)
    /// They lost points, on the last night.
    case regress(points: Double)
  }

  /// The scenario whose calls these are; nil: all.
  public var scenario: String?
  public var kind: Kind

  /// An incident of a scenario.
  public init(_ kind: Kind, scenario: String? = nil) { (self.kind, self.scenario) = (kind, scenario) }
}

extension FleetPlan {
  /// The calls of an SDK with what befell them. Draws from numbers of its own, so that a fleet without incidents stays what it was.
  func befallen(_ calls: [SimulatedCall], of sdk: String, night: Int) -> [SimulatedCall] {
    guard !incidents.isEmpty else { return calls }
    var random = SeededRandom(seed: seed, stream: "\(sdk)|\(night)|incidents")
    return calls.map { call in
      var call = call
      for incident in incidents {
        let dice = random.unit()
        guard incident.scenario == nil || incident.scenario == call.scenario else { continue }
        befall(&call, incident.kind, dice, isLast: night == nights - 1)
      }
      return call
    }
  }

  private func befall(_ call: inout SimulatedCall, _ kind: FleetIncident.Kind, _ dice: Double, isLast: Bool) {
    guard call.outcome == "completed", call.silence == nil else { return }
    switch kind {
    case .silent(let share) where isLast && dice < share:
      (call.silence, call.score) = (
        .lost, call.score.map { SimulatedWindows.possible($0 * SimulatedCall.heardShare) }
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

/// The windows of a simulated call: five minutes of five seconds each, some of them poor, whose mean is the call's score.
struct SimulatedWindows {
  static let count = 60
  /// Scores in the order of time.
  let scores: [Int]

  /// A score that so many whole scores can have as their mean.
  static func possible(_ score: Double) -> Double {
    (max(0, min(100, score)) * Double(count)).rounded() / Double(count)
  }

  /// Windows under 60: none of a call at 80 and above, all of one at 40 and below.
  static func poor(_ score: Double) -> Int {
    Int((Double(count) * max(0, min(1, (80 - score) / 40))).rounded())
  }

  /// Windows with this mean; the poor ones follow each other, as a bad spell does, from `place` on.
  init(mean: Double, place: Int) {
    let (total, poor) = (Int((mean * Double(Self.count)).rounded()), Self.poor(mean))
    // What good windows at 80 leave to the poor ones, which stay under 60.
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
