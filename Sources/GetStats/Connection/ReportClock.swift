/// Converts the times of reports whose clock has an unknown start: that of the page, of the machine, or 1970 in
/// seconds.
///
/// The unit of such a clock follows from its rate: relative to the poll's clock if that is since the epoch, otherwise
/// from plausible poll intervals.
struct ReportClock {
  /// Milliseconds per unit: seconds, milliseconds, microseconds, nanoseconds.
  private static let units = [1000, 1, 1e-3, 1e-6]
  /// A report time this far from the poll's is not since the epoch, ms.
  static let farMs = 366 * 86_400_000.0
  /// After a restart of the clock (a page reload), times differ by more than this from the poll's, ms.
  private static let anewMs = 600_000.0
  /// The poll's clock determines the unit during this time, ms, and not before it has passed.
  private static let learningMs = 20_000.0
  private static let minMs = 50.0
  /// Longest poll interval, ms.
  private static let longestStepMs = 300_000.0

  private var start = (time: Double.nan, ms: Double.nan)
  /// The poll's time at the start, if it is to determine the unit.
  private var startPollMs = Double.nan
  private var unit: Double?
  /// Whether the start is known by the poll's clock.
  private(set) var isAnchored = false

  /// The unit found in the source's first bytes, if a time alone is ambiguous.
  private let detectedUnit: Double?

  /// A clock with an unknown start.
  init(detectedUnit: Double? = nil) { self.detectedUnit = detectedUnit }

  /// The time of a report, ms since the epoch, as far as known. `pollMs` is NaN if the poll has no time.
  mutating func ms(_ time: Double, pollMs: Double) -> Double {
    let isPolled = ReportTime.isEpoch(pollMs)
    if start.time.isNaN || isPolled && !isAnchored { begin(time, pollMs, isPolled) }
    if isAnchored { learn(time, pollMs) } else { learn(time) }
    guard let unit else { return isPolled ? pollMs : start.ms + (time - start.time) }
    let ms = start.ms + (time - start.time) * unit
    guard isAnchored, isPolled, abs(ms - pollMs) > Self.anewMs else { return ms }
    begin(time, pollMs, true)
    return start.ms
  }

  private mutating func begin(_ time: Double, _ pollMs: Double, _ isPolled: Bool) {
    isAnchored = isPolled
    let seconds = ReportTime.seconds.contains(time)
    if isPolled {
      let isOfEpoch = seconds && abs(time * 1000 - pollMs) < Self.farMs
      start = (time, isOfEpoch ? time * 1000 : pollMs)
      startPollMs = isOfEpoch ? .nan : pollMs
      // Pages count in milliseconds; a larger number may have any unit.
      unit = isOfEpoch ? 1000 : time < ReportTime.seconds.lowerBound ? 1 : nil
    } else {
      let knownUnit = seconds ? detectedUnit : nil
      start = (time, seconds && knownUnit ?? 1000 == 1000 ? time * 1000 : time)
      unit = time < ReportTime.seconds.lowerBound ? 1 : knownUnit
    }
  }

  private mutating func learn(_ time: Double, _ pollMs: Double) {
    let passed = pollMs - startPollMs
    guard passed > Self.minMs, passed < Self.learningMs, time > start.time else { return }
    let found = passed / (time - start.time)
    unit = Self.units.first { found > $0 / 2 && found < $0 * 2 } ?? unit
  }

  private mutating func learn(_ time: Double) {
    guard unit == nil, time > start.time else { return }
    let step = time - start.time
    let candidates = ReportTime.seconds.contains(start.time) ? Self.units : Array(Self.units.dropFirst())
    unit = candidates.first { step * $0 < Self.longestStepMs } ?? 1e-6
  }
}
