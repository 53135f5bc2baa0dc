/// Detects lasting conditions: a spell begins after the condition held for some time and ends after it was absent for
/// some time.
struct Hysteresis {
  /// How long the condition must hold, and be absent, to start and end a spell, ms.
  let onAfterMs: Double
  let offAfterMs: Double
  /// Maximum number of spells kept.
  static let maxKept = 1000

  private(set) var spans: [(start: Double, end: Double)] = []
  private var since: Double?
  private var began: Double?
  private var lastHeld: Double?

  init(onAfterMs: Double, offAfterMs: Double) {
    self.onAfterMs = onAfterMs
    self.offAfterMs = offAfterMs
  }

  /// Takes whether the condition held between two times.
  ///
  /// - Parameter began: when the condition began, if detecting it takes time; the length required is that observed.
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

  /// Ends an open spell.
  mutating func finish() { close() }

  private mutating func close() {
    if let since, let lastHeld, lastHeld - since >= onAfterMs, spans.count < Self.maxKept {
      spans.append((began.map { min($0, since) } ?? since, lastHeld))
    }
    since = nil
    lastHeld = nil
  }
}
