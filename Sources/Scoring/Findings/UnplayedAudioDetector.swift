import CallModel

/// Sound that arrives and is never played out: no element plays it, the browser does not let it, or it cannot be decoded.
///
/// Of a call in which anything was ever played it finds nothing: sound may wait until somebody wants to hear it.
struct UnplayedAudioDetector {
  /// Sound that waits for so long is not heard, ms.
  static let unplayedMs = 10_000.0

  private var waiting: (start: Double, end: Double)?
  /// Whether any sound was played, or may have been, as nobody counted it.
  private var mayBePlayed = false
  /// Whether it was taken out of the jitter buffer, and nothing became of it.
  private var wasTaken = false

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard !mayBePlayed, role.kind == .audio, role.direction != .outbound,
      sample[.packets] ?? 0 > earlier[.packets] ?? 0
    else { return }
    guard Self.isUnplayed(sample) else {
      mayBePlayed = true
      return
    }
    wasTaken = wasTaken || sample[.jitterBufferEmitted] ?? 0 > 0
    waiting = (
      min(waiting?.start ?? earlier.timeMs, earlier.timeMs), max(waiting?.end ?? sample.timeMs, sample.timeMs)
    )
  }

  /// Whether a stream is known to have had nothing played out of it.
  static func isUnplayed(_ sample: SampleView) -> Bool {
    // Time passes for sound that cannot be decoded, and it leaves the buffer; of its samples there are none.
    if let samples = sample[.totalSamples] { return samples == 0 }
    return sample[.totalSamplesDurationMs] == 0 && sample[.jitterBufferEmitted] ?? 0 == 0
  }

  func findings(_ context: FindingContext) -> [Finding] {
    guard !mayBePlayed, let waiting, waiting.end - waiting.start >= Self.unplayedMs,
      !context.quietTimes.hasMost(of: waiting)
    else { return [] }
    let length = waiting.end - waiting.start
    return [
      Finding(
        "one-way-audio", .error, from: waiting.start, to: waiting.end,
        Evidence().with("not_played_ms", length).with("threshold_ms", Self.unplayedMs),
        "Packets of sound arrive for \(seconds(length)), and none of it was ever played out: "
          + (wasTaken
            ? "it could not be decoded (another codec, or a key that this end does not have)."
            : "nothing in the page plays it, or it may not.")
      )
    ]
  }
}
