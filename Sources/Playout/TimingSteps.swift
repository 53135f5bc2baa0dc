/// Recognises that the timing of a stream moved by a step: its sender stood still, or a clock was set. From then on
/// packets come as evenly as before, at another distance from their timestamps. Those that the network held back come
/// together and catch up.
struct TimingSteps {
  /// A step that may be one of the network.
  private struct Step {
    var fromMs: Double
    /// The least transit that is still beyond what the network catches up with, ms.
    var leastMs: Double
    /// The target delay before it.
    var wanted: TargetDelay
  }

  private var lastMs = Double.nan
  private var step: Step?

  /// A shorter step may be another route.
  private static let minMs = 250.0
  /// What the network held back is there after this long: NetEq adapts to it more slowly.
  private static let settledMs = 500.0

  /// Takes a packet in order of its number: when it came, and that minus its media time. Returns the target delay before
  /// a step that proves to be none of the network, from which the receiver measures anew; otherwise nil.
  mutating func take(atMs: Double, transitMs: Double, wanted: TargetDelay) -> TargetDelay? {
    let jump = transitMs - lastMs
    lastMs = transitMs
    guard let step else {
      if jump >= Self.minMs {
        self.step = Step(fromMs: atMs, leastMs: transitMs - jump / 2, wanted: wanted)
      }
      return nil
    }
    if transitMs < step.leastMs {
      self.step = nil
    } else if atMs - step.fromMs >= Self.settledMs {
      self.step = nil
      return step.wanted
    }
    return nil
  }
}
