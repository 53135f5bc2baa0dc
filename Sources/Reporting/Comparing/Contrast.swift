/// Candidate minus `factor` times baseline of one figure, with its interval.
///
/// Factor 0 leaves the baseline out: the figure of the candidate alone.
struct Contrast {
  let sampled: Sampled
  let figure: Figure
  var factor = 1.0
  /// Chance that one end of the interval lies on the wrong side of the truth, each end by itself, after correction for the other comparisons.
  var error: Double
  var random: SeededRandom
  /// Times the calls are drawn again.
  static let draws = 4000
  static let percentileDraws = 1000

  init(_ sampled: Sampled, _ figure: Figure, factor: Double = 1, error: Double, random: SeededRandom) {
    self.sampled = sampled
    self.figure = figure
    self.factor = factor
    self.error = error
    self.random = random
  }

  /// The interval; nil where one of the runs has no value at all.
  mutating func interval() -> Interval? {
    guard sampled.candidateCount > 0, factor == 0 || sampled.baselineCount > 0 else { return nil }
    if figure == .brokenShare || figure == .poorShare { return shares() }
    if let percent = figure.percent { return percentile(percent) }
    return sampled.isPaired ? pairedMean() : unpairedMean()
  }

  /// Wilson's interval of each share, put together by Newcombe's method 10 (1998) with the baseline's side scaled by the factor.
  private func shares() -> Interval {
    let z = Distributions.normalQuantile(1 - error)
    let candidate = sampled.cells.flatMap(\.candidate)
    let (share, low, high) = Self.wilson(candidate.reduce(0, +), Double(candidate.count), z)
    guard factor != 0 else { return Interval(share, low, high, .shares) }
    let baseline = sampled.cells.flatMap(\.baseline)
    let (base, baseLow, baseHigh) = Self.wilson(baseline.reduce(0, +), Double(baseline.count), z)
    let change = share - factor * base
    let down = (share - low) * (share - low) + factor * factor * (baseHigh - base) * (baseHigh - base)
    let up = (high - share) * (high - share) + factor * factor * (base - baseLow) * (base - baseLow)
    return Interval(change, change - down.squareRoot(), change + up.squareRoot(), .shares)
  }

  private static func wilson(_ hits: Double, _ count: Double, _ z: Double) -> (Double, Double, Double) {
    let share = hits / count
    let centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    let half =
      z / (1 + z * z / count) * (share * (1 - share) / count + z * z / (4 * count * count)).squareRoot()
    return (share, max(0, min(share, centre - half)), min(1, max(share, centre + half)))
  }
}
