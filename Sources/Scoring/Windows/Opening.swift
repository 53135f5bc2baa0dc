import CallModel

extension Segment {
  /// The time from the first packet of a sound to its first report.
  ///
  /// Until the jitter buffer has settled it conceals, stretches and drops whatever the network does: start-up. What lost
  /// packets explain is none, so it counts however late the first report comes.
  init(opening sample: SampleView, from start: Double) {
    var nothing = Sample(timeMs: start)
    self = nothing.look { Segment(from: $0, to: sample) }
    growth = Tally(sinceZero: sample)
    for metric: Metric in [
      .late, .insertedSamples, .removedSamples, .decodingNormal, .decodingPlc, .decodingCng, .decodingPlcCng,
    ] { growth[metric] = nil }
    // Playout may have begun long before there was anything to play.
    let span = to - from
    let played = max(span, sample[.totalSamplesDurationMs] ?? span)
    guard played > 0, let total = growth[.totalSamples] else { return }
    growth[.totalSamples] = total * span / played
    power = sample[.totalAudioEnergy].map { max(0, $0) / (span / 1000) }
    let concealed = min(growth[.concealedSamples] ?? 0, growth.missingMs(packetMs: packetMs) * total / played)
    growth[.concealedSamples] = growth[.concealedSamples].map { _ in concealed }
    growth[.silentConcealedSamples] = growth[.silentConcealedSamples].map { min($0, concealed) }
  }
}
