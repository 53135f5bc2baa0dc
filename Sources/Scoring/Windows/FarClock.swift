import CallModel

/// Offset of the far end's clock from this one, from the times at which its sender reports were sent and received.
struct FarClock {
  /// Minimum number of reports, and the maximum that is kept.
  private static let reports = (least: 3, most: 64)

  private var leadsMs = OrderedValues()

  mutating func add(_ sample: SampleView) {
    guard let sent = sample[.farReportMs], let came = sample[.farPacketsMs], leadsMs.count < Self.reports.most
    else { return }
    leadsMs.insert(sent - came)
  }

  /// Median offset less the one-way delay of the reports, ms; nil if there are too few reports.
  var leadMs: Double? {
    leadsMs.count < Self.reports.least ? nil : leadsMs.values[leadsMs.count / 2]
  }
}

/// Follows the time from a video stream's first packet to its first frame, if its first report had none.
struct PictureWait {
  /// Until when no frame had arrived; nil before the first packet and after the first frame.
  private var untilMs: Double?

  mutating func begin(at timeMs: Double) { untilMs = timeMs }

  /// Takes the next segment; returns the period up to its end, or to its first frame, in which no frame had arrived.
  mutating func add(_ segment: Segment) -> (from: Double, to: Double)? {
    guard let from = untilMs, let moved = segment.hadFrames else { return nil }
    let to = moved ? segment.from : segment.to
    untilMs = moved ? nil : to
    return to > from ? (from, to) : nil
  }
}
