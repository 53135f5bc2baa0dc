import CallModel

/// Sound that arrives and is not played out: no element plays it, the browser does not let it, or it cannot be decoded.
///
/// What waits at the beginning and is played later is no fault: sound may wait until somebody wants to hear it.
struct UnplayedAudioDetector {
  /// Sound that waits for so long is not heard, ms.
  static let unplayedMs = 10_000.0
  /// Of what cannot be decoded at least this share is made up; of what is discarded as a whole, at least this share.
  private static let wholeShare = 0.99

  /// What becomes of packets that came.
  enum Unplayed { case notPlayed, notDecoded, discarded }

  // Of all streams together: while one of them is played, something is heard.
  private var unplayed = SilentLevelDetector(lastingMs: UnplayedAudioDetector.unplayedMs)
  private var undecoded = SilentLevelDetector(lastingMs: UnplayedAudioDetector.unplayedMs)
  private var discarded = SilentLevelDetector(lastingMs: UnplayedAudioDetector.unplayedMs)
  /// When any sound was first played, or may have been, as nobody counted it.
  private var playedMs: Double?

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.kind == .audio, role.direction != .outbound, role.source == .stats,
      sample[.packets] ?? 0 > earlier[.packets] ?? 0
    else { return }
    let what = Self.unplayed(sample, after: earlier)
    unplayed.observe(isSilent: what != nil, from: earlier.timeMs, to: sample.timeMs)
    undecoded.observe(isSilent: what == .notDecoded, from: earlier.timeMs, to: sample.timeMs)
    discarded.observe(isSilent: what == .discarded, from: earlier.timeMs, to: sample.timeMs)
    if what == nil { playedMs = min(playedMs ?? earlier.timeMs, earlier.timeMs) }
  }

  /// What became of packets that came between two reports of statistics, where nothing of them was played; nil where it was, or
  /// nobody counts.
  ///
  /// Nothing leaves the jitter buffer of what is thrown away before it (no key to it, an unknown payload type), and all that is
  /// played is made up. Of what leaves it and cannot be decoded there are no samples.
  static func unplayed(_ sample: SampleView, after earlier: SampleView) -> Unplayed? {
    if let came = growth(.packets, earlier, sample), came > 0,
      let discarded = growth(.discarded, earlier, sample), discarded >= wholeShare * came
    {
      return .discarded
    }
    let emitted = sample[.jitterBufferEmitted]
    guard let samples = sample[.totalSamples] else {
      return sample[.totalSamplesDurationMs] == 0 && emitted ?? 0 == 0 ? .notPlayed : nil
    }
    if samples == 0 { return emitted ?? 0 > 0 ? .notDecoded : .notPlayed }
    guard let before = earlier[.totalSamples] else { return nil }
    if samples == before { return .notPlayed }
    guard samples > before, emitted != nil, emitted == earlier[.jitterBufferEmitted],
      let madeUp = sample[.concealedSamples], let madeUpBefore = earlier[.concealedSamples]
    else { return nil }
    return madeUp - madeUpBefore >= wholeShare * (samples - before) ? .notDecoded : nil
  }

  private static func growth(_ metric: Metric, _ earlier: SampleView, _ later: SampleView) -> Double? {
    later[metric].flatMap { now in earlier[metric].map { now - $0 } }
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    unplayed.finish()
    undecoded.finish()
    discarded.finish()
    let (undecodedTimes, discardedTimes) = (SpanSet(undecoded.spans), SpanSet(discarded.spans))
    return unplayed.spans.filter { span in
      // It waited, and was played when somebody wanted to hear it.
      let waited = playedMs.map { span.start < $0 } ?? false
      return !waited && !context.quietTimes.hasMost(of: span)
    }.map { span in
      let length = span.end - span.start
      let isDecoded = undecodedTimes.covered(from: span.start, to: span.end) <= length / 2
      let isDiscarded = discardedTimes.covered(from: span.start, to: span.end) > length / 2
      let why =
        isDiscarded
        ? "all of them are discarded by the jitter buffer: they come too late, or too early."
        : !isDecoded
          ? "none of it could be decoded (another codec, or a key that this end does not have)."
          : playedMs == nil
            ? "none of it was ever played out: nothing in the page plays it, or it may not."
            : "none of it is played out any more: the device is gone or another program has it, or nothing in the page plays it."
      return Finding(
        "one-way-audio", .error, from: span.start, to: span.end,
        Evidence().with(isDecoded ? "not_played_ms" : "not_decoded_ms", length)
          .with("threshold_ms", Self.unplayedMs),
        "Packets of sound arrive for \(seconds(length)), and \(why)")
    }
  }
}
