import CallModel

/// Times in which an end sent no packet of a medium, by its own statistics.
struct SentWatch {
  private var sound = LevelWatch(lastingMs: SoundWatch.missingMs)
  private var picture = LevelWatch(lastingMs: SoundWatch.missingMs)

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.direction == .outbound, role.source == .stats, let kind = role.kind,
      let before = earlier[.packets], let now = sample[.packets]
    else { return }
    let level = now > before ? 1.0 : 0
    switch kind {
    case .audio: sound.observe(level, comes: true, from: earlier.timeMs, to: sample.timeMs)
    case .video: picture.observe(level, comes: true, from: earlier.timeMs, to: sample.timeMs)
    }
  }

  mutating func finish() {
    sound.finish()
    picture.finish()
  }

  /// The times without a packet.
  func spans(_ kind: MediaKind) -> [(start: Double, end: Double)] {
    kind == .audio ? sound.spans : picture.spans
  }
}
