import CallModel
import Reporting

extension FleetPlan {
  /// A night as a comparison sees it, without a database in between.
  public func figures(night: Int) -> RunFigures {
    var run = RunFigures(run: "night \(night)")
    run.dimensions = ["video codec", "network", "candidate type", "client"]
    run.verdictVersions = [Verdict.version]
    var words = VerdictWords()
    for call in calls(night: night) {
      run.runs[call.sdk] = run.run
      if call.excluded != nil {
        run.excluded[call.sdk, default: 0] += 1
      } else if call.outcome == "missing" {
        run.missing[call.sdk, default: 0] += 1
      } else {
        let word = words.word(of: call)
        var compared = ComparedCall(
          sdk: call.sdk, scenario: call.scenario, score: call.score, setupMs: call.setupMs,
          poorShare: nil, isBroken: call.expected != call.outcome && word.isBroken,
          traits: [call.videoCodec, call.network, call.candidate, call.client])
        compared.verdict = word
        let isBadlyHeard = word == .poor || word == .silent || word == .noPicture
        compared.isPoor = isBadlyHeard ? true : call.score == nil ? nil : false
        run.calls[call.sdk, default: []].append(compared)
      }
    }
    return run
  }
}
