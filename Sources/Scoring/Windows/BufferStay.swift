import CallModel

/// How long sound stayed in the jitter buffer between two reports, and how long it was to stay: means over what was played, ms.
struct BufferStay {
  var delayMs: Double
  var targetMs: Double
  /// What the network alone asks for; nil where the source does not say.
  var minimumMs: Double?

  /// Nil where the source does not count it, or nothing was played.
  init?(from earlier: SampleView, to later: SampleView) {
    func grown(_ metric: Metric) -> Double? {
      guard let before = earlier[metric], let after = later[metric], after >= before else { return nil }
      return after - before
    }
    guard let emitted = grown(.jitterBufferEmitted), emitted > 0, let delay = grown(.jitterBufferDelayMs),
      let target = grown(.jitterBufferTargetDelayMs)
    else { return nil }
    delayMs = delay / emitted
    targetMs = target / emitted
    minimumMs = grown(.jitterBufferMinimumDelayMs).map { $0 / emitted }
  }

  /// By how much the receiver held sound longer than the network needs: its page asked for that (jitterBufferTarget), or it waits
  /// for the picture (lip sync). A buffer that is short of what the network needs fills up for that first.
  var heldMs: Double? { minimumMs.map { delayMs >= $0 ? max(0, targetMs - $0) : 0 } }
}
