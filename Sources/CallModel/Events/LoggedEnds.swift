/// The ends of one log, shared by the readers of its events and of its statistics: both need to know where
/// one call ends and the next begins.
public final class LoggedEnds {
  private var ends: [String: LoggedEnd] = [:]
  private let limit: Int
  /// The calls of its connections.
  public let calls: PageCalls

  /// - Parameter limit: the most ends that are tracked.
  public init(limit: Int) {
    self.limit = limit
    calls = PageCalls(limit: limit)
  }

  /// The end that a log line names.
  public func end(_ endpoint: String?, connection: String?) -> LoggedEnd {
    let key = "\(endpoint ?? "")|\(connection ?? "")"
    if let end = ends[key] { return end }
    let end = LoggedEnd()
    if ends.count < limit { ends[key] = end }
    return end
  }
}

/// One end of a log.
public final class LoggedEnd {
  /// A gap between reports longer than this, ms, means that the connection was given up or the page was
  /// suspended.
  public static let silenceMs = 60_000.0

  /// Time of the latest statistics.
  public private(set) var latestStatisticsMs: Double?
  /// When later calls of this end began, in order.
  private var later: [(fromMs: Double, number: Int)] = []

  /// An end about which nothing is known yet.
  public init() {}

  /// Records that statistics have a report at this time.
  public func noteStatistics(atMs: Double) { latestStatisticsMs = max(latestStatisticsMs ?? atMs, atMs) }

  /// Records that a later call began; ignored unless it begins after those already known.
  public func noteCall(_ number: Int, atMs: Double?) {
    guard number > self.number(atMs: nil) else { return }
    let fromMs = atMs ?? latestStatisticsMs ?? -.infinity
    if fromMs >= later.last?.fromMs ?? -.infinity { later.append((fromMs, number)) }
  }

  /// The number of the call that a time belongs to; the latest call if the time is unknown.
  public func number(atMs: Double?) -> Int {
    guard let atMs, atMs.isFinite else { return later.last?.number ?? 1 }
    // Nearly always the latest call.
    if let last = later.last, last.fromMs <= atMs { return last.number }
    let count = later.endOfPrefix { $0.fromMs <= atMs }
    return count > 0 ? later[count - 1].number : 1
  }
}
