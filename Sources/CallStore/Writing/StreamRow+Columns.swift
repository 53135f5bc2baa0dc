import CallModel

extension StreamRow {
  /// First and last instant of the stream.
  var span: Span {
    var span = tally.span
    span.add(totals?.firstMs)
    span.add(totals?.lastMs)
    return span
  }

  /// The row of table `streams`. What a capture counted over the whole stream goes before the last of its samples.
  func columns(key: Int64, part: Int64) -> [(String, any CellConvertible)] {
    facts(key: key, part: part) + packets + quality
  }

  private func facts(key: Int64, part: Int64) -> [(String, any CellConvertible)] {
    [
      ("stream_key", key), ("connection_key", part), ("source", facts.source.rawValue),
      ("direction", facts.direction.rawValue), ("kind", facts.kind?.rawValue), ("ssrc", facts.ssrc),
      ("rtx_ssrc", facts.rtxSsrc), ("mid", facts.mid), ("rid", facts.rid), ("codec", facts.codec),
      ("fmtp", facts.fmtp),
      ("payload_type", facts.payloadType), ("clock_rate", facts.clockRate),
      ("clock_rate_guessed", facts.clockRateGuessed), ("channels", facts.channels), ("screen", facts.screen),
      ("implementation", facts.implementation), ("local", facts.local), ("remote", facts.remote),
      ("first_ms", totals?.firstMs ?? tally.span.first), ("last_ms", totals?.lastMs ?? tally.span.last),
      ("samples", stored), ("metrics", Metric.list(tally.last)), ("extra", totals?.extra),
    ]
  }

  private var packets: [(String, any CellConvertible)] {
    [
      ("packets", totals?.packets ?? total(.packets)), ("bytes", totals?.bytes ?? total(.bytes)),
      ("expected", totals?.expected ?? total(.expected)), ("lost", totals?.lost ?? total(.lost)),
      ("duplicates", totals?.duplicates ?? total(.duplicates)),
      ("reordered", totals?.reordered ?? total(.reordered)),
      ("late", totals?.late ?? total(.late)), ("restarts", totals?.restarts),
      ("fec", totals?.fec ?? total(.fecPackets)),
      ("rtx", totals?.rtx ?? total(.rtxPackets)), ("probes", totals?.probes),
      ("capture_duplicates", totals?.captureDuplicates),
      ("jitter_mean_ms", totals?.jitterMeanMs ?? tally.jitterMean),
      ("jitter_max_ms", totals?.jitterMaxMs ?? tally.jitterMax),
      ("frame_jitter_mean_ms", totals?.frameJitterMeanMs),
      ("max_delta_ms", totals?.maxDeltaMs), ("wireshark_packets", totals?.wiresharkPackets),
      ("wireshark_lost", totals?.wiresharkLost), ("wireshark_jitter_mean_ms", totals?.wiresharkJitterMeanMs),
      ("wireshark_jitter_max_ms", totals?.wiresharkJitterMaxMs), ("burst_density", totals?.burstDensity),
      ("gap_density", totals?.gapDensity), ("burst_ms", totals?.burstMs), ("gap_ms", totals?.gapMs),
    ]
  }

  private var quality: [(String, any CellConvertible)] {
    [
      ("rtt_ms", totals?.rttMs ?? tally.rttMean), ("bitrate_mean_bps", bitrate),
      ("concealed_samples", total(.concealedSamples)),
      ("silent_concealed_samples", total(.silentConcealedSamples)),
      ("total_samples", total(.totalSamples)), ("concealed_share", tally.concealedShare),
      ("freeze_count", total(.freezeCount)), ("freeze_ms", tally.total(.freezeMs)),
      ("pause_count", total(.pauseCount)),
      ("pause_ms", tally.total(.pauseMs)), ("frame_rate_mean", tally.frameRateMean), ("width", last(.width)),
      ("height", last(.height)), ("nack", total(.nack)), ("pli", total(.pli)), ("fir", total(.fir)),
    ]
  }

  private var bitrate: Double? {
    guard let bytes = totals?.bytes, let first = totals?.firstMs, let end = totals?.lastMs, end > first else {
      return tally.bitrateMean
    }
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
