import CallModel

/// The output of a list command: its columns have the names of the JSON members.
///
/// `points_lost.loss` is nested, `findings[]` and `args{}` contain JSON text, `chosen?` is 0 or 1 for false or true.
public struct Listing: Sendable {
  /// The command.
  public let name: String
  /// SQL with `{scope}` for the condition on the call `k`, `{windows}` for that on the window `w`, `{sources}` for that
  /// on the source `s`.
  let sql: String
  /// The order of the rows.
  let order: String
  /// SQL for the beginning and the end of a row, ms since the epoch; nil if rows have no time. The statement ends with
  /// its WHERE clause then.
  let times: (from: String, until: String)?

  init(_ name: String, order: String, times: (from: String, until: String)? = nil, _ sql: String) {
    self.name = name
    self.sql = sql
    self.order = order
    self.times = times
  }

  /// The complete statement for a scope.
  func statement(_ scope: CallScope) -> String {
    // The user's own SQL is inserted last, so that no placeholder in it is replaced.
    let sql = self.sql.replacing("{windows}", with: scope.windowCondition)
      .replacing("{sources}", with: scope.sourceCondition).replacing("{scope}", with: scope.condition)
    let worstFirst = scope.worst != nil && name == Listing.calls.name
    let rows = times.map { scope.rowCondition(from: $0.from, until: $0.until) } ?? ""
    return sql + rows + "\nORDER BY "
      + (worstFirst
        ? "coalesce(k.score_mean, k.reported_mean) IS NULL, coalesce(k.score_mean, k.reported_mean), " : "")
      + order
      + scope.limitClause
  }

  /// All listings.
  public static let all: [Listing] = [
    .calls, .streams, .score, .setup, .events, .findings, .sessions, .sources, .rejects, .runs,
  ]
}

extension Store {
  /// Passes the rows of a listing one by one; `columns` is called once before.
  public func list(
    _ listing: Listing, _ scope: CallScope = CallScope(), columns: ([String]) throws -> Void,
    row: ([Cell]) throws -> Void
  ) throws {
    let sql = listing.statement(scope)
    let known = try Set(parameters(of: sql))
    try query(sql, scope.parameters.filter { known.contains($0.key) }, columns: columns, row: row)
  }

  /// The rows of a listing.
  public func list(_ listing: Listing, _ scope: CallScope = CallScope()) throws -> QueryResult {
    var result = QueryResult(columns: [], rows: [])
    try list(listing, scope, columns: { result.columns = $0 }, row: { result.rows.append($0) })
    return result
  }

  /// Keys of the calls in a scope, in the order of lists.
  public func keys(_ scope: CallScope) throws -> [Int64] {
    try query(
      "SELECT k.call_key FROM calls AS k WHERE \(scope.condition) ORDER BY k.started_ms IS NULL, k.started_ms, k.call_id, k.call_key",
      scope.parameters
    ).rows.compactMap { $0.first?.integer }
  }
}

extension Listing {
  /// One row per login, registration, token or push; a scope restricts it to sources with connections in its calls, or
  /// of its run.
  public static let sessions = Listing(
    "sessions", order: "t.started_ms, t.event_key",
    times: ("t.started_ms", "t.started_ms + coalesce(t.duration_ms, 0)"),
    """
    SELECT t.kind, t.outcome, t.started_ms, t.duration_ms, t.code, t.reason, k.call_id, t.sdk, s.path AS source
    FROM sessions AS t JOIN sources AS s USING (source_id) LEFT JOIN calls AS k USING (call_key)
    WHERE {sources}
    """)
}

extension Listing {
  /// One row per file; a scope restricts it to those with connections in its calls.
  public static let sources = Listing(
    "sources", order: "s.source_id",
    """
    SELECT s.path, s.sha256, s.format, s.bytes, s.status, s.run_id AS run, s.imported_ms, s.first_ms, s.last_ms, s.skew_ms,
      (SELECT json_group_array(call_id) FROM (SELECT DISTINCT k.call_id FROM source_views AS c JOIN calls AS k USING (call_key)
        WHERE c.source_id = s.source_id ORDER BY k.call_id)) AS "calls[]",
      \(groupedBy) AS "grouped_by[]",
      s.streams,
      (SELECT count(*) FROM source_views AS c JOIN streams AS t USING (connection_key)
        WHERE c.source_id = s.source_id AND t.chosen) AS chosen_streams,
      s.samples, s.events, s.packets, s.rejected,
      (SELECT json_group_array(CASE WHEN count > 1 THEN note || ' (' || count || ' times)' ELSE note END)
        FROM (SELECT note, count FROM notes AS n WHERE n.source_id = s.source_id ORDER BY note)) AS "notes[]",
      s.reason, s.reason_code, s.byte, s.line, s.labels AS "labels{}"
    FROM sources AS s WHERE {sources}
    """)

  /// What a file has in common with others of its call, by which they are one; of a call of many files, with the first.
  private static let groupedBy = """
    (SELECT json_group_array(path || ': ' || same) FROM (SELECT o.path, coalesce(
        (SELECT group_concat(kind, ', ') FROM (SELECT DISTINCT CASE \(kind("a")) WHEN 'call' THEN 'call id' WHEN 'sip'
              THEN 'SIP Call-ID' WHEN 'ufrag' THEN 'ICE credentials' WHEN 'fingerprint' THEN 'DTLS fingerprints'
              WHEN 'ssrc' THEN 'SSRCs' ELSE \(kind("a")) END AS kind
            FROM source_views AS c JOIN aliases AS a USING (connection_key)
              JOIN source_views AS d ON d.source_id = o.source_id AND d.call_key = c.call_key
              JOIN aliases AS b ON b.connection_key = d.connection_key AND b.hash = a.hash AND b.value = a.value
            WHERE c.source_id = s.source_id AND \(kind("a")) = \(kind("b"))
              AND \(kind("a")) IN ('call', 'session', 'sip', 'ufrag', 'fingerprint', 'ssrc', 'connection') ORDER BY 1)),
        CASE WHEN o.given_call = s.given_call THEN 'the name given to it' ELSE 'no id in common' END) AS same
      FROM (SELECT DISTINCT d.source_id FROM source_views AS c JOIN source_views AS d USING (call_key)
          WHERE c.source_id = s.source_id AND d.source_id <> s.source_id LIMIT 8) AS n JOIN sources AS o USING (source_id)
      ORDER BY o.path))
    """

  /// The kind of an alias, whichever side it is of.
  private static func kind(_ alias: String) -> String {
    "CASE WHEN instr(\(alias).kind, '-') THEN substr(\(alias).kind, 1, instr(\(alias).kind, '-') - 1) ELSE \(alias).kind END"
  }

  /// One row per reject.
  public static let rejects = Listing(
    "rejects", order: "s.source_id, r.reject_index",
    """
    SELECT s.path AS source, r.line, r.frame, r.byte, r.reason, r.count, r.excerpt
    FROM rejects AS r JOIN sources AS s USING (source_id) WHERE {sources}
    """)
}

/// The data behind a call's verdict.
extension Listing {
  /// One row per stream and source.
  public static let streams = Listing(
    "streams",
    order:
      "k.started_ms IS NULL, k.started_ms, k.call_id, k.call_key, n.endpoint, c.name, s.source, s.direction, role IS NOT NULL, s.kind, s.ssrc, s.stream_key",
    times: ("s.first_ms", "s.last_ms"),
    """
    SELECT k.call_id, n.endpoint, c.name AS pc, s.source, s.chosen AS "chosen?", s.direction, s.kind, s.ssrc, s.mid, s.codec,
      s.clock_rate, s.clock_rate_guessed AS "clock_rate_guessed?", s.payload_type, s.first_ms, s.last_ms, s.packets,
      s.bytes, s.expected, s.lost,
      coalesce(round(max(s.lost, 0) * 1.0
        / nullif(coalesce(s.expected, s.packets + CASE s.direction WHEN 'inbound' THEN max(s.lost, 0) ELSE 0 END), 0), 6),
        s.loss_share_mean) AS loss_share, s.duplicates, s.reordered, s.late, s.restarts, s.fec, s.rtx, s.probes,
      s.capture_duplicates, s.jitter_mean_ms, s.jitter_max_ms, s.max_delta_ms, s.wireshark_packets, s.wireshark_lost,
      s.wireshark_jitter_mean_ms, s.wireshark_jitter_max_ms, s.rtt_ms, s.bitrate_mean_bps, s.concealed_samples,
      s.silent_concealed_samples, s.total_samples, s.concealed_share, s.freeze_count, s.freeze_ms, s.pause_count,
      s.pause_ms, s.frame_rate_mean, s.width, s.height, s.nack, s.pli, s.fir, s.local, s.remote, s.rtx_ssrc, s.rid, s.fmtp,
      s.frame_jitter_mean_ms, s.burst_density, s.gap_density, s.burst_ms, s.gap_ms, s.screen AS "screen?",
      s.implementation, s.encoding_index, s.scalability_mode, s.extra AS "extra{}",
      s.track_identifier, \(StreamRole.sql(of: "s")) AS role
    FROM calls AS k JOIN source_views AS c USING (call_key) JOIN streams AS s USING (connection_key)
      LEFT JOIN endpoints AS n ON n.endpoint_key = c.endpoint_key
    WHERE {scope}
    """)

  /// One row per scored window; the scope selects the windows.
  public static let score = Listing(
    "score",
    order:
      "k.started_ms IS NULL, k.started_ms, k.call_id, k.call_key, n.endpoint, w.model, w.source, w.window_index",
    times: ("w.start_ms", "w.end_ms"),
    """
    SELECT k.call_id, n.endpoint, w.source, w.window_index, w.start_ms, w.end_ms, w.state, w.score, w.audio_cq, w.audio_lq,
      w.video, \(points("w")), w.loss_share AS "inputs.loss_share", w.concealed_share AS "inputs.concealed_share",
      w.delay_ms AS "inputs.delay_ms", w.rtt_ms AS "inputs.rtt_ms", w.freeze_share AS "inputs.freeze_share",
      w.frame_rate AS "inputs.frame_rate", w.height AS "inputs.height", w.bitrate_bps AS "inputs.bitrate_bps",
      w.mouth_to_ear_ms AS "inputs.mouth_to_ear_ms", w.glass_to_glass_ms AS "inputs.glass_to_glass_ms",
      w.audio_minus_video_ms AS "inputs.audio_minus_video_ms", w.delay_source AS "inputs.delay_source",
      w.frame_quality AS "inputs.frame_quality",
      w.client_score, w.confidence, w.changed AS "changed?", w.model
    FROM calls AS k JOIN endpoints AS n USING (call_key) JOIN windows AS w USING (endpoint_key)
    WHERE {windows} AND {scope}
    """)

  /// One row per end and attempt, with its phases.
  public static let setup = Listing(
    "setup", order: "k.started_ms IS NULL, k.started_ms, k.call_id, k.call_key, n.endpoint, a.attempt",
    times: ("a.start_ms", "a.start_ms + coalesce(a.setup_wall_ms, a.setup_ms, 0)"),
    """
    SELECT k.call_id, n.endpoint, a.attempt, a.direction, a.outcome, a.setup_ms, a.setup_wall_ms, a.post_dial_delay_ms,
      a.start_ms, a.from_event,
      (SELECT json_group_array(json(phase)) FROM (
         SELECT json_object('phase', phase, 'state', state,
           'start_ms', \(milliseconds("start_ms")), 'duration_ms', \(milliseconds("duration_ms")),
           'waited_ms', \(milliseconds("waited_ms")),
           'from_event', from_event, 'to_event', to_event, 'cause', cause) AS phase
         FROM phases AS p WHERE p.endpoint_key = a.endpoint_key AND p.attempt = a.attempt
         ORDER BY \(phaseOrder))) AS "phases[]"
    FROM calls AS k JOIN endpoints AS n USING (call_key) JOIN setups AS a USING (endpoint_key)
    WHERE {scope}
    """)

  private static var phaseOrder: String {
    let cases = PhaseName.allCases.enumerated().map { "WHEN '\($1.rawValue)' THEN \($0)" }
    return "CASE p.phase \(cases.joined(separator: " ")) END"
  }
}

extension Listing {
  /// The worst problem of a call `k` in a word or two: its outcome, otherwise its most severe finding, otherwise the
  /// cause that took most points, and the end; NULL if there is none.
  private static let worstProblem = """
    CASE
      WHEN k.outcome = 'missing' THEN 'never came'
      WHEN k.verdict IN ('failed', 'dropped') AND k.end_code IS NOT NULL
        THEN trim(coalesce(k.end_code, '') || ' ' || coalesce(k.end_reason, ''))
      ELSE coalesce(
        (SELECT f.code || coalesce(' at ' || n.endpoint, '') FROM findings AS f LEFT JOIN endpoints AS n USING (endpoint_key)
          WHERE f.call_key = k.call_key AND f.severity = 'error'
          ORDER BY coalesce(f.end_ms - f.start_ms, 0) DESC, f.start_ms, f.code LIMIT 1),
        CASE WHEN k.verdict IN ('silent', 'no-picture', 'not-sent')
          THEN coalesce(k.verdict_cause, k.verdict) || coalesce(' at ' || k.verdict_end, '') END,
        CASE WHEN k.verdict IN ('failed', 'dropped') THEN coalesce(k.end_reason, k.verdict_cause) END,
        CASE WHEN k.score_mean <= 95 THEN k.top_cause || printf(' -%.0f', CASE k.top_cause \(lost) END)
          || coalesce(' at ' || k.score_endpoint, '') END)
    END
    """

  private static let lost = Cause.allCases.map { "WHEN '\($0.rawValue)' THEN k.lost_\($0.rawValue)" }
    .joined(separator: " ")

  /// One row per call.
  public static let calls = Listing(
    "calls", order: "k.started_ms IS NULL, k.started_ms, k.call_id, k.call_key",
    """
    SELECT k.call_id, k.run_id AS run,
      coalesce((SELECT json_patch(r.labels, k.labels) FROM runs AS r WHERE r.run_id = k.run_id), k.labels) AS "labels{}",
      (SELECT json_group_object(name, value) FROM (SELECT name, value FROM call_attributes AS a
        WHERE a.call_key = k.call_key ORDER BY name)) AS "attributes{}",
      k.scenario, k.sdk, k.sdk_version, k.started_ms,
      k.duration_ms, k.verdict, k.verdict_end, k.verdict_medium, k.verdict_cause,
      k.verdict_basis, k.verdict_rule, k.verdict_version, k.verdict_why,
      k.place, k.place_end, k.place_rule, k.place_why, k.place_marked_why,
      k.root_cause, k.root_end, k.root_from_ms, k.root_until_ms, k.root_bps, k.root_before_bps, k.root_share,
      k.call_key IN (SELECT call_key FROM judged_calls AS j WHERE j.call_key = k.call_key AND j.broken) AS broken,
      k.outcome, k.expected_outcome, k.end_code, k.end_reason, k.score_endpoint, k.score_mean, k.score_p10,
      k.score_min, k.mos, k.mos_scale, k.poor_share, k.unscored_share, \(points("k")), k.top_cause,
      (SELECT json_group_array(code) FROM (SELECT DISTINCT code FROM findings AS f WHERE f.call_key = k.call_key
        ORDER BY code)) AS "findings[]",
      k.setup_ms, k.ringing_ms, k.reported_mean AS "reported.mean", k.reported_min AS "reported.min",
      k.reported_below_50_ms AS "reported.below_50_ms", k.reported_mos AS "reported.mos", k.held_local_ms, k.held_remote_ms, k.network_out_ms,
      k.has_audio AS "media.audio?", k.has_video AS "media.video?", k.upgraded AS "media.upgraded?", k.outcome_why AS why,
      k.excluded, k.known, \(worstProblem) AS worst_problem,
      (SELECT json_group_array(path) FROM (SELECT DISTINCT s.path FROM source_views AS c JOIN sources AS s USING (source_id)
        WHERE c.call_key = k.call_key ORDER BY s.path)) AS "sources[]",
      (SELECT count(*) FROM endpoints AS n WHERE n.call_key = k.call_key) AS ends,
      (SELECT count(DISTINCT c.endpoint_key) FROM source_views AS c WHERE c.call_key = k.call_key) AS ends_on_record
    FROM calls AS k WHERE {scope}
    """)

  /// One row per run.
  public static let runs = Listing(
    "runs", order: "b.began_ms, r.run_id",
    """
    SELECT r.run_id AS run, r.labels AS "labels{}", r.started_ms, r.ended_ms, r.expected_calls,
      coalesce(n.calls, 0) AS calls, coalesce(n.missing, 0) AS missing, coalesce(n.unfinished, 0) AS unfinished,
      coalesce(n.excluded, 0) AS excluded, coalesce(n.broken, 0) AS broken, coalesce(n.known, 0) AS known, n.score_mean,
      (SELECT json_group_array(sdk) FROM (SELECT DISTINCT sdk FROM calls AS k WHERE k.run_id = r.run_id
        AND sdk IS NOT NULL ORDER BY sdk)) AS "sdks[]",
      (SELECT json_group_array(sdk) FROM (SELECT sdk FROM baselines AS b WHERE b.run_id = r.run_id ORDER BY sdk))
        AS "accepted[]", r.accepted_ms, r.verdict AS gate_result, r.verdict_reason AS gate_reason
    FROM runs AS r JOIN run_starts AS b USING (run_id) LEFT JOIN (
      SELECT run_id, sum(outcome <> 'missing' OR unfinished) AS calls, sum(outcome = 'missing' AND NOT unfinished AND excluded IS NULL) AS missing,
        sum(unfinished) AS unfinished, sum(excluded IS NOT NULL) AS excluded, sum(counted AND broken) AS broken,
        sum(known IS NOT NULL AND excluded IS NULL) AS known, avg(CASE WHEN counted THEN score_mean END) AS score_mean
      FROM judged_calls GROUP BY run_id) AS n USING (run_id)
    """)

  /// One row per finding.
  public static let findings = Listing(
    "findings",
    order:
      "k.started_ms IS NULL, k.started_ms, k.call_id, k.call_key, f.start_ms, f.code, n.endpoint, f.finding_key",
    times: ("f.start_ms", "coalesce(f.end_ms, f.start_ms)"),
    """
    SELECT k.call_id, n.endpoint, f.code, f.severity, f.start_ms, f.end_ms, f.evidence AS "evidence{}", f.text,
      (SELECT json_group_array(json_object('source', source, 'line', line, 'event', event, 't_ms', t_ms, 'until_ms', until_ms))
        FROM (SELECT * FROM (\(FindingPlaces.rows(ofFinding: "f.finding_key"))) ORDER BY t_ms, source, line LIMIT 20))
        AS "places[]"
    FROM calls AS k JOIN findings AS f USING (call_key) LEFT JOIN endpoints AS n ON n.endpoint_key = f.endpoint_key
    WHERE {scope}
    """)

  /// One row per event of a call.
  public static let events = Listing(
    "events", order: "k.started_ms IS NULL, k.started_ms, k.call_id, k.call_key, e.t_ms, s.path, e.event_key",
    times: ("e.t_ms", "coalesce(e.until_ms, e.t_ms)"),
    """
    SELECT k.call_id, n.endpoint, e.t_ms, e.until_ms, e.event, e.raw, e.sdk, e.args AS "args{}", s.path AS source, e.line,
      e.anomaly
    FROM calls AS k JOIN source_views AS c USING (call_key) JOIN events AS e USING (connection_key)
      JOIN sources AS s USING (source_id) LEFT JOIN endpoints AS n ON n.endpoint_key = c.endpoint_key
    WHERE {scope}
    """)

  /// Points by cause of table `row`, in the order of all lists.
  static func points(_ row: String) -> String {
    Cause.allCases.map { "\(row).lost_\($0.rawValue) AS \"points_lost.\($0.rawValue)\"" }.joined(
      separator: ", ")
  }
}
