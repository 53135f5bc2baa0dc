import CallModel

/// A column of a row that is to be written.
struct Column {
  let name: String
  let value: Cell

  init(_ name: String, _ value: some CellConvertible) {
    self.name = name
    self.value = value.cell
  }
}

extension StreamRow {
  /// First and last instant of the stream.
  var span: Span {
    var span = tally.span
    span.add(totals?.firstMs)
    span.add(totals?.lastMs)
    return span
  }

  /// The row of table `streams`. What a capture counted over the whole stream goes before the last of its samples.
  func columns(key: Int64, part: Int64) -> [Column] {
    facts(key: key, part: part) + packets + quality
  }

  private func facts(key: Int64, part: Int64) -> [Column] {
    [
      Column("stream_key", key), Column("connection_key", part), Column("source", facts.source.rawValue),
      Column("direction", facts.direction.rawValue), Column("kind", facts.kind?.rawValue),
      Column("ssrc", facts.ssrc),
      Column("rtx_ssrc", facts.rtxSsrc), Column("mid", facts.mid), Column("rid", facts.rid),
      Column("codec", facts.codec),
      Column("fmtp", facts.fmtp),
      Column("payload_type", facts.payloadType), Column("clock_rate", facts.clockRate),
      Column("clock_rate_guessed", facts.clockRateGuessed), Column("channels", facts.channels),
      Column("screen", facts.screen),
      Column("implementation", facts.implementation), Column("local", facts.local),
      Column("remote", facts.remote),
      Column("first_ms", totals?.firstMs ?? tally.span.first),
      Column("last_ms", totals?.lastMs ?? tally.span.last),
      Column("samples", stored), Column("metrics", Metric.list(tally.last)), Column("extra", totals?.extra),
    ]
  }

  private var packets: [Column] {
    [
      Column("packets", totals?.packets ?? total(.packets)), Column("bytes", totals?.bytes ?? total(.bytes)),
      Column("expected", totals?.expected ?? total(.expected)), Column("lost", totals?.lost ?? total(.lost)),
      Column("duplicates", totals?.duplicates ?? total(.duplicates)),
      Column("reordered", totals?.reordered ?? total(.reordered)),
      Column("late", totals?.late ?? total(.late)), Column("restarts", totals?.restarts),
      Column("fec", totals?.fec ?? total(.fecPackets)),
      Column("rtx", totals?.rtx ?? total(.rtxPackets)), Column("probes", totals?.probes),
      Column("capture_duplicates", totals?.captureDuplicates),
      Column("jitter_mean_ms", totals?.jitterMeanMs ?? tally.jitterMean),
      Column("jitter_max_ms", totals?.jitterMaxMs ?? tally.jitterMax),
      Column("frame_jitter_mean_ms", totals?.frameJitterMeanMs),
      Column("max_delta_ms", totals?.maxDeltaMs), Column("wireshark_packets", totals?.wiresharkPackets),
      Column("wireshark_lost", totals?.wiresharkLost),
      Column("wireshark_jitter_mean_ms", totals?.wiresharkJitterMeanMs),
      Column("wireshark_jitter_max_ms", totals?.wiresharkJitterMaxMs),
      Column("burst_density", totals?.burstDensity),
      Column("gap_density", totals?.gapDensity), Column("burst_ms", totals?.burstMs),
      Column("gap_ms", totals?.gapMs),
    ]
  }

  private var quality: [Column] {
    [
      Column("rtt_ms", totals?.rttMs ?? tally.rttMean), Column("bitrate_mean_bps", bitrate),
      Column("concealed_samples", total(.concealedSamples)),
      Column("silent_concealed_samples", total(.silentConcealedSamples)),
      Column("total_samples", total(.totalSamples)), Column("concealed_share", tally.concealedShare),
      Column("freeze_count", total(.freezeCount)), Column("freeze_ms", tally.total(.freezeMs)),
      Column("pause_count", total(.pauseCount)),
      Column("pause_ms", tally.total(.pauseMs)), Column("frame_rate_mean", tally.frameRateMean),
      Column("width", last(.width)),
      Column("height", last(.height)), Column("nack", total(.nack)), Column("pli", total(.pli)),
      Column("fir", total(.fir)),
    ]
  }

  private static let leastRateMs = 1000.0

  private var bitrate: Double? {
    guard let bytes = totals?.bytes, let first = totals?.firstMs, let end = totals?.lastMs, end > first else {
      return tally.bitrateMean
    }
    // Within a second lies a burst, which tells nothing of a rate.
    guard end - first >= Self.leastRateMs else { return nil }
    return Double(bytes) * 8000 / (end - first)
  }

  /// What a counter came to, as a whole number.
  private func total(_ metric: Metric) -> Int? {
    tally.total(metric).flatMap { Int(exactly: $0.rounded()) }
  }

  /// The last value of a gauge, as a whole number.
  private func last(_ metric: Metric) -> Int? {
    tally.last[metric].flatMap { Int(exactly: $0.rounded()) }
  }
}
