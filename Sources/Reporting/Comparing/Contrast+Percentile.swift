extension Contrast {
  /// Fewest calls of a run for an interval of a percentile.
  static let percentileCalls = 20

  /// Percentile of the candidate minus `factor` times that of the baseline; the interval is normal with the bootstrap's standard error.
  mutating func percentile(_ percent: Int) -> Interval? {
    let candidate = Ranked(sampled.cells.map(\.candidate))
    let baseline = Ranked(sampled.cells.map(\.baseline))
    guard let own = candidate.percentile(percent) else { return nil }
    let severalTimes = sampled.cells.allSatisfy {
      $0.candidate.count > 2 && (factor == 0 || $0.baseline.count > 2)
    }
    let method: Interval.Method =
      !sampled.isPaired
      ? .unpaired : severalTimes || sampled.cells.count < 10 ? .pairedCalls : .pairedScenarios
    var estimate = own
    if factor != 0 {
      guard let base = baseline.percentile(percent) else { return nil }
      estimate -= factor * base
    }
    let smaller = factor == 0 ? candidate.count : min(candidate.count, baseline.count)
    guard smaller >= Self.percentileCalls else { return Interval(estimate, nil, nil, method) }
    var drawn: [Double] = []
    for _ in 0..<(smaller > 1000 ? Self.percentileDraws / 2 : Self.percentileDraws) {
      var value: Double?
      if method == .pairedScenarios {
        var times = [Int](repeating: 0, count: sampled.cells.count)
        for _ in times.indices { times[random.below(times.count)] += 1 }
        value = candidate.percentile(percent, cellTimes: times)
        if factor != 0, let base = baseline.percentile(percent, cellTimes: times) {
          value = value.map { $0 - factor * base }
        }
      } else {
        value = candidate.redrawn(percent, &random)
        if factor != 0, let base = baseline.redrawn(percent, &random) {
          value = value.map { $0 - factor * base }
        }
      }
      if let value { drawn.append(value) }
    }
    let half = Distributions.normalQuantile(1 - error) * (drawn.variance ?? 0).squareRoot()
    return Interval(estimate, estimate - half, estimate + half, method)
  }
}

/// All values of a run in order, each knowing its cell, so that a weighted percentile is one walk.
struct Ranked {
  private let values: [(value: Double, cell: Int)]
  private let members: [[Int]]

  init(_ cells: [[Double]]) {
    var all: [(value: Double, cell: Int)] = []
    for (index, cell) in cells.enumerated() { all += cell.map { ($0, index) } }
    values = all.sorted { ($0.value, $0.cell) < ($1.value, $1.cell) }
    var members = [[Int]](repeating: [], count: cells.count)
    for (index, entry) in values.enumerated() { members[entry.cell].append(index) }
    self.members = members
  }

  var count: Int { values.count }

  /// By nearest rank, each value once.
  func percentile(_ percent: Int) -> Double? {
    values.isEmpty ? nil : values[max((values.count * percent + 99) / 100, 1) - 1].value
  }

  /// By nearest rank, each value as often as its cell was drawn.
  func percentile(_ percent: Int, cellTimes: [Int]) -> Double? {
    let total = zip(cellTimes, members).reduce(0) { $0 + $1.0 * $1.1.count }
    return walk(to: max((total * percent + 99) / 100, 1)) { cellTimes[values[$0].cell] }
  }

  /// By nearest rank after drawing as many values again within each cell.
  func redrawn(_ percent: Int, _ random: inout SeededRandom) -> Double? {
    var times = [Int](repeating: 0, count: values.count)
    for cell in members {
      for _ in cell { times[cell[random.below(cell.count)]] += 1 }
    }
    return walk(to: max((values.count * percent + 99) / 100, 1)) { times[$0] }
  }

  private func walk(to rank: Int, _ times: (Int) -> Int) -> Double? {
    var passed = 0
    for index in values.indices {
      passed += times(index)
      if passed >= rank { return values[index].value }
    }
    return nil
  }
}
