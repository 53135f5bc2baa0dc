/// Tells a lasting condition from a flicker: it begins when it held for some time, and ends when it was gone for some time.
struct Hysteresis {
  /// How long the condition must hold, and be gone, before it counts, ms.
  let onAfterMs: Double
  let offAfterMs: Double
  /// Most spells that are kept.
  static let mostKept = 1000

  private(set) var spans: [(start: Double, end: Double)] = []
  private var since: Double?
  private var began: Double?
  private var lastHeld: Double?

  init(onAfterMs: Double, offAfterMs: Double) {
    self.onAfterMs = onAfterMs
    self.offAfterMs = offAfterMs
  }

  /// Whether the condition held from one instant to a later one.
  ///
  /// - Parameter began: when it began, where it took time to be seen; what counts is how long it was seen.
  mutating func observe(_ holds: Bool, from: Double, to: Double, began: Double? = nil) {
    guard to >= from else { return }
    if holds {
      if let lastHeld, from - lastHeld > offAfterMs { close() }
      if since == nil { (since, self.began) = (from, began) }
      lastHeld = to
    } else if let lastHeld, to - lastHeld > offAfterMs {
      close()
    }
  }

  /// Ends what is going on.
  mutating func finish() { close() }

  private mutating func close() {
    if let since, let lastHeld, lastHeld - since >= onAfterMs, spans.count < Self.mostKept {
      spans.append((began.map { min($0, since) } ?? since, lastHeld))
    }
    since = nil
    lastHeld = nil
  }
}
