/// One figure's values of two runs, side by side in cells: a cell is a scenario, or everything where nothing pairs.
struct PairedSamples: Sendable {
  struct Cell: Sendable {
    var candidate: [Double] = []
    var baseline: [Double] = []
  }

  /// Cells in the order of their scenarios' names, each with values of both runs where paired.
  var cells: [Cell]
  var isPaired: Bool
  /// Scenarios that only one of the runs has.
  var unmatched: Int

  /// Pairs by scenario where the runs share at least two scenarios (or all they have); otherwise one cell of everything.
  init(candidate: [ComparedCall], baseline: [ComparedCall], figure: Figure) {
    var byScenario: [String: Cell] = [:]
    var all = Cell()
    for call in candidate {
      guard let value = figure.value(of: call) else { continue }
      all.candidate.append(value)
      if let scenario = call.scenario { byScenario[scenario, default: Cell()].candidate.append(value) }
    }
    for call in baseline {
      guard let value = figure.value(of: call) else { continue }
      all.baseline.append(value)
      if let scenario = call.scenario { byScenario[scenario, default: Cell()].baseline.append(value) }
    }
    let matched = byScenario.filter { !$0.value.candidate.isEmpty && !$0.value.baseline.isEmpty }
    unmatched = byScenario.count - matched.count
    isPaired = matched.count > 1
    cells = isPaired ? matched.sorted { $0.key < $1.key }.map(\.value) : [all]
  }

  /// Values of one run alone.
  init(_ calls: [ComparedCall], figure: Figure) {
    cells = [Cell(candidate: calls.compactMap { figure.value(of: $0) })]
    isPaired = false
    unmatched = 0
  }

  /// How much each of the baseline's values counts, a cell: as much as gives the baseline the candidate's mix of scenarios.
  var baselineWeights: [Double] {
    cells.map { isPaired ? Double($0.candidate.count) / Double($0.baseline.count) : 1 }
  }

  var candidateCount: Int { cells.reduce(0) { $0 + $1.candidate.count } }
  var baselineCount: Int { cells.reduce(0) { $0 + $1.baseline.count } }
}

extension [Double] {
  /// The mean; nil of nothing.
  var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }

  /// Variance of the population they were drawn from; nil of fewer than two.
  var variance: Double? {
    guard count > 1, let mean else { return nil }
    return reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count - 1)
  }

  /// Percentile by nearest rank; nil of nothing.
  func percentile(_ percent: Int) -> Double? {
    let ordered = sorted()
    let rank = (ordered.count * percent + 99) / 100
    return ordered.isEmpty ? nil : ordered[Swift.max(rank, 1) - 1]
  }
}

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
  init(_ sampled: PairedSamples, _ figure: Figure) {
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
