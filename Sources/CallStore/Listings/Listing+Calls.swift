import CallModel

extension Listing {
  /// A row a call.
  public static let calls = Listing(
    "calls", order: "k.started_ms, k.call_id, k.call_key",
    """
    SELECT k.call_id, k.run_id AS run,
      coalesce((SELECT json_patch(r.labels, k.labels) FROM runs AS r WHERE r.run_id = k.run_id), k.labels) AS "labels{}",
      (SELECT json_group_object(name, value) FROM (SELECT name, value FROM call_attributes AS a
        WHERE a.call_key = k.call_key ORDER BY name)) AS "attributes{}",
      k.scenario, k.sdk, k.sdk_version, k.started_ms,
      k.duration_ms, coalesce(k.verdict_marked, k.verdict) AS verdict, k.verdict_end, k.verdict_medium, k.verdict_cause,
      k.verdict_basis, k.verdict_rule, k.verdict_version, k.verdict_why,
      k.call_key IN (SELECT call_key FROM judged_calls AS j WHERE j.call_key = k.call_key AND j.broken) AS broken,
      k.outcome, k.expected_outcome, k.end_code, k.end_reason, k.score_endpoint, k.score_mean, k.score_p10,
      k.score_min, k.mos, k.mos_scale, k.poor_share, k.unscored_share, \(points("k")), k.top_cause,
      (SELECT json_group_array(code) FROM (SELECT DISTINCT code FROM findings AS f WHERE f.call_key = k.call_key
        ORDER BY code)) AS "findings[]",
      k.setup_ms, k.ringing_ms, k.reported_mean AS "reported.mean", k.reported_min AS "reported.min",
      k.reported_below_50_ms AS "reported.below_50_ms", k.held_local_ms, k.held_remote_ms, k.network_out_ms,
      k.has_audio AS "media.audio?", k.has_video AS "media.video?", k.upgraded AS "media.upgraded?", k.outcome_why AS why,
      k.excluded, k.known,
      (SELECT json_group_array(path) FROM (SELECT DISTINCT s.path FROM connections AS c JOIN sources AS s USING (source_id)
        WHERE c.call_key = k.call_key ORDER BY s.path)) AS "sources[]"
    FROM calls AS k WHERE {scope}
    """)

  /// A row a run.
  public static let runs = Listing(
    "runs", order: "b.began_ms, r.run_id",
    """
    SELECT r.run_id AS run, r.labels AS "labels{}", r.started_ms, r.ended_ms, r.expected_calls,
      coalesce(n.calls, 0) AS calls, coalesce(n.missing, 0) AS missing, coalesce(n.unjudged, 0) AS unjudged,
      coalesce(n.excluded, 0) AS excluded, coalesce(n.broken, 0) AS broken, coalesce(n.known, 0) AS known, n.score_mean,
      (SELECT json_group_array(sdk) FROM (SELECT DISTINCT sdk FROM calls AS k WHERE k.run_id = r.run_id
        AND sdk IS NOT NULL ORDER BY sdk)) AS "sdks[]",
      (SELECT json_group_array(sdk) FROM (SELECT sdk FROM baselines AS b WHERE b.run_id = r.run_id ORDER BY sdk))
        AS "accepted[]", r.accepted_ms, r.verdict AS gate_result, r.verdict_reason AS gate_reason
    FROM runs AS r JOIN run_starts AS b USING (run_id) LEFT JOIN (
      SELECT run_id, sum(outcome <> 'missing' OR unjudged) AS calls, sum(outcome = 'missing' AND NOT unjudged AND excluded IS NULL) AS missing,
        sum(unjudged) AS unjudged, sum(excluded IS NOT NULL) AS excluded, sum(counted AND broken) AS broken,
        sum(known IS NOT NULL AND excluded IS NULL) AS known, avg(CASE WHEN counted THEN score_mean END) AS score_mean
      FROM judged_calls GROUP BY run_id) AS n USING (run_id)
    """)

  /// A row a finding.
  public static let findings = Listing(
    "findings", order: "k.started_ms, k.call_id, k.call_key, f.start_ms, f.code, n.endpoint, f.finding_key",
    """
    SELECT k.call_id, n.endpoint, f.code, f.severity, f.start_ms, f.end_ms, f.evidence AS "evidence{}", f.text,
      (SELECT json_group_array(json_object('source', source, 'line', line, 'event', event, 't_ms', t_ms, 'until_ms', until_ms))
        FROM (SELECT * FROM (\(FindingPlaces.rows(ofFinding: "f.finding_key"))) ORDER BY t_ms, source, line LIMIT 20))
        AS "places[]"
    FROM calls AS k JOIN findings AS f USING (call_key) LEFT JOIN endpoints AS n ON n.endpoint_key = f.endpoint_key
    WHERE {scope}
    """)

  /// A row an event of a call.
  public static let events = Listing(
    "events", order: "k.started_ms, k.call_id, k.call_key, e.t_ms, s.path, e.event_key",
    """
    SELECT k.call_id, n.endpoint, e.t_ms, e.until_ms, e.event, e.raw, e.sdk, e.args AS "args{}", s.path AS source, e.line,
      e.anomaly
    FROM calls AS k JOIN connections AS c USING (call_key) JOIN events AS e USING (connection_key)
      JOIN sources AS s USING (source_id) LEFT JOIN endpoints AS n ON n.endpoint_key = c.endpoint_key
    WHERE {scope}
    """)

  /// Points by cause of table `row`, in the order of every list.
  static func points(_ row: String) -> String {
    Cause.allCases.map { "\(row).lost_\($0.rawValue) AS \"points_lost.\($0.rawValue)\"" }.joined(
      separator: ", ")
  }
}
