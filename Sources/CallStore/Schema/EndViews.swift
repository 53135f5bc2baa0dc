import CallModel

/// Views of who took part: ends, their connections, and who hears whom.
///
/// None of them groups rows: a condition on the call then selects its rows by index, however large the database.
enum EndViews {
  static let all: [(name: String, sql: String)] = [
    ("ends", ends), ("connections", connections), ("hears", hears),
  ]

  private static let ends = """
    CREATE VIEW ends AS                 -- one row an end: a person's device in a call, whatever connections it had
    SELECT k.call_id, k.run_id AS run, n.endpoint AS "end",
           (SELECT min(v.endpoint) FROM source_views AS v WHERE v.endpoint_key = n.endpoint_key
             AND v.endpoint NOT IN (\(EndName.sqlList(roleNames.sorted())))) AS name,  -- as the application gave it
           n.verdict,  -- NULL: not judged, or recorded too shortly
           n.verdict_medium, n.verdict_cause,
           (SELECT avg(w.score) FROM windows AS w WHERE w.endpoint_key = n.endpoint_key AND w.chosen
             AND (k.model IS NULL OR w.model = k.model)) AS score_mean,
           (SELECT a.setup_ms FROM setups AS a WHERE a.endpoint_key = n.endpoint_key AND a.attempt = 1) AS setup_ms,
           (SELECT a.setup_wall_ms FROM setups AS a WHERE a.endpoint_key = n.endpoint_key AND a.attempt = 1) AS setup_wall_ms,
           EXISTS (SELECT 1 FROM source_views AS v WHERE v.endpoint_key = n.endpoint_key)
             AS on_record,  -- 0: known only by what it sent to others
           n.direction, n.person, n.user_agent, n.os, n.sdk, n.sdk_version, n.network_type, n.candidate_type,
           n.relay_protocol, n.audio_codec, n.video_codec, n.call_key, n.endpoint_key
    FROM calls AS k JOIN endpoints AS n USING (call_key)
    """

  private static let connections = """
    CREATE VIEW connections AS          -- one row a connection of an end, by its name, however many sources speak of it
    SELECT k.call_id, k.run_id AS run, n.endpoint AS "end", c.name AS connection,
           (SELECT json_group_array(path) FROM (SELECT DISTINCT s.path FROM source_views AS v JOIN sources AS s USING (source_id)
             WHERE \(sameConnection) ORDER BY s.path)) AS sources,  -- JSON array of paths
           (SELECT min(v.first_ms) FROM source_views AS v WHERE \(sameConnection)) AS first_ms,
           (SELECT max(v.last_ms) FROM source_views AS v WHERE \(sameConnection)) AS last_ms,
           k.call_key, n.endpoint_key
    FROM calls AS k JOIN endpoints AS n USING (call_key) JOIN source_views AS c ON c.endpoint_key = n.endpoint_key
    WHERE NOT EXISTS (SELECT 1 FROM source_views AS v WHERE \(sameConnection) AND v.connection_key < c.connection_key)
    """

  private static let sameConnection =
    "v.endpoint_key = c.endpoint_key AND \(SQLWords.isSame("v.name", "c.name"))"

  /// With two ends, one hears the other. With more, an SSRC or a track that exactly one other end sends tells whose a
  /// stream is.
  private static let hears = """
    CREATE VIEW hears AS                -- who hears (or sees) whom: one row a stream that an end received, repairs left out
    SELECT k.call_id, k.run_id AS run,
           CASE WHEN (SELECT count(*) FROM endpoints AS o WHERE o.call_key = n.call_key) = 2
             THEN (SELECT min(o.endpoint) FROM endpoints AS o WHERE o.call_key = n.call_key AND o.endpoint_key <> n.endpoint_key)
             ELSE coalesce(\(sender("ssrc")), \(sender("track_identifier"))) END AS from_end,  -- NULL: not known
           n.endpoint AS to_end, s.kind AS medium, s.ssrc AS stream,
           CASE WHEN n.verdict_medium = s.kind AND \(isOnly) THEN n.verdict END AS verdict,  -- NULL: not judged by itself
           round(coalesce((SELECT avg(t.score) FROM streams AS t WHERE \(sameStream)), CASE WHEN \(isOnly) THEN
             (SELECT avg(CASE s.kind WHEN 'audio' THEN w.audio_cq ELSE w.video END) FROM windows AS w
               WHERE w.endpoint_key = n.endpoint_key AND w.chosen AND (k.model IS NULL OR w.model = k.model)) END), 1)
             AS score,  -- 0-100 of the medium alone; NULL: not scored by itself
           k.call_key, n.endpoint_key, s.stream_key
    FROM calls AS k JOIN endpoints AS n USING (call_key) JOIN streams AS s ON s.endpoint_key = n.endpoint_key
    WHERE \(isHeard("s"))
      AND NOT EXISTS (SELECT 1 FROM streams AS t WHERE \(sameStream) AND t.stream_key < s.stream_key)  -- a recording in several files
    """

  private static let sameStream = "\(isHeard("t")) AND t.endpoint_key = s.endpoint_key AND t.ssrc = s.ssrc"

  /// Whether it is the only stream of its medium that the end received.
  private static let isOnly = """
    NOT EXISTS (SELECT 1 FROM streams AS t WHERE \(isHeard("t")) AND t.endpoint_key = s.endpoint_key AND t.kind = s.kind
             AND t.ssrc <> s.ssrc)
    """

  private static func isHeard(_ stream: String) -> String {
    "\(stream).chosen AND \(stream).direction = 'inbound' AND \(StreamRole.sql(of: stream)) IS NULL"
  }

  /// The only other end of the call that sends a stream with the same value in a column.
  private static func sender(_ column: String) -> String {
    """
    (SELECT CASE WHEN count(DISTINCT o.endpoint_key) = 1 THEN min(o.endpoint) END
               FROM endpoints AS o JOIN streams AS t ON t.endpoint_key = o.endpoint_key
               WHERE o.call_key = n.call_key AND o.endpoint_key <> n.endpoint_key AND t.direction = 'outbound'
                 AND \(SQLWords.isSame("t.kind", "s.kind")) AND t.\(column) = s.\(column))
    """
  }
}

/// What a stream is for, beside the media themselves.
public enum StreamRole: String, Sendable {
  /// Retransmissions (RFC 4588), forward error correction, padding that probes the bandwidth.
  case rtx, fec, probe

  /// The role of a row of `streams` in SQL; NULL for media.
  public static func sql(of stream: String) -> String {
    """
    CASE WHEN \(stream).codec = 'rtx' OR \(stream).ssrc IN (SELECT r.rtx_ssrc FROM streams AS r
        WHERE r.connection_key = \(stream).connection_key AND r.direction = \(stream).direction) THEN 'rtx'
      WHEN \(stream).codec LIKE '%fec%' OR \(stream).source = 'capture' AND \(stream).extra ->> '$.role' = 'fec' THEN 'fec'
      WHEN \(stream).probes >= \(stream).packets AND \(stream).probes > 0
        OR \(stream).kind IS NULL AND \(stream).codec IS NULL AND \(stream).bitrate_mean_bps < 1000 THEN 'probe' END
    """
  }
}
