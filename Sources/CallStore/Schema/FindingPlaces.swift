/// Where findings rest, so that a claim can be taken to the file: the lines of the events that gave rise to them, and the reports
/// or packets between which they were found.
enum FindingPlaces {
  /// The events that a rule looks at, by the code of its findings.
  private static let events: [(code: String, events: [String])] = [
    ("ice-never-connected", ["ice.checking", "ice.failed", "call.ended", "call.failed"]),
    (
      "answer-not-received", ["ice.checking", "ice.failed", "call.ended", "call.failed", "sdp.offer-created"]
    ),
    ("dtls-never-connected", ["ice.connected", "dtls.started", "dtls.failed", "call.ended", "call.failed"]),
    ("no-candidates", ["ice.gathering-started", "ice.gathering-complete", "ice.candidates-end"]),
    ("turn-failed", ["ice.candidate-error"]), ("dtls-retransmit", ["dtls.retransmitted"]),
    (
      "dropped-mid-call",
      ["ice.disconnected", "ice.failed", "dtls.failed", "network.lost", "call.ended", "call.failed"]
    ),
    ("no-media", ["ice.connected", "dtls.connected"]),
    ("late-media", ["ice.connected", "dtls.connected"]),
    ("network-changed", ["ice.pair-changed", "network.changed", "network.type-changed"]),
  ]

  static let view = """
    CREATE VIEW finding_places AS       -- where findings rest: a row an event (with its line), or a source's reports from t_ms to until_ms
    \(rows())
    """

  /// The places of a finding of the query around; looked up by its key, which a view would not be.
  static func rows(ofFinding key: String) -> String { rows("AND g.finding_key = \(key)") }

  /// Events stand at the beginning or the end of what they gave rise to, or where its evidence says that it broke.
  private static func rows(_ condition: String = "") -> String {
    let pairs = events.flatMap { rule in rule.events.map { "('\(rule.code)', '\($0)')" } }
    return """
      SELECT g.finding_key, g.call_key, s.path AS source, e.line, e.event, e.t_ms, e.until_ms
      FROM findings AS g JOIN connections AS c ON c.call_key = g.call_key
          AND (g.endpoint_key IS NULL OR c.endpoint_key = g.endpoint_key)
        JOIN events AS e USING (connection_key) JOIN sources AS s USING (source_id)
      WHERE (g.code, e.event) IN (VALUES \(pairs.joined(separator: ", ")))
        AND e.t_ms IN (g.start_ms, g.end_ms, json_extract(g.evidence, '$.broken_ms')) \(condition)
      UNION ALL
      SELECT g.finding_key, g.call_key, s.path, NULL, NULL, max(g.start_ms, min(t.first_ms)), min(g.end_ms, max(t.last_ms))
      FROM findings AS g JOIN streams AS t ON t.endpoint_key = g.endpoint_key AND t.chosen
          AND t.first_ms <= g.end_ms AND t.last_ms >= g.start_ms
        JOIN connections AS c USING (connection_key) JOIN sources AS s USING (source_id)
      WHERE 1 \(condition)
      GROUP BY g.finding_key, g.call_key, s.source_id
      """
  }
}
