import CallModel

/// When in a night a trouble began, and whether it went on to the end, by the calls in the order of time.
///
/// The place where the mean changes most is found by cumulative sums; that it changes at all is asked of the largest of them against the
/// supremum of a Brownian bridge (Kolmogorov's distribution), at 1 %. That it changed says not that it began: a beginning is told where
/// the calls before had less than half of it, an end where those after do.
public struct Onset: Sendable, Equatable {
  /// When the first call of it began; nil where it was there from the first call on.
  public let fromMs: Double?
  /// When the last call of it began; nil where it went on to the last call.
  public let untilMs: Double?
  /// By hour of the night: the share of calls that had it, or what they lost in the mean; nil for an hour without calls.
  public let hours: [Double?]

  /// Largest cumulative sum, over the deviation times the root of the number, that chance passes once in a hundred.
  private static let critical = 1.628
  /// Fewer calls tell nothing.
  private static let least = 12
  /// Fewest calls that show that it was well before, or is again.
  private static let leastWell = 6
  /// The part of the trouble that what is well may have.
  private static let wellShare = 0.5
  private static let hourMs = 3_600_000.0

  /// A call: when it began, and how much of the trouble it had.
  public struct Point: Sendable {
    var timeMs: Double
    var value: Double
  }

  /// Of calls that may have it; nil where there are too few, or their times are not known.
  public init?(_ calls: [Point]) {
    let points = calls.filter { $0.timeMs.isFinite && $0.value.isFinite }.sorted { $0.timeMs < $1.timeMs }
    guard points.count >= Self.least, let first = points.first, let last = points.last else { return nil }
    let values = points.map(\.value)
    var (from, until) = (0, points.count)
    if let change = Self.change(values[...]) {
      if change.isWorse { from = change.place } else { until = change.place }
      // It may have gone again, or have come before it went.
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

  /// Where the mean changes most, and whether it rises there; nil where chance may have done it, or one side is not well.
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
    // What is below the mean before a place is above it behind.
    let isWorse = most < 0
    let (well, ill) = isWorse ? (values[..<place], values[place...]) : (values[place...], values[..<place])
    guard well.count >= leastWell, let before = Array(well).mean, let during = Array(ill).mean,
      during > 0, before < wellShare * during
    else { return nil }
    return (place, isWorse)
  }
}
