extension Listing {
  /// A row a file that was met; a scope narrows it to those with a part in its calls.
  public static let sources = Listing(
    "sources", order: "s.source_id",
    """
    SELECT s.path, s.sha256, s.format, s.bytes, s.status, s.run_id AS run, s.imported_ms, s.first_ms, s.last_ms, s.skew_ms,
      (SELECT json_group_array(call_id) FROM (SELECT DISTINCT k.call_id FROM connections AS c JOIN calls AS k USING (call_key)
        WHERE c.source_id = s.source_id ORDER BY k.call_id)) AS "calls[]",
      s.streams,
      (SELECT count(*) FROM connections AS c JOIN streams AS t USING (connection_key)
        WHERE c.source_id = s.source_id AND t.chosen) AS chosen_streams,
      s.samples, s.events, s.packets, s.rejected,
      (SELECT json_group_array(CASE WHEN count > 1 THEN note || ' (' || count || ' times)' ELSE note END)
        FROM (SELECT note, count FROM notes AS n WHERE n.source_id = s.source_id ORDER BY note)) AS "notes[]",
      s.reason, s.reason_code, s.byte, s.line, s.labels AS "labels{}"
    FROM sources AS s WHERE {sources}
    """)

  /// A row a refusal.
  public static let rejects = Listing(
    "rejects", order: "s.source_id, r.reject_index",
    """
    SELECT s.path AS source, r.line, r.frame, r.byte, r.reason, r.count, r.excerpt
    FROM rejects AS r JOIN sources AS s USING (source_id) WHERE {sources}
    """)
}
