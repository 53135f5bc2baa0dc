import CallModel

/// Detects gaps between the reports of an end, over all its streams and its transport.
struct ReportGapDetector {
  /// Maximum time between the reports of one poll, ms.
  static let pollMs = 100.0

  /// A period without any report.
  struct Gap {
    var start: Double
    var end: Double
    var usual: Double
    /// Whether media was received and played meanwhile, according to the counters before and after it.
    var mediaContinued = false
    /// Share of the played audio that was concealed, 0–1; nil if unknown.
    var concealedShare: Double?
  }

  private(set) var gaps: [Gap] = []
  /// End of the last gap.
  private(set) var unseenUntilMs = -Double.infinity
  /// Time of the last poll of the streams, and the usual interval between polls.
  private var lastMs: Double?
  private var usualMs: Double?
  private var intervals = 0
  /// The last two reports of the transport, which may come while there are no streams.
  private var path = (before: -Double.infinity, last: -Double.infinity)

  mutating func see(_ sample: TransportSample) {
    if sample.timeMs > path.last { path = (path.last, sample.timeMs) }
  }

  /// Takes the time of a stream's report; returns whether a long gap precedes it.
  mutating func see(_ timeMs: Double) -> Bool {
    guard let last = lastMs else {
      lastMs = timeMs
      return false
    }
    let interval = timeMs - last
    guard interval >= Self.pollMs else { return false }
    lastMs = timeMs
    guard let usual = usualMs, intervals >= Threshold.usualIntervals.count,
      interval > max(Threshold.reportGap.value, Threshold.reportGapIntervals.value * usual)
    else {
      intervals += 1
      usualMs = usualMs.map { $0 + (interval - $0) / 8 } ?? interval
      return false
    }
    let isInside = { (time: Double) in time > last + Self.pollMs && time < timeMs - Self.pollMs }
    guard !isInside(path.last), !isInside(path.before) else { return false }
    unseenUntilMs = timeMs
    if gaps.count < Hysteresis.maxKept { gaps.append(Gap(start: last, end: timeMs, usual: usual)) }
    return true
  }

  /// Takes the first sample of a stream after a gap and the last one before it.
  mutating func see(_ sample: SampleView, across earlier: SampleView, _ role: StreamRole) {
    guard let gap = gaps.last, gap.end == unseenUntilMs, !gap.mediaContinued,
      role.source == .stats, role.direction != .outbound,
      let before = earlier[.packets], let after = sample[.packets], after > before
    else { return }
    func grown(_ metric: Metric) -> Double? {
      earlier[metric].flatMap { was in sample[metric].map { $0 - was } }
    }
    // For video, the gap of a sleeping machine appears as one freeze or pause when the next frame arrives.
    let moved = grown(.interFrameDelayMs).flatMap { shown in
      grown(.freezeMs).map { shown - $0 - max(0, grown(.pauseMs) ?? 0) }
    }
    guard let played = grown(.totalSamplesDurationMs) ?? moved else { return }
    gaps[gaps.count - 1].mediaContinued =
      played >= Threshold.playoutShare.value * (sample.timeMs - earlier.timeMs)
    // Playout continues even if nothing arrives; it is then concealed.
    if let concealed = grown(.concealedSamples), let all = grown(.totalSamples), all > 0 {
      gaps[gaps.count - 1].concealedShare = min(1, max(0, concealed / all))
    }
  }
}
