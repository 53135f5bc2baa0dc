import CallModel

/// Follows the far end's RTCP reports on a sent stream. Readers store the gauges of each report once. If a reader
/// cannot distinguish a new report from a repeated one, only the round trip is in every sample, and a changed value means a
/// new report.
struct RemoteReportTracker {
  private var roundTripMs: Double?
  private var lost: Double?

  /// Takes the next sample; returns whether a report came since the previous one.
  mutating func take(_ sample: SampleView) -> Bool {
    guard let roundTrip = sample[.rttMs] else { return false }
    let isNew = Self.isNew(sample, roundTripBefore: roundTripMs) || sample[.lost] != lost
    (roundTripMs, lost) = (roundTrip, sample[.lost])
    return isNew
  }

  /// Whether the gauges of a sample are from a new report.
  static func isNew(_ sample: SampleView, roundTripBefore: Double?) -> Bool {
    if sample.has(.jitterMs) || sample.has(.fractionLost) { return true }
    return sample[.rttMs].map { $0 != roundTripBefore } ?? false
  }
}
