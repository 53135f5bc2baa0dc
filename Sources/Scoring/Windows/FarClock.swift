import CallModel

/// How far the far end's clock is ahead of this one, by the times that its sender reports were sent and came.
struct FarClock {
  /// Reports that must agree, and the most that are kept.
  private static let reports = (least: 3, most: 64)

  private var leadsMs = OrderedValues()

  mutating func add(_ sample: SampleView) {
    guard let sent = sample[.farReportMs], let came = sample[.farPacketsMs], leadsMs.count < Self.reports.most
    else { return }
    leadsMs.insert(sent - came)
  }

  /// The median lead, less the way of the reports, ms; nil where too few reports say.
  var leadMs: Double? {
    leadsMs.count < Self.reports.least ? nil : leadsMs.values[leadsMs.count / 2]
  }
}

/// The time from the first packet of a picture until frames come, where its first report had none.
struct PictureWait {
  /// Up to when it was waited for; nil where it is not, or no longer.
  private var untilMs: Double?

  mutating func begin(at timeMs: Double) { untilMs = timeMs }

  /// Takes the next segment, and gives back the part of it, and of the time before it, in which no picture had come.
  mutating func add(_ segment: Segment) -> (from: Double, to: Double)? {
    guard let from = untilMs, let moved = segment.hadFrames else { return nil }
    let to = moved ? segment.from : segment.to
    untilMs = moved ? nil : to
    return to > from ? (from, to) : nil
  }
}
