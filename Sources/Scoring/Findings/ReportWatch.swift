import CallModel

/// When this end was looked at: the reports of all its streams and of its path, and the holes between them.
struct ReportWatch {
  /// A hole between reports counts beyond this, and beyond `timesUsual` the usual interval, ms.
  static let holeMs = 5000.0
  static let timesUsual = 4.0
  /// So many intervals tell what is usual.
  static let leastIntervals = 3
  /// Reports closer together than this are of one poll, ms.
  static let pollMs = 100.0

  private(set) var holes: [(start: Double, end: Double, usual: Double)] = []
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
    if holes.count < Spell.mostKept { holes.append((last, timeMs, usual)) }
    return true
  }
}
