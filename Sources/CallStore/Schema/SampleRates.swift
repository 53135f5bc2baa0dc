import CallModel

/// The view that turns counters into what happened between two samples.
enum SampleRates {
  /// Counters whose growth people ask for. A counter that fell was reset and counts from zero again; `lost` may fall by
  /// itself (RFC 3550), so it counts as reset only where the packets were.
  private static let grown: [Metric] = [
    .packets, .bytes, .lost, .discarded, .rtxPackets, .fecPackets, .nack, .pli, .totalSamples,
    .concealedSamples,
    .silentConcealedSamples, .frames, .framesDropped, .freezeCount, .freezeMs, .pauseMs, .jitterBufferDelayMs,
    .jitterBufferEmitted,
  ]

  static var view: String {
    let before = grown.map { "lag(\($0.info.column)) OVER w AS \($0.info.column)_before" }
    let deltas = grown.map { metric in
      let name = metric.info.column
      let reset = metric == .lost ? "packets < packets_before" : "\(name) < \(name)_before"
      return "\(name) - CASE WHEN \(reset) THEN 0 ELSE \(name)_before END AS \(name)"
    }
    return """
      CREATE VIEW sample_rates AS         -- what happened since the stream's sample before: deltas, aware of resets
      SELECT stream_key, t_ms, interval_ms, \(deltas.joined(separator: ",\n         ")),
             bytes_grown * 8000.0 / interval_ms AS bitrate_bps,
             frames_grown * 1000.0 / interval_ms AS frame_rate,
             max(lost_grown, 0.0) / nullif(max(lost_grown, 0.0) + packets_grown, 0) AS loss_share,
             concealed_grown * 1.0 / nullif(samples_grown, 0) AS concealed_share,
             jitter_ms, rtt_ms, width, height, target_bps, limited_by
      FROM (
        SELECT *,
               bytes - CASE WHEN bytes < bytes_before THEN 0 ELSE bytes_before END AS bytes_grown,
               packets - CASE WHEN packets < packets_before THEN 0 ELSE packets_before END AS packets_grown,
               lost - CASE WHEN packets < packets_before THEN 0 ELSE lost_before END AS lost_grown,
               frames - CASE WHEN frames < frames_before THEN 0 ELSE frames_before END AS frames_grown,
               concealed_samples - CASE WHEN concealed_samples < concealed_samples_before THEN 0
                 ELSE concealed_samples_before END AS concealed_grown,
               total_samples - CASE WHEN total_samples < total_samples_before THEN 0
                 ELSE total_samples_before END AS samples_grown
        FROM (
          SELECT *, t_ms - lag(t_ms) OVER w AS interval_ms,
                 \(before.joined(separator: ",\n                 "))
          FROM samples WINDOW w AS (PARTITION BY stream_key ORDER BY t_ms)
        )
      )
      WHERE interval_ms > 0
      """
  }
}
