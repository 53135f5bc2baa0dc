import CallModel

/// Sound that the receiver holds back by its own wish, longer than the network needs.
struct HeldWatch {
  /// What is held longer than needed and does not count as lip sync's usual little, ms.
  static let heldMs = 200.0

  private var held = Spell(onAfterMs: 5000, offAfterMs: 2000)
  /// The most that it was.
  private var mostMs = 0.0

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.source == .stats, role.kind == .audio, role.direction != .outbound,
      let heldMs = BufferStay(from: earlier, to: sample)?.heldMs
    else { return }
    mostMs = max(mostMs, heldMs)
    held.observe(heldMs >= Self.heldMs, from: earlier.timeMs, to: sample.timeMs)
  }

  mutating func findings() -> [Finding] {
    held.finish()
    return held.spans.map { span in
      Finding(
        "sound-held-back", .info, from: span.start, to: span.end,
        Evidence().with("held_ms", span.end - span.start).with("threshold_ms", Self.heldMs).with(
          "most_ms", mostMs),
        "For \(seconds(span.end - span.start)) this end holds sound back for longer than the network needs, by up to \(seconds(mostMs)): its page asks for that (jitterBufferTarget), or it waits for the picture."
      )
    }
  }
}
