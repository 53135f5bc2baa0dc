import CallModel

/// Summary of the windows of one end, as in `calls`: means over active and stalled windows, percentiles by nearest
/// rank.
public struct ScoreStatistics: Sendable, Equatable {
  public var mean: Double?
  public var p10: Double?
  public var min: Double?
  /// Share of active and stalled windows that were poor (`QualityBand.poorBelow`).
  public var poorShare: Double?
  /// Share of scored windows in which nothing arrived.
  public var stalledShare: Double?
  /// Share of all windows that have no score and were not silent on purpose.
  public var unscoredShare: Double?
  /// Mean points lost per scored window, by cause.
  public var pointsLost: ByCause<Double> = [:]
  /// The cause with most points lost; nil if none lost any.
  public var topCause: Cause?

  /// The statistics of the given windows; every figure is nil without a scored one.
  public init(of windows: some Sequence<Window>) {
    var all = 0
    var unscored = 0
    var poor = 0
    var stalled = 0
    var scores: [Double] = []
    var points: ByCause<Int> = [:]
    for window in windows {
      all += 1
      if window.state == .unscored { unscored += 1 }
      guard let score = window.score else { continue }
      scores.append(Double(score))
      if window.state == .stalled { stalled += 1 }
      if Double(score) < QualityBand.poorBelow { poor += 1 }
      for (cause, lost) in window.pointsLost ?? [:] { points[cause, default: 0] += lost }
    }
    if all > 0 { unscoredShare = Double(unscored) / Double(all) }
    guard !scores.isEmpty else { return }
    poorShare = Double(poor) / Double(scores.count)
    stalledShare = Double(stalled) / Double(scores.count)
    scores.sort()
    let count = Double(scores.count)
    mean = scores.reduce(0, +) / count
    p10 = nearestRank(scores, 0.1)
    min = scores.first
    for cause in Cause.inOrder { pointsLost[cause] = Double(points[cause] ?? 0) / count }
    topCause = Cause.inOrder.reduce(nil) { best, cause in
      (pointsLost[cause] ?? 0) > (best.flatMap { pointsLost[$0] } ?? 0) ? cause : best
    }
  }
}

/// The nearest-rank percentile of values in ascending order; nil if there are none.
public func nearestRank(_ sorted: [Double], _ share: Double) -> Double? {
  guard !sorted.isEmpty else { return nil }
  let rank = (share * Double(sorted.count)).rounded(.up)
  return sorted[Swift.min(sorted.count - 1, Swift.max(0, Int(rank) - 1))]
}
