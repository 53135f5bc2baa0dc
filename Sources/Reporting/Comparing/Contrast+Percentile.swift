extension Contrast {
  /// Fewest calls of a run for an interval of a percentile.
  static let percentileCalls = 20

  /// Percentile of the candidate minus `factor` times that of the baseline with the candidate's mix of scenarios; the
  /// interval is normal with the bootstrap's standard error.
  mutating func percentile(_ percent: Int) -> Interval? {
    let candidate = Ranked(sampled.cells.map(\.candidate))
    let baseline = Ranked(sampled.cells.map(\.baseline), weights: sampled.baselineWeights)
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

/// All values of a run in order, each knowing its cell and its weight, so that a percentile is one walk.
struct Ranked {
  private let values: [(value: Double, cell: Int)]
  private let members: [[Int]]
  /// How much a value counts, by its cell.
  private let weights: [Double]

  /// Values in cells; without weights each counts once.
  init(_ cells: [[Double]], weights: [Double]? = nil) {
    var all: [(value: Double, cell: Int)] = []
    for (index, cell) in cells.enumerated() { all += cell.map { ($0, index) } }
    values = all.sorted { ($0.value, $0.cell) < ($1.value, $1.cell) }
    var members = [[Int]](repeating: [], count: cells.count)
    for (index, entry) in values.enumerated() { members[entry.cell].append(index) }
    self.members = members
    self.weights = weights ?? [Double](repeating: 1, count: cells.count)
  }

  var count: Int { values.count }

  /// By nearest rank, each value once.
  func percentile(_ percent: Int) -> Double? {
    percentile(percent, cellTimes: [Int](repeating: 1, count: members.count))
  }

  /// By nearest rank, each value as often as its cell was drawn.
  func percentile(_ percent: Int, cellTimes: [Int]) -> Double? {
    var total = 0.0
    for (cell, times) in cellTimes.enumerated() {
      total += Double(times * members[cell].count) * weights[cell]
    }
    return walk(percent, of: total) { cellTimes[values[$0].cell] }
  }

  /// By nearest rank after drawing as many values again within each cell.
  func redrawn(_ percent: Int, _ random: inout SeededRandom) -> Double? {
    var times = [Int](repeating: 0, count: values.count)
    var total = 0.0
    for (index, cell) in members.enumerated() {
      for _ in cell { times[cell[random.below(cell.count)]] += 1 }
      total += Double(cell.count) * weights[index]
    }
    return walk(percent, of: total) { times[$0] }
  }

  /// The first value up to which the asked part of the weight lies; the last bits of a sum of weights decide nothing.
  private func walk(_ percent: Int, of total: Double, _ times: (Int) -> Int) -> Double? {
    let rank = total * Double(percent) / 100 * (1 - 1e-12)
    var (passed, last) = (0.0, Double?.none)
    for index in values.indices {
      let count = times(index)
      guard count > 0 else { continue }
      last = values[index].value
      passed += Double(count) * weights[values[index].cell]
      if passed >= rank { break }
    }
    return last
  }
}
