/// When in a night a problem began, and whether it lasted to the end, from the calls in order of time.
///
/// The point where the mean changes most is found by cumulative sums. Their maximum is tested against the supremum of a
/// Brownian bridge (Kolmogorov's distribution) at 1 %. A significant change is reported as a beginning only if the
/// calls before it have less than half of the problem, and as an end only if those after it do.
public struct ChangePoint: Sendable, Equatable {
  /// When the first affected call began, ms since the epoch; nil if the problem was there from the first call.
  public let fromMs: Double?
  /// When the last affected call began, ms since the epoch; nil if the problem lasted to the last call.
  public let untilMs: Double?
  /// By hour of the night: the share of affected calls, or the mean loss; nil for an hour without calls.
  public let hours: [Double?]

  /// Critical value at 1 % for the largest cumulative sum, divided by the standard deviation and the root of the count.
  private static let critical = 1.628
  /// Minimum number of calls.
  private static let least = 12
  /// Minimum number of healthy calls before a beginning or after an end.
  private static let minHealthy = 6
  /// Healthy calls may have at most this part of the problem.
  private static let healthyShare = 0.5
  private static let hourMs = 3_600_000.0

  /// A call: when it began, ms since the epoch, and how strongly it was affected.
  public struct Point: Sendable {
    var timeMs: Double
    var value: Double
  }

  /// The change point among the calls that may be affected; nil if there are too few of them or their times are unknown.
  public init?(_ calls: [Point]) {
    let points = calls.filter { $0.timeMs.isFinite && $0.value.isFinite }.sorted { $0.timeMs < $1.timeMs }
    guard points.count >= Self.least, let first = points.first, let last = points.last else { return nil }
    let values = points.map(\.value)
    var (from, until) = (0, points.count)
    if let change = Self.change(values[...]) {
      if change.isWorse { from = change.place } else { until = change.place }
      // The problem may have ended again, or have begun before it ended.
      if change.isWorse, let end = Self.change(values[from...]), !end.isWorse { until = end.place }
      if !change.isWorse, let begin = Self.change(values[..<until]), begin.isWorse { from = begin.place }
    }
    fromMs = from > 0 ? points[from].timeMs : nil
    untilMs = until < points.count ? points[until - 1].timeMs : nil
    let span = Int((last.timeMs - first.timeMs) / Self.hourMs) + 1
    var sums = [(sum: Double, count: Double)](repeating: (0, 0), count: min(48, max(1, span)))
    for point in points {
      let hour = min(sums.count - 1, Int((point.timeMs - first.timeMs) / Self.hourMs))
      sums[hour].sum += point.value
      sums[hour].count += 1
    }
    hours = sums.map { $0.count > 0 ? $0.sum / $0.count : nil }
  }

  /// Where the mean changes most, and whether it gets worse there; nil if the change is not significant or neither side
  /// is healthy.
  private static func change(_ values: ArraySlice<Double>) -> (place: Int, isWorse: Bool)? {
    let count = Double(values.count)
    guard values.count >= least else { return nil }
    let mean = values.reduce(0, +) / count
    let spread = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count).squareRoot()
    guard spread > 0 else { return nil }
    var (sum, most, place) = (0.0, 0.0, values.startIndex)
    for index in values.indices.dropLast() {
      sum += values[index] - mean
      if abs(sum) > abs(most) { (most, place) = (sum, index + 1) }
    }
    guard abs(most) / (spread * count.squareRoot()) > critical else { return nil }
    // A negative sum means that the values up to this place are below the mean, so those after it are above.
    let isWorse = most < 0
    let (well, ill) = isWorse ? (values[..<place], values[place...]) : (values[place...], values[..<place])
    guard well.count >= minHealthy, let before = Array(well).mean, let during = Array(ill).mean,
      during > 0, before < healthyShare * during
    else { return nil }
    return (place, isWorse)
  }
}
