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
