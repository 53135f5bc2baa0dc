/// How the error rate of a night, `questionError`, is divided among the tests of a report: on a night without any change,
/// the chance that a sentence claims one is at most that.
enum NightError {
  /// The share of each family of tests: problems that are new or grew, mean scores of SDKs that fell, other figures of
  /// SDKs that got worse, values of traits whose calls stand out, and numbers of calls.
  static let parts = (problems: 0.3, scores: 0.15, figures: 0.15, traits: 0.3, volume: 0.1)
}

extension Comparison {
  /// Whether a change of an SDK's figure is still significant after correction for all tests of a night.
  ///
  /// The given interval is corrected for the number of SDKs only, and is widened here as for a normal distribution. For a
  /// percentile that is not enough: where scores have two peaks, it jumps from one to the other. So the calls beyond it
  /// must also be more than before, by an exact test.
  ///
  /// - Parameters:
  ///   - low: the lower end of its interval; nil if there are too few calls.
  ///   - figures: the number of figures compared per SDK.
  func isSignificant(
    _ figure: Figure, _ sdk: String, _ change: Double, from low: Double?, to high: Double?, of figures: Int
  ) -> Bool {
    guard let low, let high, low > 0 || high < 0 else { return false }
    let error = questionError / Double(max(1, sdks.count))
    let share =
      figure == .scoreMean ? NightError.parts.scores : NightError.parts.figures / Double(max(1, figures - 1))
    // The interval has half of its error at each end, and only one end is bad news.
    let wider =
      Distributions.normalQuantile(1 - error * share) / Distributions.normalQuantile(1 - error / 2)
    guard abs(change) > wider * (low > 0 ? change - low : high - change) else { return false }
    return figure.percent.map { beyond($0, figure, sdk, isLower: change < 0).chance <= error * share } ?? true
  }

  /// Exact test of whether more calls than in the baseline are beyond its percentile, on the side to which the
  /// figure moved.
  private func beyond(_ percent: Int, _ figure: Figure, _ sdk: String, isLower: Bool) -> ExactGrowth {
    let cells = PairedSamples(
      candidate: candidate.calls[sdk] ?? [], baseline: baseline?.calls[sdk] ?? [], figure: figure
    ).cells
    let before = cells.flatMap(\.baseline).sorted()
    guard !before.isEmpty else { return ExactGrowth([]) }
    let limit = before[min(before.count - 1, before.count * percent / 100)]
    func count(_ values: [Double]) -> Int { values.count { isLower ? $0 < limit : $0 > limit } }
    return ExactGrowth(
      cells.map {
        ExactGrowth.Stratum(
          now: $0.candidate.count, before: $0.baseline.count, having: count($0.candidate),
          hadBefore: count($0.baseline))
      })
  }
}
