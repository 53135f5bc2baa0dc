/// Views for SQL analysis: each row has its call and end, only the source that judges the end is included, so that
/// there are no duplicates, and each name has one meaning: `direction` is that of a stream, `call_direction` that of a
/// call.
enum AnalystViews {
  static let all: [(name: String, sql: String)] = [
    ("call_streams", streams), ("call_windows", windows), ("call_samples", samples), ("call_events", events),
  ]

  /// Columns that identify the call and the end in each of the views.
  private static let names = """
    k.call_id, k.run_id AS run, k.sdk, k.scenario, n.endpoint, n.direction AS call_direction
    """

  private static let lost = SQLWords.atLeastZero("s.lost")

  private static let streams = """
    CREATE VIEW call_streams AS         -- the streams that judge a call, a row each, with the figures of their whole life
    SELECT \(names), s.direction, s.kind, s.codec, s.screen, s.first_ms, s.last_ms,
           s.last_ms - s.first_ms AS duration_ms, s.packets, s.bytes, s.lost,
           coalesce(round(\(lost) * 1.0
             / nullif(coalesce(s.expected, s.packets + CASE s.direction WHEN 'inbound' THEN \(lost) ELSE 0 END), 0), 6),
             s.loss_share_mean) AS loss_share, s.jitter_mean_ms, s.jitter_max_ms, s.rtt_ms, s.bitrate_mean_bps, s.concealed_share,
           s.freeze_count, s.freeze_ms, s.frame_rate_mean, s.width, s.height, s.nack, s.pli, s.fir,
           s.implementation, s.ssrc, s.mid, s.rid, s.encoding_index, s.scalability_mode, s.source, k.call_key, s.stream_key
    FROM calls AS k JOIN source_views AS c USING (call_key) JOIN streams AS s USING (connection_key)
      LEFT JOIN endpoints AS n ON n.endpoint_key = s.endpoint_key
    WHERE s.chosen
    """

  private static let windows = """
    CREATE VIEW call_windows AS         -- the score every 5 s, a row a window and end, as the call's own score counts them
    SELECT \(names), w.window_index, w.start_ms, w.end_ms, w.state, w.score, w.audio_cq, w.audio_lq, w.video, w.lost_loss,
           w.lost_jitter, w.lost_delay, w.lost_freeze, w.lost_framerate, w.lost_resolution, w.lost_bitrate, w.lost_coding, w.lost_silence,
           w.lost_playout, w.loss_share,
           w.concealed_share, w.delay_ms, w.rtt_ms, w.freeze_share, w.frame_rate, w.height, w.bitrate_bps, w.mouth_to_ear_ms,
           w.glass_to_glass_ms, w.audio_minus_video_ms, w.delay_source, w.frame_quality, w.client_score,
           w.confidence, w.changed, w.model, w.source, k.call_key
    FROM calls AS k JOIN endpoints AS n USING (call_key) JOIN windows AS w USING (endpoint_key)
    WHERE w.chosen AND (k.model IS NULL OR w.model = k.model)
    """

  private static let samples = """
    CREATE VIEW call_samples AS         -- what the judging streams reported, as growth since the sample before and as rates
    SELECT \(names), s.direction, s.kind, s.codec, r.*, k.call_key
    FROM calls AS k JOIN source_views AS c USING (call_key) JOIN streams AS s USING (connection_key)
      JOIN sample_rates AS r USING (stream_key) LEFT JOIN endpoints AS n ON n.endpoint_key = s.endpoint_key
    WHERE s.chosen
    """

  private static let events = """
    CREATE VIEW call_events AS          -- what happened in a call, in words of docs/event-logs.md, with file and line
    SELECT \(names), e.t_ms, e.until_ms, e.event, e.raw, e.args, s.path AS source, e.line, e.anomaly, k.call_key
    FROM calls AS k JOIN source_views AS c USING (call_key) JOIN events AS e USING (connection_key)
      JOIN sources AS s USING (source_id) LEFT JOIN endpoints AS n ON n.endpoint_key = c.endpoint_key
    """
}
