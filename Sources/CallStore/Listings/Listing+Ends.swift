/// Who took part in a call, inside `call` and `show`.
extension Listing {
  /// One row per end, the worst first, with what each source says of its connections.
  public static let ends = Listing(
    "ends", order: "e.verdict IS NULL, e.score_mean IS NULL, e.score_mean, e.\"end\"",
    """
    SELECT e."end", e.name, e.verdict, e.verdict_medium, e.verdict_cause, e.score_mean, e.on_record AS "on_record?",
      (SELECT json_group_array(json(connection)) FROM (
         SELECT json_object('name', v.name, 'from_ms', \(milliseconds("v.first_ms")), 'to_ms', \(milliseconds("v.last_ms")),
           'source', s.path) AS connection
         FROM source_views AS v JOIN sources AS s USING (source_id) WHERE v.endpoint_key = e.endpoint_key
         ORDER BY v.first_ms, v.name, s.path)) AS "connections[]"
    FROM calls AS k JOIN ends AS e USING (call_key) WHERE {scope}
    """)

  /// One row per stream that an end received.
  public static let hears = Listing(
    "hears", order: "h.to_end, h.medium, h.from_end IS NULL, h.from_end, h.stream",
    """
    SELECT h.from_end AS "from", h.to_end AS "to", h.medium, h.stream, h.verdict, h.score
    FROM calls AS k JOIN hears AS h USING (call_key) WHERE {scope}
    """)

  /// A time as a JSON number, with the decimals of the lists.
  static func milliseconds(_ column: String) -> String {
    "CASE WHEN \(column) IS NOT NULL THEN json(printf('%.3f', \(column))) END"
  }
}
