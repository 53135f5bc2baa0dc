import CallModel

/// Periods in which a capture on an end's own machine has no packet of a medium that this end sent. A capture soon
/// stops sampling a silent stream, so pauses are derived from the packets before and after them.
struct CapturedPauses {
  /// Interval between samples of a capture, ms.
  private static let sampledMs = 1000.0

  private struct Medium {
    var lastMs: Double?
    var spans: [(start: Double, end: Double)] = []

    mutating func pause(until timeMs: Double) {
      guard let last = lastMs, timeMs - last >= OneWayAudioDetector.missingMs,
        spans.count < Hysteresis.maxKept
      else {
        return
      }
      spans.append((last, timeMs))
    }
  }

  private var sound = Medium()
  private var picture = Medium()
  private var latestMs = -Double.infinity

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    latestMs = max(latestMs, sample.timeMs)
    guard role.direction == .outbound, let kind = role.kind, let before = earlier[.packets],
      let now = sample[.packets]
    else { return }
    var medium = kind == .audio ? sound : picture
    if now > before {
      medium.pause(until: max(earlier.timeMs, sample.timeMs - Self.sampledMs))
      let last = sample.lastPacketTime(after: earlier.timeMs) ?? sample.timeMs
      medium.lastMs = max(medium.lastMs ?? last, last)
    } else if medium.lastMs == nil, before > 0 {
      medium.lastMs = earlier.timeMs
    }
    if kind == .audio { sound = medium } else { picture = medium }
  }

  /// Closes open pauses at the end of the recording.
  mutating func finish() {
    sound.pause(until: latestMs)
    picture.pause(until: latestMs)
  }

  /// Periods without a packet of the given medium.
  func spans(_ kind: MediaKind) -> [(start: Double, end: Double)] {
    kind == .audio ? sound.spans : picture.spans
  }
}
