import CallModel

/// The layers under a call's verdict.
extension Listing {
  /// A row a stream and source.
  public static let streams = Listing(
    "streams",
    order:
      "k.started_ms, k.call_id, k.call_key, n.endpoint, c.name, s.source, s.direction, s.kind, s.ssrc, s.stream_key",
    """
    SELECT k.call_id, n.endpoint, c.name AS pc, s.source, s.chosen AS "chosen?", s.direction, s.kind, s.ssrc, s.mid, s.codec,
      s.clock_rate, s.clock_rate_guessed AS "clock_rate_guessed?", s.payload_type, s.first_ms, s.last_ms, s.packets,
      s.bytes, s.expected, s.lost,
      round(max(s.lost, 0) * 1.0
        / nullif(coalesce(s.expected, s.packets + CASE s.direction WHEN 'inbound' THEN max(s.lost, 0) ELSE 0 END), 0), 6)
        AS loss_share, s.duplicates, s.reordered, s.late, s.restarts, s.fec, s.rtx, s.probes,
      s.capture_duplicates, s.jitter_mean_ms, s.jitter_max_ms, s.max_delta_ms, s.wireshark_packets, s.wireshark_lost,
      s.wireshark_jitter_mean_ms, s.wireshark_jitter_max_ms, s.rtt_ms, s.bitrate_mean_bps, s.concealed_samples,
      s.silent_concealed_samples, s.total_samples, s.concealed_share, s.freeze_count, s.freeze_ms, s.pause_count,
      s.pause_ms, s.frame_rate_mean, s.width, s.height, s.nack, s.pli, s.fir, s.local, s.remote, s.rtx_ssrc, s.rid, s.fmtp,
      s.frame_jitter_mean_ms, s.burst_density, s.gap_density, s.burst_ms, s.gap_ms, s.screen AS "screen?",
      s.implementation, s.extra AS "extra{}"
    FROM calls AS k JOIN connections AS c USING (call_key) JOIN streams AS s USING (connection_key)
      LEFT JOIN endpoints AS n ON n.endpoint_key = c.endpoint_key
    WHERE {scope}
    """)

  /// A row a scored window; which windows is part of the scope.
  public static let score = Listing(
    "score", order: "k.started_ms, k.call_id, k.call_key, n.endpoint, w.model, w.source, w.window_index",
    """
    SELECT k.call_id, n.endpoint, w.source, w.window_index, w.start_ms, w.end_ms, w.state, w.score, w.audio_cq, w.audio_lq,
      w.video, \(points("w")), w.loss_share AS "inputs.loss_share", w.concealed_share AS "inputs.concealed_share",
      w.delay_ms AS "inputs.delay_ms", w.rtt_ms AS "inputs.rtt_ms", w.freeze_share AS "inputs.freeze_share",
      w.frame_rate AS "inputs.frame_rate", w.height AS "inputs.height", w.bitrate_bps AS "inputs.bitrate_bps",
      w.client_score, w.confidence, w.changed AS "changed?", w.model
    FROM calls AS k JOIN endpoints AS n USING (call_key) JOIN windows AS w USING (endpoint_key)
    WHERE {windows} AND {scope}
    """)

  /// A row an end and attempt, with its phases.
  public static let setup = Listing(
    "setup", order: "k.started_ms, k.call_id, k.call_key, n.endpoint, a.attempt",
    """
    SELECT k.call_id, n.endpoint, a.attempt, a.direction, a.outcome, a.setup_ms, a.setup_wall_ms, a.post_dial_delay_ms,
      a.start_ms, a.from_event,
      (SELECT json_group_array(json(phase)) FROM (
         SELECT json_object('phase', phase, 'state', state,
           'start_ms', CASE WHEN start_ms IS NOT NULL THEN json(printf('%.3f', start_ms)) END,
           'duration_ms', CASE WHEN duration_ms IS NOT NULL THEN json(printf('%.3f', duration_ms)) END,
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
