import CallModel

/// A rule of the schema that SQL can look at: the rows of the statement break it, their first column says how.
struct CheckRule: Sendable {
  let words: String
  let sql: String

  /// Rules of what came in, and of what was concluded.
  static let all: [CheckRule] = sources + windows + calls
}

extension CheckRule {
  /// What sources say they brought is here.
  static let sources: [CheckRule] = [
    CheckRule(
      words: "a source counts the rows it brought",
      sql: """
        SELECT path || ': ' || what || ' ' || counted || ', here ' || here FROM (
          SELECT s.path, 'streams' AS what, s.streams AS counted, (SELECT count(*) FROM connections AS c
            JOIN streams USING (connection_key) WHERE c.source_id = s.source_id) AS here FROM sources AS s
          UNION ALL
          SELECT s.path, 'events', s.events, (SELECT count(*) FROM connections AS c JOIN events USING (connection_key)
            WHERE c.source_id = s.source_id) FROM sources AS s
          UNION ALL
          SELECT s.path, 'samples', s.samples, (SELECT count(*) FROM connections AS c JOIN streams AS t USING (connection_key)
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
          AND EXISTS (SELECT 1 FROM connections AS c WHERE c.source_id = sources.source_id)
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
        SELECT 'stream ' || s.stream_key FROM streams AS s JOIN connections AS c USING (connection_key)
        WHERE s.endpoint_key IS NOT c.endpoint_key
        """),
    CheckRule(
      words: "an end belongs to the call of its connections",
      sql: """
        SELECT 'connection ' || c.connection_key FROM connections AS c JOIN endpoints AS n USING (endpoint_key)
        WHERE n.call_key IS NOT c.call_key
        """),
    CheckRule(
      words: "arguments, labels and evidence are JSON",
      sql: """
        SELECT 'event ' || event_key FROM events WHERE NOT json_valid(args)
        UNION ALL SELECT 'finding ' || finding_key FROM findings WHERE NOT json_valid(evidence)
        UNION ALL SELECT 'call ' || call_id FROM calls WHERE NOT json_valid(labels)
        UNION ALL SELECT 'run ' || run_id FROM runs WHERE NOT json_valid(labels)
        """),
  ]
}
