import CallModel

/// A consistency rule in SQL: the rows of the statement violate it, and their first column says how.
struct CheckRule: Sendable {
  let words: String
  let sql: String

  /// Rules for imported data, and for judgements.
  static let all: [CheckRule] = sources + windows + calls
}

extension CheckRule {
  /// Sources have the number of records that they claim.
  static let sources: [CheckRule] = [
    CheckRule(
      words: "a source counts the rows it brought",
      sql: """
        SELECT path || ': ' || what || ' ' || counted || ', here ' || here FROM (
          SELECT s.path, 'streams' AS what, s.streams AS counted, (SELECT count(*) FROM source_views AS c
            JOIN streams USING (connection_key) WHERE c.source_id = s.source_id) AS here FROM sources AS s
          UNION ALL
          SELECT s.path, 'events', s.events, (SELECT count(*) FROM source_views AS c JOIN events USING (connection_key)
            WHERE c.source_id = s.source_id) FROM sources AS s
            WHERE s.pruned_ms IS NULL AND s.source_id NOT IN (SELECT source_id FROM part_sources)
          UNION ALL
          SELECT s.path, 'samples', s.samples, (SELECT count(*) FROM source_views AS c JOIN streams AS t USING (connection_key)
            JOIN samples USING (stream_key) WHERE c.source_id = s.source_id) FROM sources AS s WHERE s.pruned_ms IS NULL
          UNION ALL
          SELECT s.path, 'rejects', s.rejected, (SELECT coalesce(sum(count), 0) FROM rejects AS r
            WHERE r.source_id = s.source_id) FROM sources AS s)
        WHERE counted <> here
        """),
    CheckRule(
      words: "a source that was not taken has no records",
      sql: """
        SELECT path FROM sources WHERE status IN ('refused', 'skipped')
          AND EXISTS (SELECT 1 FROM source_views AS c WHERE c.source_id = sources.source_id)
        """),
    CheckRule(
      words: "an id can be looked up",
      sql: """
        SELECT a.kind || ' of connection ' || a.connection_key FROM aliases AS a
        WHERE a.hash <> \(Aliases.function)(a.value)
          OR NOT EXISTS (SELECT 1 FROM alias_hashes AS h WHERE h.hash = a.hash AND h.connection_key = a.connection_key)
        """),
    CheckRule(
      words: "a stream is at the end of its connection",
      sql: """
        SELECT 'stream ' || s.stream_key FROM streams AS s JOIN source_views AS c USING (connection_key)
        WHERE s.endpoint_key IS NOT c.endpoint_key
        """),
    CheckRule(
      words: "an end belongs to the call of its connections",
      sql: """
        SELECT 'connection ' || c.connection_key FROM source_views AS c JOIN endpoints AS n USING (endpoint_key)
        WHERE n.call_key IS NOT c.call_key
        """),
  ]
}

extension CheckRule {
  private static let sumOfPoints = Cause.allCases.map { "w.lost_\($0.rawValue)" }.joined(separator: " + ")
  private static let sumOfCallPoints = Cause.allCases.map { "coalesce(k.lost_\($0.rawValue), 0)" }.joined(
    separator: " + ")
  private static let stallPoints = Window.causesOfStall.map { "w.lost_\($0.rawValue)" }.joined(
    separator: " + ")
  private static let withoutTalk = Outcome.allCases.filter(\.isWithoutTalk).map { "'\($0.rawValue)'" }
    .joined(separator: ", ")
  private static let window = """
    'window ' || w.window_index || ' of ' || n.endpoint || ' in ' || k.call_id
    """
  private static let joined = """
    windows AS w JOIN endpoints AS n USING (endpoint_key) JOIN calls AS k USING (call_key)
    """

  /// Scores are consistent.
  static let windows: [CheckRule] = [
    CheckRule(
      words: "points lost add up to 100 - score",
      sql:
        "SELECT \(window) FROM \(joined) WHERE w.score IS NOT NULL AND (\(sumOfPoints)) IS NOT 100 - w.score"),
    CheckRule(
      words: "a score lies between 0 and 100, and what is not scored has none",
      sql: """
        SELECT \(window) FROM \(joined) WHERE w.score NOT BETWEEN 0 AND 100
          OR w.state IN ('silent', 'unscored') AND coalesce(w.score, \(sumOfPoints.replacing(" + ", with: ", "))) IS NOT NULL
          OR w.state = 'stalled' AND (w.score <> 0 OR (\(stallPoints)) <> 100)
        """),
    CheckRule(
      // Counted from the first remote media; the time before the first observed media has no windows, and neither has a
      // day or more without media (clocks that jump by years).
      words: "windows follow each other without gap or overlap, five seconds each but the last",
      sql: """
        SELECT \(window) FROM (
          SELECT *, window_index - first_value(window_index) OVER s AS number, row_number() OVER s - 1 AS place,
            first_value(start_ms) OVER s AS origin, lead(end_ms) OVER s AS after
          FROM windows WINDOW s AS (PARTITION BY endpoint_key, model, source ORDER BY window_index)
        ) AS w JOIN endpoints AS n USING (endpoint_key) JOIN calls AS k USING (call_key)
        WHERE w.number <> w.place AND w.number < \(Window.maxEmpty) OR w.end_ms <= w.start_ms
          OR abs(w.start_ms - w.origin - \(Window.lengthMs) * w.number) > 0.01
          OR w.end_ms - w.start_ms > \(Window.lengthMs) + 0.01
          OR w.after IS NOT NULL AND w.end_ms - w.start_ms < \(Window.lengthMs) - 0.01
        """),
    CheckRule(
      words: "shares lie between 0 and 1",
      sql: """
        SELECT \(window) FROM \(joined)
        WHERE w.loss_share NOT BETWEEN 0 AND 1 OR w.concealed_share NOT BETWEEN 0 AND 1
          OR w.freeze_share NOT BETWEEN 0 AND 1 OR w.confidence NOT BETWEEN 0 AND 1
        """),
  ]

  /// The row of a call follows from its windows and phases.
  static let calls: [CheckRule] = [
    CheckRule(
      words: "a call's scores are those of its worse end",
      sql: """
        SELECT k.call_id || ': mean ' || coalesce(round(k.score_mean, 3), 'unknown') || ', by its windows '
          || coalesce(round(m.mean, 3), 'none')
        FROM calls AS k LEFT JOIN (
          SELECT call_key, min(mean) AS mean FROM (SELECT call_key, avg(score) AS mean FROM scored_windows
            GROUP BY call_key, endpoint) GROUP BY call_key) AS m USING (call_key)
        WHERE NOT k.stale AND ((k.score_mean IS NULL) + (m.mean IS NULL) = 1 OR abs(k.score_mean - m.mean) > 1e-6)
          -- An end of which more is unknown than known leaves the call without a score; what is heard of a call that nobody
          -- answered has none.
          AND NOT (k.score_mean IS NULL AND k.outcome IN (\(withoutTalk)))
          AND NOT (k.score_mean IS NULL AND EXISTS (
            SELECT 1 FROM endpoints AS n JOIN windows AS w USING (endpoint_key)
            WHERE n.call_key = k.call_key AND w.chosen AND w.model = k.model
            GROUP BY n.endpoint_key HAVING sum(w.state = 'unscored') > count(w.score)))
        """),
    CheckRule(
      words: "a call's points lost add up to 100 - its mean score",
      sql: """
        SELECT k.call_id FROM calls AS k
        WHERE NOT k.stale AND abs(\(sumOfCallPoints) - (100 - k.score_mean)) > 1e-6
        """),
    CheckRule(
      // Early media does not count towards a call's duration.
      words: "a call lasts as long as its sound and picture do",
      sql: """
        SELECT k.call_id || ', ' || n.endpoint || ': heard for ' || round((w.until - w.since) / 1000)
          || ' s, lasted ' || round(k.duration_ms / 1000) || ' s'
        FROM (SELECT endpoint_key, min(start_ms) AS since, max(end_ms) AS until FROM windows
            WHERE chosen AND state = 'active' GROUP BY endpoint_key) AS w
          JOIN endpoints AS n USING (endpoint_key) JOIN calls AS k USING (call_key)
        WHERE NOT k.stale AND w.until - w.since > k.duration_ms + 10000
          AND w.until - coalesce((SELECT min(e.t_ms) FROM events AS e JOIN source_views AS c USING (connection_key)
            WHERE c.endpoint_key = w.endpoint_key AND e.event = 'call.established'), w.since) > k.duration_ms + 10000
        """),
    CheckRule(
      words: "setup without ringing takes no longer than with it",
      sql: """
        SELECT k.call_id || ', ' || n.endpoint FROM setups AS a JOIN endpoints AS n USING (endpoint_key)
          JOIN calls AS k USING (call_key)
        WHERE a.setup_ms > a.setup_wall_ms + 0.01 OR a.setup_ms < 0
        """),
    CheckRule(
      words: "phases last no negative time",
      sql: """
        SELECT k.call_id || ', ' || n.endpoint || ': ' || p.phase FROM phases AS p
          JOIN endpoints AS n USING (endpoint_key) JOIN calls AS k USING (call_key) WHERE p.duration_ms < 0
        """),
    CheckRule(
      words: "a call rests on a source, or was announced by its run",
      sql: """
        SELECT k.call_id FROM calls AS k WHERE NOT k.expected
          AND NOT EXISTS (SELECT 1 FROM source_views AS c WHERE c.call_key = k.call_key)
        """),
    CheckRule(
      words: "a missing call has no sources, and a call with sources is not missing",
      sql: """
        SELECT k.call_id FROM calls AS k WHERE NOT k.stale
          AND (k.outcome = 'missing') = EXISTS (SELECT 1 FROM source_views AS c WHERE c.call_key = k.call_key)
          AND (k.outcome = 'missing' OR k.expected)
        """),
  ]
}
