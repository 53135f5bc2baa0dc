import Reporting

extension FleetPlan {
  /// A night as a comparison sees it, without a database in between.
  public func figures(night: Int) -> RunFigures {
    var run = RunFigures(run: "night \(night)")
    run.dimensions = ["video codec", "network", "candidate type", "client"]
    for call in calls(night: night) {
      run.runs[call.sdk] = run.run
      if call.excluded != nil {
        run.excluded[call.sdk, default: 0] += 1
      } else if call.outcome == "missing" {
        run.missing[call.sdk, default: 0] += 1
      } else {
        run.calls[call.sdk, default: []].append(
          ComparedCall(
            sdk: call.sdk, scenario: call.scenario, score: call.score, setupMs: call.setupMs,
            poorShare: call.poorShare,
            isBroken: call.expected != call.outcome && ["failed", "dropped"].contains(call.outcome),
            traits: [call.videoCodec, call.network, call.candidate, call.client]))
      }
    }
    return run
  }
}
