extension Listing {
  /// A row a login, registration, token or push; a scope narrows it to the sources with a part in its calls, or of its run.
  public static let sessions = Listing(
    "sessions", order: "t.started_ms, t.event_key",
    """
    SELECT t.kind, t.outcome, t.started_ms, t.duration_ms, t.code, t.reason, k.call_id, t.sdk, s.path AS source
    FROM sessions AS t JOIN sources AS s USING (source_id) LEFT JOIN calls AS k USING (call_key)
    WHERE {sources}
    """)
}
