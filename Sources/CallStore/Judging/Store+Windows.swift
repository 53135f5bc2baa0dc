import CallModel
import SQLite

extension Store {
  /// The windows of an end scored by a model, or by any, in order of time, with the kind of their source and whether
  /// that judges the end.
  public func windows(ofEndpoint endpoint: Int64, model: String?) throws -> [StoredWindow] {
    let lost = Cause.allCases.map { "lost_\($0.rawValue)" }.joined(separator: ", ")
    return try exclusive {
      try connection.rows(
        """
        SELECT source, window_index, start_ms, end_ms, state, score, audio_cq, audio_lq, video, client_score, confidence,
          changed, loss_share, concealed_share, delay_ms, rtt_ms, freeze_share, frame_rate, height, bitrate_bps,
          mouth_to_ear_ms, glass_to_glass_ms, audio_minus_video_ms, delay_source, frame_quality, chosen, \(lost)
        FROM windows WHERE endpoint_key = ?1 AND (?2 IS NULL OR model = ?2) ORDER BY start_ms, window_index
        """, endpoint, model
      ) { row in
        (StreamSource(rawValue: row.text(0)) ?? .stats, row.int64(25) != 0, Self.window(row))
      }
    }
  }

  /// A window as stored.
  public typealias StoredWindow = (source: StreamSource, isChosen: Bool, window: Window)

  private static func window(_ row: Statement) -> Window {
    var window = Window(
      index: Int(row.int64(1)), startMs: row.optionalDouble(2) ?? 0, endMs: row.optionalDouble(3) ?? 0,
      state: WindowState(rawValue: row.text(4)) ?? .unscored)
    window.score = row.optionalInt(5)
    window.audioCQ = row.optionalDouble(6)
    window.audioLQ = row.optionalDouble(7)
    window.video = row.optionalDouble(8)
    window.clientScore = row.optionalDouble(9)
    window.confidence = row.optionalDouble(10)
    window.changed = row.int64(11) != 0
    window.inputs.lossShare = row.optionalDouble(12)
    window.inputs.concealedShare = row.optionalDouble(13)
    window.inputs.delayMs = row.optionalDouble(14)
    window.inputs.rttMs = row.optionalDouble(15)
    window.inputs.freezeShare = row.optionalDouble(16)
    window.inputs.frameRate = row.optionalDouble(17)
    window.inputs.height = row.optionalDouble(18)
    window.inputs.bitrateBps = row.optionalDouble(19)
    window.inputs.mouthToEarMs = row.optionalDouble(20)
    window.inputs.glassToGlassMs = row.optionalDouble(21)
    window.inputs.audioMinusVideoMs = row.optionalDouble(22)
    window.inputs.delaySource = row.isNull(23) ? nil : DelaySource(rawValue: row.text(23))
    window.inputs.frameQuality = row.optionalDouble(24)
    if !row.isNull(26) {
      var points = ByCause<Int>()
      for (place, cause) in Cause.allCases.enumerated() { points[cause] = Int(row.int64(Int32(26 + place))) }
      window.pointsLost = points
    }
    return window
  }
}
