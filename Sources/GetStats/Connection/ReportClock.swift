/// Places the times of reports whose clock counts from who knows when: the page's beginning, the machine's, or 1970 in
/// seconds.
///
/// Such a clock's unit shows in how it goes on: against the poll's clock where that is one of the epoch, else by what steps
/// polls can have.
struct ReportClock {
  /// Milliseconds a unit: seconds, milliseconds, microseconds, nanoseconds.
  private static let units = [1000, 1, 1e-3, 1e-6]
  /// A report's time that is so far from the poll's is not of the epoch, ms.
  static let farMs = 366 * 86_400_000.0
  /// What began anew (a page loaded again) is further than that from the poll, ms.
  private static let anewMs = 600_000.0
  /// The poll's clock tells the unit for so long, ms, and no sooner than this.
  private static let learningMs = 20_000.0
  private static let minMs = 50.0
  /// Polls are not further apart than that, ms.
  private static let longestStepMs = 300_000.0

  private var start = (time: Double.nan, ms: Double.nan)
  /// What the poll's clock said then, where it is to tell the unit.
  private var startPollMs = Double.nan
  private var unit: Double?
  /// Whether the poll's clock says when the start was.
  private(set) var isAnchored = false

  /// What the source's first bytes tell of the unit, where a time alone leaves it open.
  private let detectedUnit: Double?

  /// Nothing known yet but perhaps the unit.
  init(detectedUnit: Double? = nil) { self.detectedUnit = detectedUnit }

  /// When that was, ms since the epoch as far as anybody knows. `pollMs` is NaN where the poll has no time.
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
      // Pages count in milliseconds; a larger number may be anything.
      unit = isOfEpoch ? 1000 : time < ReportTime.seconds.lowerBound ? 1 : nil
    } else {
      let told = seconds ? detectedUnit : nil
      start = (time, seconds && told ?? 1000 == 1000 ? time * 1000 : time)
      unit = time < ReportTime.seconds.lowerBound ? 1 : told
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
