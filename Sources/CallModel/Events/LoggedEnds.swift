/// The ends of one log, for those who read its events and those who read its statistics: what either learns of where one call
/// ends and the next begins, the other needs.
public final class LoggedEnds {
  private var ends: [String: LoggedEnd] = [:]
  private let limit: Int

  /// - Parameter limit: how many ends are known to both.
  public init(limit: Int) { self.limit = limit }

  /// An end by what its lines say of it.
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
  /// Reports further apart than that are those of a connection that was given up, or of a page that slept, ms.
  public static let silenceMs = 60_000.0

  /// When its statistics were heard of last.
  public private(set) var latestStatisticsMs: Double?
  /// When its later calls began, in order.
  private var later: [(fromMs: Double, number: Int)] = []

  /// One of which nothing is known.
  public init() {}

  /// Says that its statistics tell of an instant.
  public func noteStatistics(atMs: Double) { latestStatisticsMs = max(latestStatisticsMs ?? atMs, atMs) }

  /// Says that a later call of it began; one that begins before those known already is left to them.
  public func noteCall(_ number: Int, atMs: Double?) {
    guard number > self.number(atMs: nil) else { return }
    let fromMs = atMs ?? latestStatisticsMs ?? -.infinity
    if fromMs >= later.last?.fromMs ?? -.infinity { later.append((fromMs, number)) }
  }

  /// Which of its calls an instant is of; the latest where nobody knows when that was.
  public func number(atMs: Double?) -> Int {
    guard let atMs, atMs.isFinite else { return later.last?.number ?? 1 }
    // Nearly always it is of the latest.
    if let last = later.last, last.fromMs <= atMs { return last.number }
    var (low, high) = (0, later.count)
    while low < high {
      let middle = (low + high) / 2
      if later[middle].fromMs <= atMs { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? later[low - 1].number : 1
  }
}
