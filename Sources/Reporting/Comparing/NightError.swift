/// How the error rate of a night, `questionError`, is divided among the tests of a report: on a night without any change,
/// the chance that a sentence claims one is at most that.
enum NightError {
  /// The share of each family of tests: problems that are new or grew, mean scores of SDKs that fell, and other figures
  /// of SDKs that got worse.
  static let parts = (troubles: 0.5, scores: 0.25, figures: 0.25)
}

extension Comparison {
  /// Whether a change of an SDK's figure is still significant after correction for all tests of a night.
  ///
  /// The given interval is corrected for the number of SDKs only, and is widened here as for a normal distribution.
  ///
  /// - Parameters:
  ///   - low: the lower end of its interval; nil if there are too few calls.
  ///   - figures: the number of figures compared per SDK.
  func isClear(_ figure: Figure, _ change: Double, from low: Double?, to high: Double?, of figures: Int)
    -> Bool
  {
    guard let low, let high, low > 0 || high < 0 else { return false }
    let error = questionError / Double(max(1, sdks.count))
    let own =
      figure == .scoreMean ? NightError.parts.scores : NightError.parts.figures / Double(max(1, figures - 1))
    // The interval has half of its error at each end, and only one end is bad news.
    let wider =
      Distributions.normalQuantile(1 - error * own) / Distributions.normalQuantile(1 - error / 2)
    return abs(change) > wider * (low > 0 ? change - low : high - change)
  }
}
