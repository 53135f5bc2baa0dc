import CallModel

extension Store {
  /// The windows of an end by a model, in their order, by kind of source.
  public func windows(ofEndpoint endpoint: Int64, model: String) throws -> [StreamSource: [Window]] {
    let lost = Cause.allCases.map { "lost_\($0.rawValue)" }.joined(separator: ", ")
    let rows = try exclusive {
      try connection.rows(
        """
        SELECT source, window_index, start_ms, end_ms, state, score, audio_cq, audio_lq, video, client_score, confidence,
          changed, loss_share, concealed_share, delay_ms, rtt_ms, freeze_share, frame_rate, height, bitrate_bps, \(lost)
        FROM windows WHERE endpoint_key = ? AND model = ? ORDER BY source, window_index
        """, endpoint, model
      ) { row in (StreamSource(rawValue: row.text(0)) ?? .stats, Self.window(row)) }
    }
    return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
  }

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
    if !row.isNull(20) {
      var points = ByCause<Int>()
      for (place, cause) in Cause.allCases.enumerated() { points[cause] = Int(row.int64(Int32(20 + place))) }
      window.pointsLost = points
    }
    return window
  }
}
