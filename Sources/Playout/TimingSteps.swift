/// Recognises that the timing of a stream moved by a step: its sender stood still, or a clock was set. From then on
/// packets come as evenly as before, at another distance from their timestamps. Those that the network held back come
/// together and catch up.
struct TimingSteps {
  /// What a packet shows of a step.
  enum Sign {
    /// It may be the first after a step.
    case begins
    /// The network held packets back, and they have caught up.
    case caughtUp
    /// It was none of the network: the receiver measures anew from here.
    case settled
  }

  private var lastMs = Double.nan
  /// When it may have begun, and the least transit that is still beyond what the network catches up with, ms.
  private var step: (fromMs: Double, leastMs: Double)?

  /// A shorter step may be another route.
  private static let minMs = 250.0
  /// What the network held back is there after this long: NetEq adapts to it more slowly.
  private static let settledMs = 500.0

  /// Takes a packet in order of its number: when it came, and that minus its media time.
  @inline(__always)
  mutating func take(atMs: Double, transitMs: Double) -> Sign? {
    let jump = transitMs - lastMs
    lastMs = transitMs
    guard let step else {
      guard jump >= Self.minMs else { return nil }
      step = (atMs, transitMs - jump / 2)
      return .begins
    }
    let hasCaughtUp = transitMs < step.leastMs
    guard hasCaughtUp || atMs - step.fromMs >= Self.settledMs else { return nil }
    self.step = nil
    return hasCaughtUp ? .caughtUp : .settled
  }
}
