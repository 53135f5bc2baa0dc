import CallModel

/// When this end was looked at: the reports of all its streams and of its path, and the holes between them.
struct ReportGapDetector {
  /// A hole between reports counts beyond this, and beyond `timesUsual` the usual interval, ms.
  static let holeMs = 5000.0
  static let timesUsual = 4.0
  /// So many intervals tell what is usual.
  static let leastIntervals = 3
  /// Reports closer together than this are of one poll, ms.
  static let pollMs = 100.0

  /// A time without any report.
  struct Hole {
    var start: Double
    var end: Double
    var usual: Double
    /// Whether media was received and played meanwhile, by the counters before and after it.
    var wentOn = false
    /// Which part of the sound that was played was made up, 0–1; nil where that is not known.
    var madeUp: Double?
  }

  private(set) var holes: [Hole] = []
  /// End of the last hole.
  private(set) var unseenUntilMs = -Double.infinity
  /// Time of the last poll of the streams, and the usual time from one to the next.
  private var lastMs: Double?
  private var usualMs: Double?
  private var intervals = 0
  /// The last two reports of the path, which may come while there are no streams.
  private var path = (before: -Double.infinity, last: -Double.infinity)

  mutating func see(_ sample: TransportSample) {
    if sample.timeMs > path.last { path = (path.last, sample.timeMs) }
  }

  /// Takes the time of a stream's report; whether nothing at all was reported for long before it.
  mutating func see(_ timeMs: Double) -> Bool {
    guard let last = lastMs else {
      lastMs = timeMs
      return false
    }
    let interval = timeMs - last
    guard interval >= Self.pollMs else { return false }
    lastMs = timeMs
    guard let usual = usualMs, intervals >= Self.leastIntervals,
      interval > max(Self.holeMs, Self.timesUsual * usual)
    else {
      intervals += 1
      usualMs = usualMs.map { $0 + (interval - $0) / 8 } ?? interval
      return false
    }
    let isInside = { (time: Double) in time > last + Self.pollMs && time < timeMs - Self.pollMs }
    guard !isInside(path.last), !isInside(path.before) else { return false }
    unseenUntilMs = timeMs
    if holes.count < Hysteresis.mostKept { holes.append(Hole(start: last, end: timeMs, usual: usual)) }
    return true
  }

  /// Takes the first sample of a stream after a hole and the one before it.
  mutating func see(_ sample: SampleView, across earlier: SampleView, _ role: StreamRole) {
    guard let hole = holes.last, hole.end == unseenUntilMs, !hole.wentOn,
      role.source == .stats, role.direction != .outbound,
      let before = earlier[.packets], let after = sample[.packets], after > before
    else { return }
    func grown(_ metric: Metric) -> Double? {
      earlier[metric].flatMap { was in sample[metric].map { $0 - was } }
    }
    // The gap that a machine asleep leaves is a freeze or a pause to the picture that comes after it.
    let moved = grown(.interFrameDelayMs).flatMap { shown in
      grown(.freezeMs).map { shown - $0 - max(0, grown(.pauseMs) ?? 0) }
    }
    guard let played = grown(.totalSamplesDurationMs) ?? moved else { return }
    holes[holes.count - 1].wentOn = played >= HostStallDetector.slowPlayout * (sample.timeMs - earlier.timeMs)
    // Playout goes on also where nothing comes to be played.
    if let made = grown(.concealedSamples), let all = grown(.totalSamples), all > 0 {
      holes[holes.count - 1].madeUp = min(1, max(0, made / all))
    }
  }
}
