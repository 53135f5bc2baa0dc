import CallModel

/// Turns the means that a table has of an interval into counters as statistics have them, so that windows are scored the
/// same way: an interval is taken as even, in pieces no longer than a window.
///
/// What a source counts itself stays as it is. The counters made here are never stored.
struct FigureCounters {
  /// Packets of sound and picture a second, where a source counts none: only shares depend on them.
  private static let packetsPerMs: [MediaKind: Double] = [.audio: 1 / FirstMedia.packetMs, .video: 0.1]
  /// The most pieces of an interval: some six days.
  private static let maxPieces = 100_000.0
  /// Rows may begin this much of an interval after the one before ended.
  private static let slack = 0.5

  private let intervalMs: Double?
  private let packetsPerMs: Double
  private var lastMs: Double?
  private var packets = 1.0
  private var lost = 0.0

  /// Nil for a stream that is not of figures.
  init?(_ facts: StreamFacts) {
    guard facts.source == .figures else { return nil }
    intervalMs = facts.intervalMs
    packetsPerMs = Self.packetsPerMs[facts.kind ?? .audio] ?? 0.05
  }

  /// Passes on the samples that stand for a row.
  mutating func take(_ row: SampleView, _ body: (Sample) -> Void) {
    var sample = row.copied
    // Counters since the call began are as in statistics.
    guard !sample.has(.packets) else {
      lastMs = row.timeMs
      return body(sample)
    }
    let end = row.timeMs
    let length = intervalMs ?? lastMs.map { min(end - $0, WindowCut.lengthMs) } ?? 0
    var start = end - length
    let goesOn = lastMs.map { abs(start - $0) <= Self.slack * length } ?? false
    if goesOn, let lastMs { start = lastMs }
    guard end > start else {
      lastMs = end
      return
    }
    if !goesOn {
      // After a time of which nothing is known the counters begin anew, which interrupts everything.
      (packets, lost) = (1, 0)
      body(counted(Sample(timeMs: start), hasLoss: row.has(.fractionLost)))
    }
    let share = row[.fractionLost]
    let pieces = Int(min(Self.maxPieces, max(1, ((end - start) / WindowCut.lengthMs).rounded(.up))))
    for piece in 1...pieces {
      let expected = packetsPerMs * (end - start) / Double(pieces)
      packets += expected * (1 - (share ?? 0))
      lost += expected * (share ?? 0)
      sample.timeMs = piece == pieces ? end : start + (end - start) * Double(piece) / Double(pieces)
      body(counted(sample, hasLoss: share != nil))
    }
    lastMs = end
  }

  private func counted(_ sample: Sample, hasLoss: Bool) -> Sample {
    var sample = sample
    sample.set(.packets, packets)
    if hasLoss { sample.set(.lost, lost) }
    return sample
  }
}
