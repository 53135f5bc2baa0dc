import CallModel

/// Sound that arrives and is not played out: no element plays it, the browser does not let it, or it cannot be decoded.
///
/// What waits at the beginning and is played later is no fault: sound may wait until somebody wants to hear it.
struct UnplayedAudioDetector {
  /// Sound that waits for so long is not heard, ms.
  static let unplayedMs = 10_000.0
  /// Of what cannot be decoded at least this share is made up.
  private static let madeUpShare = 0.99

  /// What becomes of packets that came.
  enum Unplayed { case notPlayed, notDecoded }

  // Of all streams together, as with levels: what is played of one of them is heard.
  private var unplayed = SilentLevelDetector(lastingMs: UnplayedAudioDetector.unplayedMs)
  /// When any sound was first played, or may have been, as nobody counted it.
  private var playedMs: Double?
  /// Whether it was taken out of the jitter buffer, and nothing became of it.
  private var wasTaken = false
  /// When packets came that could not be decoded.
  private var undecoded: (from: Double, to: Double, ms: Double)?

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.kind == .audio, role.direction != .outbound, role.source == .stats,
      sample[.packets] ?? 0 > earlier[.packets] ?? 0
    else { return }
    let what = Self.unplayed(sample, after: earlier)
    unplayed.observe(what == nil ? 1 : 0, comes: true, from: earlier.timeMs, to: sample.timeMs)
    switch what {
    case nil: playedMs = min(playedMs ?? earlier.timeMs, earlier.timeMs)
    case .notPlayed: wasTaken = wasTaken || Self.isUnplayed(sample) && sample[.jitterBufferEmitted] ?? 0 > 0
    case .notDecoded:
      let before = undecoded ?? (earlier.timeMs, earlier.timeMs, 0)
      undecoded = (before.from, sample.timeMs, before.ms + sample.timeMs - earlier.timeMs)
    }
  }

  /// Whether a stream is known to have had nothing played out of it.
  static func isUnplayed(_ sample: SampleView) -> Bool {
    // Time passes for sound that cannot be decoded, and it leaves the buffer; of its samples there are none.
    if let samples = sample[.totalSamples] { return samples == 0 }
    return sample[.totalSamplesDurationMs] == 0 && sample[.jitterBufferEmitted] ?? 0 == 0
  }

  /// What became of packets that came between two reports, where nothing of them was played; nil where it was, or nobody counts.
  ///
  /// Nothing leaves the jitter buffer of what is thrown away before it (no key to it, an unknown payload type), and all that is played
  /// is made up.
  static func unplayed(_ sample: SampleView, after earlier: SampleView) -> Unplayed? {
    if isUnplayed(sample) { return .notPlayed }
    guard let samples = sample[.totalSamples], let before = earlier[.totalSamples] else { return nil }
    if samples == before { return .notPlayed }
    guard samples > before, let emitted = sample[.jitterBufferEmitted],
      emitted == earlier[.jitterBufferEmitted],
      let madeUp = sample[.concealedSamples], let madeUpBefore = earlier[.concealedSamples]
    else { return nil }
    return madeUp - madeUpBefore >= madeUpShare * (samples - before) ? .notDecoded : nil
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    unplayed.finish()
    return unplayed.spans.filter { span in
      // It waited, and was played when somebody wanted to hear it.
      let waited = playedMs.map { span.start < $0 } ?? false
      return !waited && !context.quietTimes.hasMost(of: span)
    }.map { span in
      let length = span.end - span.start
      let undecodedMs = undecoded.map { min($0.ms, min($0.to, span.end) - max($0.from, span.start)) } ?? 0
      if undecodedMs > length / 2 {
        return Finding(
          "one-way-audio", .error, from: span.start, to: span.end,
          Evidence().with("not_decoded_ms", length).with("threshold_ms", Self.unplayedMs),
          "Packets of sound arrive for \(seconds(length)), and none of it could be decoded: all that was played is made up "
            + "(a key that this end does not have, or another codec).")
      }
      return Finding(
        "one-way-audio", .error, from: span.start, to: span.end,
        Evidence().with("not_played_ms", length).with("threshold_ms", Self.unplayedMs),
        playedMs == nil
          ? "Packets of sound arrive for \(seconds(length)), and none of it was ever played out: "
            + (wasTaken
              ? "it could not be decoded (another codec, or a key that this end does not have)."
              : "nothing in the page plays it, or it may not.")
          : "Packets of sound arrive for \(seconds(length)), and playing them out had stopped: the device is gone or in another program's "
            + "hands, or nothing in the page plays them any more.")
    }
  }
}
