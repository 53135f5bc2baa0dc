import CallModel

/// Means of what windows of sound were made of.
struct HeardMeans {
  private(set) var windows = 0
  private var concealed = (sum: 0.0, count: 0.0)
  private var delay = (sum: 0.0, count: 0.0)

  /// Share of the sound made up, 0–1; nil where no window says.
  var concealedShare: Double? { concealed.count > 0 ? concealed.sum / concealed.count : nil }
  /// Mouth to ear, ms; nil where no window says.
  var delayMs: Double? { delay.count > 0 ? delay.sum / delay.count : nil }

  mutating func add(_ inputs: WindowInputs) {
    windows += 1
    if let share = inputs.concealedShare { concealed = (concealed.sum + share, concealed.count + 1) }
    if let ms = inputs.delayMs { delay = (delay.sum + ms, delay.count + 1) }
  }
}
