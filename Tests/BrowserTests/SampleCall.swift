import CallModel

@testable import CallViews

/// A small call made by hand.
enum SampleCall {
  static func account(_ id: String, end: String) -> CallAccount {
    let startMs = 1_767_225_600_000.0
    let windows = (0..<2).map { index -> Window in
      var window = Window(
        index: index, startMs: startMs + Double(index) * 5000, endMs: startMs + Double(index + 1) * 5000,
        state: .active)
      window.score = 50
      window.pointsLost = [.loss: 50]
      return window
    }
    var finding = Finding(named: "code-\(end)", .warning, evidence: Evidence(), text: end)
    finding.startMs = startMs + 2000
    let call = CallFacts(
      key: 1, id: id, run: end, scenario: end, sdk: end, sdkVersion: end, startedMs: startMs,
      durationMs: 10_000,
      outcome: .dropped, expectedOutcome: nil, endCode: end, endReason: end, setupMs: nil, ringingMs: nil,
      scoreEndpoint: end, scoreMean: 50, mos: nil, mosScale: nil, model: end, excluded: end,
      known: end)
    let account = EndAccount(
      key: 1, name: end, direction: nil, person: end, userAgent: end, system: end, networkType: end,
      candidateType: end, relayProtocol: end, score: ScoreFigures(windows), windows: windows,
      windowSource: .stats,
      attempts: [], streams: [],
      path: [PathStep(fromMs: startMs, localType: end, local: end, networkType: end)])
    let event = AccountEvent(
      end: end, record: EventRecord(timeMs: startMs + 1000, named: end, raw: end), source: 1)
    let source = SourceFacts(
      key: 1, path: end, format: end, status: end, reason: end, skewMs: nil, rejected: 0, prunedMs: nil,
      notes: [end])
    return CallAccount(
      call: call, ends: [account], findings: [AccountFinding(end: end, finding: finding)], events: [event],
      sources: [source])
  }
}
