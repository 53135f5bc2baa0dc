import CallModel

@testable import CallStore

/// Two nights of a small fleet: two SDKs, three scenarios, one of each kind of trouble on the second night.
struct Fleet {
  let store: Store
  private static let hour = 3_600_000.0

  static func make() throws -> Store {
    let fleet = Fleet(store: try Store.inMemory())
    for (index, run) in ["night-1", "night-2"].enumerated() { try fleet.night(run, index) }
    try fleet.store.connection.execute(
      """
      UPDATE runs SET started_ms = 1.7952e12 + 86400000 * (run_id = 'night-2'), expected_calls = 12;
      INSERT INTO baselines VALUES ('night-1', 'rebtel', 1), ('night-1', 'pexip', 1);
      """)
    try fleet.troubles()
    return fleet.store
  }

  private func night(_ run: String, _ night: Int) throws {
    var call = 0
    for sdk in ["pexip", "rebtel"] {
      for scenario in ["plain", "relay", "busy"] {
        for _ in 0..<2 {
          call += 1
          let poor = night == 1 && sdk == "rebtel" && scenario == "relay"
          let startedMs = 1.7952e12 + Double(night) * 24 * Self.hour + Double(call) * 60_000
          try self.call(
            "call-\(call)", run: run, sdk: sdk, scenario: scenario, startedMs: startedMs, poor: poor, call)
        }
      }
    }
  }

  private func call(
    _ id: String, run: String, sdk: String, scenario: String, startedMs: Double, poor: Bool, _ number: Int
  ) throws {
    var header = SourceHeader.named("\(run)/\(id).jsonl")
    header.run = run
    header.call = id
    try store.write(header) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio(ssrc: UInt32(number)))
      for second in 0..<10 {
        let sample = Sample(startedMs + Double(second) * 1000, [.packets: Double(second * 50), .lost: 0])
        try writer.sample(sample, of: 0, extra: nil)
      }
      try writer.event(EventRecord(timeMs: startedMs, event: .callCreated, raw: "create"), of: 0)
      return .imported
    }
    let call = try key(id, run: run)
    let endpoint = try store.endpoints(ofCall: call)[0].key
    let streams = try store.streams(ofCall: call)[endpoint] ?? []
    try store.setChosen(streams, were: [])
    try store.setVerdict(nil, by: streams, ofEndpoint: endpoint)
    try store.connection.run(
      "UPDATE calls SET sdk = ?, scenario = ?, expected = 1, expected_outcome = ? WHERE call_key = ?", sdk,
      scenario,
      scenario == "busy" ? "busy" : "completed", call)
    try store.connection.run(
      "UPDATE endpoints SET candidate_type = ? WHERE endpoint_key = ?",
      scenario == "relay" ? "relay" : "host", endpoint)
    let busy = scenario == "busy"
    try setup(of: endpoint, startedMs: startedMs, ms: 400 + Double(number) * 10, busy: busy)
    var summary = CallSummary(outcome: busy ? .busy : .completed)
    summary.startedMs = startedMs
    summary.durationMs = 10_000
    summary.setupMs = busy ? nil : 400 + Double(number) * 10
    if !busy { try score(endpoint, &summary, startedMs: startedMs, poor: poor, number) }
    try store.updateCall(call, summary)
  }

  private func key(_ id: String, run: String) throws -> Int64 {
    let sql = "SELECT call_key FROM calls WHERE run_id = '\(run)' AND call_id = '\(id)'"
    return try store.value(sql).integer ?? 0
  }

  private func score(
    _ endpoint: Int64, _ summary: inout CallSummary, startedMs: Double, poor: Bool, _ number: Int
  ) throws {
    let scores = poor ? [40, 50] : [100, 90 + number % 5]
    let windows = scores.enumerated().map { index, score in
      var window = Window(
        index: index, startMs: startedMs + Double(index) * 5000, endMs: startedMs + Double(index + 1) * 5000,
        state: .active)
      window.score = score
      var points = ByCause<Int>()
      for cause in Cause.allCases { points[cause] = cause == .loss ? 100 - score : 0 }
      window.pointsLost = points
      window.clientScore = poor ? 70 : Double(score)
      window.changed = true
      return window
    }
    try store.replaceWindows([(.stats, windows)], ofEndpoint: endpoint, model: "callqa-1", judging: .stats)
    summary.model = "callqa-1"
    summary.scoreEndpoint = "caller"
    summary.scoreMean = Double(scores[0] + scores[1]) / 2
    summary.scoreMin = Double(scores.min() ?? 0)
    summary.scoreP10 = summary.scoreMin
    summary.poorShare = poor ? 1 : 0
    summary.unscoredShare = 0
    summary.pointsLost = [
      .loss: 100 - (summary.scoreMean ?? 0), .jitter: 0, .delay: 0, .freeze: 0, .framerate: 0, .resolution: 0,
      .bitrate: 0,
    ]
    summary.topCause = .loss
  }

  private func setup(of endpoint: Int64, startedMs: Double, ms: Double, busy: Bool) throws {
    var signalling = Phase(.signalling, .measured)
    signalling.startMs = startedMs
    signalling.durationMs = ms / 2
    var ice = Phase(.ice, busy ? .absent : .measured)
    ice.durationMs = busy ? nil : ms / 4
    let attempt = SetupAttempt(
      attempt: 1, direction: .outgoing, outcome: busy ? .busy : .completed,
      phases: [signalling, ice, Phase(.dtls, .unknown)])
    try store.replaceSetupAttempts([attempt], ofEndpoint: endpoint)
  }

  /// On the second night: one call failed, one is missing, one was the rig's fault, one file is cut, one is empty,
  /// some are skipped: all of them of one content but a packed one.
  private func troubles() throws {
    try store.connection.execute(
      """
      UPDATE calls SET outcome = 'failed', end_code = '503', end_reason = 'service unavailable', score_mean = NULL,
        score_p10 = NULL, score_min = NULL, score_endpoint = NULL, poor_share = NULL, top_cause = NULL
        WHERE run_id = 'night-2' AND call_id = 'call-1';
      DELETE FROM windows WHERE endpoint_key = (SELECT endpoint_key FROM endpoints JOIN calls USING (call_key)
        WHERE run_id = 'night-2' AND call_id = 'call-1');
      UPDATE calls SET excluded = 'rig fault' WHERE run_id = 'night-2' AND call_id = 'call-2';
      INSERT INTO calls (call_id, run_id, sdk, scenario, outcome, expected, expected_outcome, stale)
        VALUES ('call-13', 'night-2', 'pexip', 'plain', 'missing', 1, 'completed', 0);
      UPDATE calls SET verdict_version = 1, verdict_judged = CASE WHEN outcome = 'failed' THEN outcome
        WHEN outcome = 'busy' THEN 'not-set-up' WHEN poor_share >= 0.1 THEN 'poor' ELSE 'good' END
        WHERE outcome <> 'missing';
      """)
    let finding = Finding(.iceNeverConnected, .error, evidence: Evidence(), text: "No candidate pair worked.")
    try store.replaceFindings([finding], ofCall: try key("call-1", run: "night-2"), endpoint: nil)
    try store.replaceFindings(
      [Finding(.rigFault, .info, evidence: Evidence(), text: "The machine stalled.")],
      ofCall: try key("call-2", run: "night-2"),
      endpoint: nil)
    var cut = SourceHeader.named("night-2/cut.jsonl")
    cut.run = "night-2"
    try store.write(cut) { writer in
      try writer.reject(Reject("not a report", line: 3, excerpt: "{\"ts\":"))
      try writer.note("clock rate guessed from the packets")
      try writer.note("clock rate guessed from the packets")
      return SourceStatus(.partial, code: .truncated, reason: "ends in the middle of line 3", line: 3)
    }
    var empty = SourceHeader.named("night-2/empty.json")
    empty.run = "night-2"
    try store.write(empty) { _ in SourceStatus(.refused, code: .empty, reason: "the file is empty") }
    for (name, code) in [
      ("1/callee.stats.jsonl", ReasonCode.notAFormat), ("2/callee.stats.jsonl", .notAFormat),
      ("README.txt", .notAFormat), ("notes", .notAFormat), ("calls.zip", .unsupported),
    ] {
      var skipped = SourceHeader.named("night-2/\(name)")
      (skipped.run, skipped.format, skipped.isLeft) = ("night-2", nil, true)
      if code == .notAFormat { skipped.sha256 = "sha-of-an-error-page" }
      try store.write(skipped) { _ in SourceStatus(.skipped, code: code, reason: "it is \(code.rawValue)") }
    }
  }
}
