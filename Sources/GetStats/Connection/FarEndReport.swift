import CallModel

/// What the far end's last report said of a stream, by which the same one is known again where it has no time of its own.
struct FarEndReport: Equatable {
  private let roundTripMs: Double?
  private let lost: Double?
  private let fractionLost: Double?
  private let jitterMs: Double?
  private let packets: Double?

  init(_ sample: SampleView) {
    roundTripMs = sample[.rttMs]
    lost = sample[.lost]
    fractionLost = sample[.fractionLost]
    jitterMs = sample[.jitterMs]
    packets = sample[.farPackets]
  }
}

/// Whether what a poll holds of the far end came since the poll before it.
enum FarEndNews {
  /// Another report than before.
  case new
  /// The report of before, as its time says.
  case old
  /// One that says what the one before said, without a time of its own: most likely the same.
  case repeated
}

extension Report {
  /// A report of the far end that is no further than this from the poll, ms, has the poll's time: RTCP is older nearly always.
  private static let ownTimeMs = 5.0

  /// Takes note of what this report of the far end says in a poll of that time, and whether that is news.
  ///
  /// - Parameter timeMs: the report's own time by the poll's clock, nil where it has none.
  func news(timeMs: Double?, pollMs: Double) -> FarEndNews {
    if self.timeMs == usedTimeMs { return .old }
    usedTimeMs = self.timeMs
    let before = usedReport
    usedReport = FarEndReport(view)
    if let timeMs, abs(timeMs - pollMs) > Self.ownTimeMs { return .new }
    return before == usedReport ? .repeated : .new
  }
}
