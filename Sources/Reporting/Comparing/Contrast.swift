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
    return estimate()?.within(possible)
  }

  private mutating func estimate() -> Interval? {
    if figure.isShare { return shares() }
    if let percent = figure.percent { return percentile(percent) }
    return sampled.isPaired ? pairedMean() : unpairedMean()
  }

  /// Where the truth can lie at all: Student's t of three calls knows nothing of 0 and 100.
  private var possible: ClosedRange<Double> {
    let bounds = figure.bounds
    guard factor != 0 else { return bounds }
    return (bounds.lowerBound - factor * bounds.upperBound)...(bounds.upperBound - factor * bounds.lowerBound)
  }
}
