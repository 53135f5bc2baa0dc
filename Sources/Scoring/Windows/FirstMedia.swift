import CallModel

/// When the first packet of a stream came, told from the first report that counts any.
enum FirstMedia {
  /// Time that a packet of audio stands for where the source does not say.
  static let packetMs = 20.0

  /// Milliseconds since the Unix epoch.
  ///
  /// Audio packets come at a steady pace, so the last one less the time of those before it (lost ones included) is
  /// good to about a millisecond. `totalSamplesDuration` bounds it from below: playout never starts after the first
  /// packet. Video has no pace; its first frame is the best that is known.
  ///
  /// - Parameters:
  ///   - sample: the first report with packets.
  ///   - previous: time of the report before it, which had none.
  static func time(_ sample: SampleView, kind: MediaKind, previous: Double?) -> Double {
    var bound = previous ?? -.infinity
    if let played = sample[.totalSamplesDurationMs], played >= 0 {
      bound = max(bound, sample.timeMs - played)
    }
    let last = LastPacket.first(sample, previous: previous) ?? sample.timeMs
    var guess: Double?
    switch kind {
    case .audio:
      if let packets = sample[.packets] ?? sample[.expected], packets >= 1 {
        guess = last - (packets + max(0, sample[.lost] ?? 0) - 1) * packetMs
      }
    case .video:
      if let span = sample[.interFrameDelayMs] { guess = last - span }
    }
    return min(sample.timeMs, max(bound, guess ?? (bound.isFinite ? bound : sample.timeMs)))
  }

  /// Whether a report counts media at all.
  static func has(_ sample: SampleView) -> Bool {
    for metric: Metric in [.packets, .expected] {
      if let count = sample[metric] { return count > 0 }
    }
    for metric: Metric in [.totalSamples, .frames, .framesReceived, .bytes] {
      if let count = sample[metric], count > 0 { return true }
    }
    return false
  }
}
