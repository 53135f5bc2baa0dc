import CallModel

/// What the far end's reports said last of a sent stream. Readers tell its gauges once for each report; where they cannot tell
/// one from the same one asked for again, only a round trip stands in each sample, and a figure that changed is a new report.
struct RemoteReportTracker {
  private var roundTripMs: Double?
  private var lost: Double?

  /// Takes the next sample; gives whether a report came since the one before.
  mutating func take(_ sample: SampleView) -> Bool {
    guard let roundTrip = sample[.rttMs] else { return false }
    let isNew = Self.isNew(sample, roundTripBefore: roundTripMs) || sample[.lost] != lost
    (roundTripMs, lost) = (roundTrip, sample[.lost])
    return isNew
  }

  /// Whether a sample's gauges are of a new report.
  static func isNew(_ sample: SampleView, roundTripBefore: Double?) -> Bool {
    if sample.has(.jitterMs) || sample.has(.fractionLost) { return true }
    return sample[.rttMs].map { $0 != roundTripBefore } ?? false
  }
}
