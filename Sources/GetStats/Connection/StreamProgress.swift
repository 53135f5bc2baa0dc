import CallModel

/// How far the counters of a stream had come by its latest sample. They tell a clock that was set back from lines that
/// are out of order: counters go on with the call, whatever the clock says.
struct StreamProgress {
  /// When that was, how long after the one before, ms, and what the poll's clock and the report's own said.
  private(set) var timeMs = -Double.infinity
  private(set) var intervalMs = 1000.0
  private(set) var pollMs = Double.nan
  private(set) var ownMs = Double.nan
  private var packets = Double.nan
  private var bytes = Double.nan
  private var frames = Double.nan
  private var samples = Double.nan
  /// By how much packets grew last.
  private var growth = 0.0

  /// What a report's counters are to those of the latest sample.
  enum Standing { case behind, equal, ahead }

  /// Growth beyond this many times that of the poll before, and this many packets, is that of another recording.
  private static let mostGrowth = (times: 20.0, least: 1000.0)
  /// Polls are no further apart than this where nothing tells, ms.
  private static let longestMs = 30_000.0

  /// Takes the next sample, if it is later than all before.
  mutating func add(_ sample: SampleView, pollMs: Double, ownMs: Double) {
    guard sample.timeMs > timeMs else { return }
    if timeMs.isFinite { intervalMs = min(sample.timeMs - timeMs, Self.longestMs) }
    timeMs = sample.timeMs
    self.pollMs = pollMs
    if !ownMs.isNaN { self.ownMs = ownMs }
    if let value = sample[.packets] {
      growth = value > packets ? value - packets : 0
      packets = value
    }
    bytes = sample[.bytes] ?? bytes
    frames = sample[.frames] ?? frames
    samples = sample[.totalSamples] ?? samples
  }

  /// Where a report stands to the latest sample by its counters alone.
  func standing(of sample: SampleView) -> Standing {
    var isAhead = false
    for (before, now) in [
      (packets, sample[.packets]), (bytes, sample[.bytes]), (frames, sample[.frames]),
      (samples, sample[.totalSamples]),
    ] {
      guard let now, !before.isNaN else { continue }
      if now < before { return .behind }
      if now > before { isAhead = true }
    }
    return isAhead ? .ahead : .equal
  }

  /// Whether what a report counts beyond the latest sample can have come since.
  func canFollow(_ sample: SampleView) -> Bool {
    guard let now = sample[.packets], !packets.isNaN else { return true }
    return now - packets <= max(Self.mostGrowth.least, Self.mostGrowth.times * growth)
  }
}
