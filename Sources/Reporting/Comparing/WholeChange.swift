/// A figure that moved in all SDKs together rather than in one of them: a small drop in each may be significant only in
/// the total.
struct WholeChange: Sendable {
  let figure: Figure
  /// `all 5 SDKs`.
  let name: String
  let change: Double
  let low: Double
  let high: Double
  var isWorse: Bool { figure == .scoreMean ? change < 0 : change > 0 }
  /// Value in the candidate; the baseline's is this minus the change.
  let value: Double
  let source: ChangeSource

  /// Figures that are checked across all SDKs.
  static let figures: [Figure] = [.scoreMean, .setupMean, .brokenShare]
  /// Minimum number of calls in a run for a normal approximation of the error.
  private static let fewestCalls = 40
  /// Standard errors that the remaining SDKs must have moved by, whichever one is left out.
  private static let restErrors = 2.5

  /// Nil unless the change is significant (by the same threshold as its source), large enough to matter, and still
  /// there if any one SDK is left out. A change that is due to one SDK is reported for that SDK.
  init?(_ figure: Figure, in calls: ScannedCalls, error: Double) {
    let sdks = Set(calls.now.map(\.sdk)).count
    guard sdks > 1, let all = calls.change(of: figure, sdk: nil) else { return nil }
    let change = all.whole
    guard abs(change.change) > ChangeSource.minErrors * max(change.error, figure.minError),
      min(change.calls, all.scores.all.before.moments.count) >= Self.fewestCalls,
      let value = all.scores.meanNow,
      abs(change.change) >= Self.least(figure, before: value - change.change),
      let column = calls.columns.first(where: calls.isSDK)
    else { return nil }
    let groups = all.scores.groups(column.now, column.before, count: column.values.count)
    let (own, other) = (Split(groups.map(\.now.moments)), Split(groups.map(\.before.moments)))
    for sdk in groups.indices where own.values[sdk].count > 0 {
      guard let rest = MeanChange(own.without(sdk), other.without(sdk), figure),
        rest.change / change.change > 0.5, abs(rest.change) > Self.restErrors * rest.error
      else { return nil }
    }
    let source = calls.source(of: figure, sdk: nil)
    guard source.found?.dimension != calls.kind else { return nil }
    let half = Distributions.normalQuantile(1 - error / 2) * change.error
    (self.figure, name, self.value, self.source) = (
      figure, sdks == 2 ? "both \(calls.kind)s" : "all \(sdks) \(calls.kind)s", value, source
    )
    (self.change, low, high) = (change.change, change.change - half, change.change + half)
  }

  /// Smallest change worth a sentence: 1 point of score, 10 % of the setup time (at least 20 ms), or 0.5 % of the
  /// calls.
  private static func least(_ figure: Figure, before: Double) -> Double {
    figure == .scoreMean ? 1 : figure.isShare ? 0.005 : max(20, abs(before) * 0.1)
  }
}
