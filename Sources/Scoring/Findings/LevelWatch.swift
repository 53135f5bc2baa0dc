import CallModel

/// Silence in all streams of sound of one direction: it lasts while none of them can be heard.
struct LevelWatch {
  /// Mean level (1 = full scale) below which nothing is heard: -60 dBFS.
  static let silentLevel = 0.001
  /// Silence shorter than this is a pause of speech, ms.
  static let silentForMs = 15_000.0

  private var silence: Spell
  /// What the streams of one poll say together: from and to of the first of them.
  private var poll: (from: Double, to: Double, isSilent: Bool, isLoud: Bool)?
  private var loudUntilMs = -Double.infinity

  var spans: [(start: Double, end: Double)] { silence.spans }

  /// - Parameter lastingMs: how long it must last.
  init(lastingMs: Double = LevelWatch.silentForMs) { silence = Spell(onAfterMs: lastingMs, offAfterMs: 1000) }

  /// Takes the level of one stream; `comes`: whether packets carried it.
  mutating func observe(_ level: Double, comes: Bool, from: Double, to: Double) {
    if let poll, to > poll.to + Self.slack(poll.from, poll.to) { settle() }
    let (isSilent, isLoud) = (comes && level < Self.silentLevel, comes && level >= Self.silentLevel)
    let first = poll ?? (from, to, false, false)
    poll = (first.from, first.to, first.isSilent || isSilent, first.isLoud || isLoud)
  }

  mutating func finish() {
    settle()
    silence.finish()
  }

  /// Reports of one poll lie within this.
  private static func slack(_ from: Double, _ to: Double) -> Double {
    min(SoundWatch.pollMs, (to - from) / 2)
  }

  private mutating func settle() {
    guard let poll else { return }
    self.poll = nil
    // Streams that are polled by turns overlap: what was loud in one was not silence in the other.
    let wasLoud = loudUntilMs > poll.from + Self.slack(poll.from, poll.to) / 2
    silence.observe(poll.isSilent && !poll.isLoud && !wasLoud, from: poll.from, to: poll.to)
    if poll.isLoud { loudUntilMs = max(loudUntilMs, poll.to) }
  }
}
