/// A figure of two runs, of the calls that its change is made from: those of the scenarios that both have, or all.
public struct ComparedFigure: Sendable, Equatable {
  /// Nil where no call says anything.
  public var candidate: Double?
  public var baseline: Double?
  /// Scenarios that the calls are paired by; nil where nothing pairs and all calls are held against all.
  public var scenarios: Int?
  /// Calls of each run that it is made from.
  public var candidateCalls: Int?
  public var baselineCalls: Int?
}

extension ComparedFigure {
  /// What `Contrast` takes the difference of.
  init(_ sampled: Sampled, _ figure: Figure) {
    let (now, before) = (sampled.cells.flatMap(\.candidate), sampled.cells.flatMap(\.baseline))
    // A change is that within each scenario: the baseline's calls count as often as the candidate has calls of their scenario.
    if let percent = figure.percent {
      candidate = now.percentile(percent)
      baseline = Ranked(sampled.cells.map(\.baseline), weights: sampled.baselineWeights).percentile(percent)
    } else {
      (candidate, baseline) = (now.mean, before.mean)
      if sampled.isPaired {
        let sum = sampled.cells.reduce(0) { $0 + Double($1.candidate.count) * ($1.baseline.mean ?? 0) }
        baseline = sum / Double(now.count)
      }
    }
    scenarios = sampled.isPaired ? sampled.cells.count : nil
    (candidateCalls, baselineCalls) = (now.count, before.count)
  }

  /// `40 scenarios: 200 calls, 198 before`, for a table's last column; nil where there is nothing to compare.
  var words: String? {
    guard candidate != nil, baseline != nil, let candidateCalls, let baselineCalls else { return nil }
    let calls = "\(Words.count(candidateCalls, "call")), \(baselineCalls) before"
    return scenarios.map { "\(Words.count($0, "scenario")): \(calls)" } ?? "unpaired: \(calls)"
  }
}
