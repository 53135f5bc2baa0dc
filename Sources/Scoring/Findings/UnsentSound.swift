import CallModel

/// Times without sound after which the numbers of a capture go on: it was not lost on the way.
struct UnsentSound {
  /// What is missing explains a silence where it could fill this share of it, in the longest packets in use, ms.
  private static let explainedShare = 0.2
  private static let longestPacketMs = 120.0
  /// What came late came all at once: more, in packets of 20 ms, than its time has room for.
  private static let burstShare = 1.2

  private(set) var spans: [QuietSpan] = []

  /// Takes a sample with new packets and the one before it; `last` is when sound had come before.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole, last: Double) {
    let length = earlier.timeMs - last
    guard role.source == .capture, role.kind == .audio, length >= SoundWatch.missingMs,
      spans.count < Spell.mostKept, let before = earlier[.lost], let lost = sample[.lost],
      let had = earlier[.packets], let packets = sample[.packets],
      max(0, lost - before) * Self.longestPacketMs <= Self.explainedShare * length,
      (packets - had) * FirstMedia.packetMs <= Self.burstShare * (sample.timeMs - earlier.timeMs)
    else { return }
    spans.append(QuietSpan(startMs: last, endMs: earlier.timeMs))
  }
}
