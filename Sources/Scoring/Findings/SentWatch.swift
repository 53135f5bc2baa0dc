import CallModel

/// Times in which an end sent no packet of a medium, by its own statistics or a capture on its machine.
struct SentWatch {
  private var sound = LevelWatch(lastingMs: SoundWatch.missingMs)
  private var picture = LevelWatch(lastingMs: SoundWatch.missingMs)
  private var captured = CapturedPauses()

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    if role.source == .capture { return captured.see(sample, after: earlier, role) }
    guard role.direction == .outbound, let kind = role.kind,
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
    captured.finish()
  }

  /// The times without a packet.
  func spans(_ kind: MediaKind) -> [(start: Double, end: Double)] {
    (kind == .audio ? sound.spans : picture.spans) + captured.spans(kind)
  }
}
