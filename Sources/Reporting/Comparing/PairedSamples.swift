/// Values of one figure in two runs, side by side in cells. A cell is a scenario, or everything if the runs cannot be
/// paired.
struct PairedSamples: Sendable {
  struct Cell: Sendable {
    var candidate: [Double] = []
    var baseline: [Double] = []
  }

  /// Cells sorted by scenario name; if paired, each has values of both runs.
  var cells: [Cell]
  var isPaired: Bool
  /// Number of scenarios that only one of the runs has.
  var unmatched: Int

  /// Pairs by scenario if the runs share at least two scenarios (or all they have); otherwise makes one cell of
  /// everything.
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

  /// Values of a single run.
  init(_ calls: [ComparedCall], figure: Figure) {
    cells = [Cell(candidate: calls.compactMap { figure.value(of: $0) })]
    isPaired = false
    unmatched = 0
  }

  /// Weight of each of the baseline's values, by cell, that gives the baseline the candidate's mix of scenarios.
  var baselineWeights: [Double] {
    cells.map { isPaired ? Double($0.candidate.count) / Double($0.baseline.count) : 1 }
  }

  var candidateCount: Int { cells.reduce(0) { $0 + $1.candidate.count } }
  var baselineCount: Int { cells.reduce(0) { $0 + $1.baseline.count } }
}

extension [Double] {
  /// The mean; nil if empty.
  var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }

  /// Sample variance (n − 1); nil for fewer than two values.
  var variance: Double? {
    guard count > 1, let mean else { return nil }
    return reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count - 1)
  }

  /// Percentile by nearest rank; nil if empty.
  func percentile(_ percent: Int) -> Double? {
    let ordered = sorted()
    let rank = (ordered.count * percent + 99) / 100
    return ordered.isEmpty ? nil : ordered[Swift.max(rank, 1) - 1]
  }
}

/// A figure of two runs, from the calls used for its change: those of the scenarios that both have, or all calls.
public struct ComparedFigure: Sendable, Equatable {
  /// Value in each run; nil if no call has one.
  public var candidate: Double?
  public var baseline: Double?
  /// Number of scenarios that the calls are paired by; nil if unpaired, when all calls are compared with all.
  public var scenarios: Int?
  /// Number of calls of each run that it is computed from.
  public var candidateCalls: Int?
  public var baselineCalls: Int?
}

extension ComparedFigure {
  /// The two values whose difference `Contrast` computes.
  init(_ sampled: PairedSamples, _ figure: Figure) {
    let (now, before) = (sampled.cells.flatMap(\.candidate), sampled.cells.flatMap(\.baseline))
    // Weight the baseline's calls so that it has the candidate's mix of scenarios.
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

  /// `40 scenarios: 200 calls, 198 before`, for a table's last column; nil if there is nothing to compare.
  var words: String? {
    guard candidate != nil, baseline != nil, let candidateCalls, let baselineCalls else { return nil }
    let calls = "\(ValueText.count(candidateCalls, "call")), \(baselineCalls) before"
    return scenarios.map { "\(ValueText.count($0, "scenario")): \(calls)" } ?? "unpaired: \(calls)"
  }
}
