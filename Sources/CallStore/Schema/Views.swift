import CallModel

/// Views for queries; they hold no data, so every upgrade recreates them.
///
/// DuckDB binds a view to the tables itself if it can, and otherwise reads all of its columns as texts. It knows no
/// generated columns, no `IS` between columns, no `max` of two values, and no dates of SQLite's.
enum Views {
  /// Name and definition, in order of dependency.
  static let all: [(name: String, sql: String)] =
    [
      ("alias_hashes", aliasHashes), ("call_starts", callStarts), ("transports", transports),
      ("timeline", timeline),
      ("sample_rates", SampleRates.view),
      ("judged_calls", judgedCalls), ("run_starts", runStarts), ("broken_calls", brokenCalls),
      ("poor_calls", poorCalls),
      ("scored_windows", scoredWindows), ("attributed_calls", AttributeTables.view),
      ("finding_places", FindingPlaces.view),
      ("sessions", SessionsView.view),
    ] + AnalystViews.all + EndViews.all

  private static let aliasHashes = """
    CREATE VIEW alias_hashes AS         -- connections by the hashes of their ids: ... WHERE hash = alias_hash('an id')
    SELECT hash, connection_key FROM settled_alias_hashes UNION ALL SELECT hash, connection_key FROM recent_alias_hashes
    """

  private static let callStarts = """
    CREATE VIEW call_starts AS          -- when each call began, in words of SQLite: for the views of calls
    SELECT call_key, started FROM calls
    """

  private static let transports = """
    CREATE VIEW transports AS           -- the path of each connection at each instant
    SELECT c.endpoint_key, p.connection_key, s.t_ms, p.pair, p.local, p.remote, p.local_type, p.remote_type,
           p.protocol, p.relay_protocol, p.network_type, p.ice_state, p.dtls_state,
           s.rtt_ms, s.available_out_bps, s.available_in_bps, s.bytes_sent, s.bytes_received, s.last_packet_ms,
           s.requests_sent, s.responses_received, s.requests_received, s.responses_sent, s.total_rtt_ms, s.pair_changes,
           (s.total_rtt_ms - (SELECT b.total_rtt_ms FROM path_samples AS b WHERE b.path_key = s.path_key AND b.t_ms < s.t_ms
             ORDER BY b.t_ms DESC LIMIT 1))
             / nullif(s.responses_received - (SELECT b.responses_received FROM path_samples AS b
               WHERE b.path_key = s.path_key AND b.t_ms < s.t_ms ORDER BY b.t_ms DESC LIMIT 1), 0)
             AS check_rtt_ms,  -- mean of the checks since the instant before
           s.extra
    FROM path_samples AS s JOIN paths AS p USING (path_key) JOIN source_views AS c USING (connection_key)
    """

  private static let timeline = """
    CREATE VIEW timeline AS             -- what happened, with the call and end it happened to
    SELECT k.call_key, k.run_id, k.call_id, n.endpoint, e.t_ms, e.until_ms, e.event, e.raw, e.sdk, e.args,
           s.path AS source, e.line, e.anomaly
    FROM calls AS k JOIN source_views AS c USING (call_key) JOIN events AS e USING (connection_key)
      JOIN sources AS s USING (source_id) LEFT JOIN endpoints AS n ON n.endpoint_key = c.endpoint_key
    """

  private static let judgedCalls = """
    CREATE VIEW judged_calls AS         -- calls with what a report counts
    SELECT \(CallColumns.all),
           CASE WHEN \(isOddClock) THEN 1 ELSE 0 END AS odd_clock,  -- 1: when it began is not known, whatever it says
           -- a call that is not judged yet has the time of its sources, a missing one only its run's; one whose clock cannot
           -- be has its run's, or that of its import
           CASE WHEN \(isOddClock) THEN coalesce(r.started_ms,
             (SELECT max(s.imported_ms) FROM source_views AS c JOIN sources AS s USING (source_id) WHERE c.call_key = k.call_key))
           ELSE coalesce(k.started_ms, CASE WHEN k.stale <> 0 THEN (SELECT min(c.first_ms) FROM source_views AS c
             WHERE c.call_key = k.call_key) END, r.started_ms) END AS night_ms,
           CASE WHEN k.stale = 2 AND k.pruned_ms IS NULL THEN 1 ELSE 0 END AS unjudgeable,  -- 1: it cannot be judged: `callqa check` says why
           CASE WHEN k.stale = 1 AND k.pruned_ms IS NULL THEN 1 ELSE 0 END AS unfinished,  -- 1: an import that was cut off, or still runs, left it so
           CASE WHEN k.outcome <> 'missing' AND k.excluded IS NULL AND (k.stale = 0 OR k.pruned_ms IS NOT NULL)
             THEN 1 ELSE 0 END AS counted,  -- 1: it ran, it was judged, and it counts
           CASE WHEN k.known IS NOT NULL THEN 0 ELSE \(isBroken) END AS broken,  -- 1: failed, dropped, silent, scored low or set up late, against what was expected
           \(failureCode) AS failure_code,  -- of a call that came to nothing
           CASE WHEN \(CallColumns.verdict) IN ('poor', 'silent', 'no-picture') THEN 1
             WHEN k.score_mean IS NOT NULL OR \(CallColumns.verdict) = 'not-sent' THEN 0 END
             AS poor  -- heard or seen badly, or not at all; NULL: nobody knows
    FROM calls AS k LEFT JOIN runs AS r USING (run_id)
    """

  private static let isOddClock = "EXISTS (SELECT 1 FROM odd_clocks AS o WHERE o.call_key = k.call_key)"

  private static let runStarts = """
    CREATE VIEW run_starts AS           -- when each run took place: the middle one of its calls' starts, which no outlier moves
    -- calls that are put aside, or whose clock cannot be, have no say; without any other it is when the run was imported
    SELECT r.run_id, coalesce(r.middle_ms, \(ClockTable.middle(of: "r.run_id")),
      (SELECT max(s.imported_ms) FROM sources AS s WHERE s.run_id = r.run_id)) AS began_ms
    FROM runs AS r
    """

  private static let brokenCalls = """
    CREATE VIEW broken_calls AS         -- calls that did not come or end as they should have, known or not
    SELECT \(CallColumns.all) FROM calls AS k WHERE k.excluded IS NULL
      AND (\(isBroken) = 1 OR k.outcome = 'missing' AND coalesce(k.expected_outcome, '') <> 'missing')
    """

  /// Whether a call `k` contradicts what its manifest expects: its outcome, its least score, its longest setup.
  static let isBroken = """
    CASE WHEN k.verdict_marked IS NOT NULL THEN CASE WHEN k.verdict_marked IN ('failed', 'dropped', 'silent') THEN 1 ELSE 0 END
      WHEN k.expected_outcome IS NOT NULL AND k.outcome <> k.expected_outcome THEN 1
      WHEN k.score_mean < k.min_score OR k.min_score IS NOT NULL AND k.score_mean IS NULL AND k.outcome = 'completed' THEN 1
      WHEN k.setup_ms > k.max_setup_ms THEN 1
      WHEN k.expected_outcome IN ('failed', 'dropped') THEN 0
      WHEN k.verdict_judged IN ('failed', 'dropped', 'silent') THEN 1 ELSE 0 END
    """

  /// The code that a call `k` ended with, if it failed, dropped or was rejected; one that was busy or completed has a code
  /// too.
  static let failureCode = "CASE WHEN k.outcome IN ('failed', 'dropped', 'rejected') THEN k.end_code END"

  private static let poorCalls = """
    CREATE VIEW poor_calls AS           -- calls that an end heard or saw badly, or not at all
    SELECT \(CallColumns.all) FROM calls AS k
    WHERE \(CallColumns.verdict) IN ('poor', 'silent', 'no-picture') AND k.excluded IS NULL
    """

  private static let scoredWindows = """
    CREATE VIEW scored_windows AS       -- the windows behind the calls' scores, with the call and end
    SELECT k.call_key, k.run_id, k.call_id, k.sdk, k.scenario, n.endpoint, w.*
    FROM calls AS k JOIN endpoints AS n USING (call_key) JOIN windows AS w USING (endpoint_key)
    WHERE w.chosen AND w.model = k.model AND w.score IS NOT NULL
    """
}

/// The view of differences between successive samples.
enum SampleRates {
  /// Counters with a difference column.
  private static let grown: [Metric] = [
    .packets, .bytes, .lost, .discarded, .rtxPackets, .fecPackets, .nack, .pli, .totalSamples,
    .concealedSamples, .silentConcealedSamples, .frames, .framesDropped, .freezeCount, .freezeMs, .pauseMs,
    .jitterBufferEmitted, .jitterBufferFlushes,
  ]

  /// Columns with the mean of a figure: the growth of a sum by that of the number of its terms.
  private static let means: [(name: String, sum: Metric, count: Metric, summary: String)] = [
    ("jitter_buffer_mean_ms", .jitterBufferDelayMs, .jitterBufferEmitted, "mean time in the jitter buffer"),
    ("device_delay_ms", .playoutDelayMs, .playoutSamples, "mean until the sound device had played it"),
    (
      "corruption_share", .corruptionSum, .corruptionMeasurements,
      "mean probability that a frame is corrupted"
    ),
    ("psnr_db", .psnrSum, .psnrMeasurements, "mean luma PSNR of the encoder's measured frames"),
  ]

  /// A counter that fell was reset and counts from zero again. A sum is reset with the number of its terms; `lost`, which
  /// may also fall by itself (RFC 3550), with the packets.
  private static let resetWith: [Metric: Metric] = means.reduce(into: [.lost: .packets]) {
    $0[$1.sum] = $1.count
  }

  static var view: String {
    let counted = grown + means.flatMap { [$0.sum, $0.count] }.filter { !grown.contains($0) }
    let before = counted.map { "lag(\($0.info.column)) OVER w AS \($0.info.column)_before" }
    let growth = counted.map { metric in
      let (name, sign) = (metric.info.column, (resetWith[metric] ?? metric).info.column)
      return "\(name) - CASE WHEN \(sign) < \(sign)_before THEN 0 ELSE \(name)_before END AS \(name)_grown"
    }
    let deltas = grown.map { "\($0.info.column)_grown AS \($0.info.column)" }
    let averages = means.map {
      "\($0.sum.info.column)_grown / nullif(\($0.count.info.column)_grown, 0) AS \($0.name),  -- \($0.summary)"
    }
    func list(_ columns: [String]) -> String { columns.joined(separator: ",\n               ") }
    return """
      CREATE VIEW sample_rates AS         -- what happened since the stream's sample before: deltas, aware of resets
      SELECT stream_key, t_ms, interval_ms, \(list(deltas)),
             bytes_grown * 8000.0 / interval_ms AS bitrate_bps,
             frames_grown * 1000.0 / interval_ms AS frame_rate,
             \(SQLWords.atLeastZero("lost_grown")) * 1.0
               / nullif(\(SQLWords.atLeastZero("lost_grown")) + packets_grown, 0) AS loss_share,
             concealed_samples_grown * 1.0 / nullif(total_samples_grown, 0) AS concealed_share,
             \(averages.joined(separator: "\n             "))
             jitter_ms, rtt_ms, width, height, target_bps, limited_by,
             echo_return_loss, echo_return_loss_enhancement, estimated_playout_ms, far_report_ms
      FROM (
        SELECT *, \(list(growth))
        FROM (
          SELECT *, t_ms - lag(t_ms) OVER w AS interval_ms,
               \(list(before))
          FROM samples WINDOW w AS (PARTITION BY stream_key ORDER BY t_ms)
        )
      )
      WHERE interval_ms > 0
      """
  }
}

/// The places in the sources that support a finding: lines of its events, and reports or packets around its time.
enum FindingPlaces {
  /// The events used by each rule, by finding code.
  private static let events: [(code: FindingCode, events: [EventName])] = [
    (.iceNeverConnected, [.iceChecking, .iceFailed, .callEnded, .callFailed]),
    (
      .noCandidatePair,
      [.sdpOfferReceived, .sdpAnswerReceived, .iceChecking, .iceFailed, .callEnded, .callFailed]
    ),
    (
      .answerNotReceived, [.iceChecking, .iceFailed, .callEnded, .callFailed, .sdpOfferCreated]
    ),
    (.dtlsNeverConnected, [.iceConnected, .dtlsStarted, .dtlsFailed, .callEnded, .callFailed]),
    (.noCandidates, [.iceGatheringStarted, .iceGatheringComplete, .iceCandidatesEnd]),
    (.turnFailed, [.iceCandidateError]), (.dtlsRetransmit, [.dtlsRetransmitted]),
    (
      .droppedMidCall,
      [.iceDisconnected, .iceFailed, .dtlsFailed, .networkLost, .callEnded, .callFailed]
    ),
    (.noMedia, [.iceConnected, .dtlsConnected]),
    (.lateMedia, [.iceConnected, .dtlsConnected]),
    (.networkChanged, [.icePairChanged, .networkChanged, .networkTypeChanged]),
  ]

  static let view = """
    CREATE VIEW finding_places AS       -- where findings rest: a row an event (with its line), or a source's reports from t_ms to until_ms
    \(rows())
    """

  /// The places of a finding of the outer query; a subquery by key, as a view would not use the index.
  static func rows(ofFinding key: String) -> String { rows("AND g.finding_key = \(key)") }

  /// The events at the start or end of the span of a finding, or at the time of the failure given in its evidence.
  private static func rows(_ condition: String = "") -> String {
    let pairs = events.flatMap { rule in rule.events.map { "('\(rule.code.rawValue)', '\($0)')" } }
    return """
      SELECT g.finding_key, g.call_key, s.path AS source, e.line, e.event, e.t_ms, e.until_ms
      FROM findings AS g JOIN source_views AS c ON c.call_key = g.call_key
          AND (g.endpoint_key IS NULL OR c.endpoint_key = g.endpoint_key)
        JOIN events AS e USING (connection_key) JOIN sources AS s USING (source_id)
      WHERE (g.code, e.event) IN (VALUES \(pairs.joined(separator: ", ")))
        AND e.t_ms IN (g.start_ms, g.end_ms, CAST(g.evidence ->> '$.broken_ms' AS DOUBLE)) \(condition)
      UNION ALL
      SELECT g.finding_key, g.call_key, s.path, NULL, NULL,
        CASE WHEN min(t.first_ms) > g.start_ms THEN min(t.first_ms) ELSE g.start_ms END,
        CASE WHEN max(t.last_ms) < g.end_ms THEN max(t.last_ms) ELSE g.end_ms END
      FROM findings AS g JOIN streams AS t ON t.endpoint_key = g.endpoint_key AND t.chosen
          AND t.first_ms <= g.end_ms AND t.last_ms >= g.start_ms
        JOIN source_views AS c USING (connection_key) JOIN sources AS s USING (source_id)
      WHERE 1 = 1 \(condition)
      GROUP BY g.finding_key, g.call_key, g.start_ms, g.end_ms, s.source_id, s.path
      """
  }
}
