extension Contrast {
  /// Mean over scenarios of the difference within each, weighted by the candidate's calls.
  ///
  /// Where every scenario ran several times, what varies are its calls, and they are drawn again within it. Where it ran once or twice,
  /// the scenarios themselves are drawn; fewer than ten are too few for that, and Student's t is left.
  mutating func pairedMean() -> Interval? {
    if let within = drawnCalls(.pairedCalls) { return within }
    let weights = sampled.cells.map { Double($0.candidate.count) }
    let differences = sampled.cells.map { ($0.candidate.mean ?? 0) - factor * ($0.baseline.mean ?? 0) }
    guard let (mean, spread) = Self.weighted(differences, weights) else { return nil }
    let count = differences.count
    let t = Distributions.studentQuantile(1 - error, degrees: Double(count - 1))
    guard count >= 10 else { return Interval(mean, mean - t * spread, mean + t * spread, .pairedStudent) }
    var drawn: [Double] = []
    for _ in 0..<draws {
      var (sum, total) = (0.0, 0.0)
      for _ in 0..<count {
        let index = random.below(count)
        sum += weights[index] * differences[index]
        total += weights[index]
      }
      drawn.append(sum / total)
    }
    let plain = spread * (Double(count - 1) / Double(count)).squareRoot()
    return expanded(mean, drawn, by: plain > 0 ? spread / plain : 1, degrees: count - 1, .pairedScenarios)
  }

  /// Difference of the two runs' means, or the mean of one run.
  mutating func unpairedMean() -> Interval? {
    guard let cell = sampled.cells.first else { return nil }
    let smaller = factor == 0 ? cell.candidate.count : min(cell.candidate.count, cell.baseline.count)
    if smaller >= 10, let drawn = drawnCalls(.unpaired) { return drawn }
    let mean = (cell.candidate.mean ?? 0) - factor * (cell.baseline.mean ?? 0)
    guard smaller > 1, let spread = Stratified(cells: sampled.cells, factor: factor)?.spread else {
      return Interval(mean, nil, nil, .unpairedStudent)
    }
    let t = Distributions.studentQuantile(1 - error, degrees: Double(smaller - 1))
    return Interval(mean, mean - t * spread, mean + t * spread, .unpairedStudent)
  }

  /// Calls drawn again within each cell; nil where a cell has fewer than three on a side.
  private mutating func drawnCalls(_ method: Interval.Method) -> Interval? {
    let (cells, factor) = (sampled.cells, factor)
    guard cells.allSatisfy({ $0.candidate.count > 2 && (factor == 0 || $0.baseline.count > 2) }),
      let whole = Stratified(cells: cells, factor: factor)
    else { return nil }
    var drawn: [Double] = []
    for _ in 0..<draws {
      var mean = 0.0
      for (cell, share) in zip(cells, whole.shares) {
        mean += share * Self.drawnMean(cell.candidate, &random)
        if factor != 0 { mean -= share * factor * Self.drawnMean(cell.baseline, &random) }
      }
      drawn.append(mean)
    }
    let calls = sampled.candidateCount + (factor == 0 ? 0 : sampled.baselineCount)
    let cellsDrawn = cells.count * (factor == 0 ? 1 : 2)
    return expanded(whole.mean, drawn, by: whole.inflation, degrees: max(1, calls - cellsDrawn), method)
  }

  /// The percentile interval of the draws, stretched so that small samples are not taken for surer than they are (Hesterberg 2015).
  private func expanded(
    _ mean: Double, _ drawn: [Double], by inflation: Double, degrees: Int, _ method: Interval.Method
  ) -> Interval {
    let ordered = drawn.sorted()
    let tail = max(0, min(ordered.count / 2, Int(error * Double(ordered.count))))
    let stretch =
      inflation * Distributions.studentQuantile(1 - error, degrees: Double(degrees))
      / Distributions.normalQuantile(1 - error)
    let (low, high) = (ordered[tail], ordered[ordered.count - 1 - tail])
    return Interval(mean, mean - (mean - low) * stretch, mean + (high - mean) * stretch, method)
  }

  /// Many calls need fewer draws for the same sureness, and cost more each.
  private var draws: Int {
    max(1000, min(Self.draws, 4_000_000 / max(1, sampled.candidateCount + sampled.baselineCount)))
  }

  /// Weighted mean of differences and its standard error; nil of fewer than two.
  private static func weighted(_ values: [Double], _ weights: [Double]) -> (Double, Double)? {
    let total = weights.reduce(0, +)
    guard values.count > 1, total > 0 else { return nil }
    let mean = zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } / total
    let squares = zip(values, weights).reduce(0) { $0 + $1.1 * $1.1 * ($1.0 - mean) * ($1.0 - mean) }
    let count = Double(values.count)
    return (mean, (squares * count / (count - 1)).squareRoot() / total)
  }

  private static func drawnMean(_ values: [Double], _ random: inout SeededRandom) -> Double {
    var sum = 0.0
    for _ in values.indices { sum += values[random.below(values.count)] }
    return sum / Double(values.count)
  }
}

/// Mean and spread of calls in cells, each cell weighted by the candidate's calls.
private struct Stratified {
  var mean = 0.0
  /// Standard error.
  var spread = 0.0
  /// What drawing again within small cells falls short of it by.
  var inflation = 1.0
  var shares: [Double]

  /// Nil if a cell has fewer than two calls.
  init?(cells: [Sampled.Cell], factor: Double) {
    let total = Double(cells.reduce(0) { $0 + $1.candidate.count })
    shares = cells.map { Double($0.candidate.count) / total }
    var (variance, plain) = (0.0, 0.0)
    for (cell, share) in zip(cells, shares) {
      for (values, weight) in [(cell.candidate, share), (cell.baseline, -share * factor)] where weight != 0 {
        guard let value = values.mean, let own = values.variance else { return nil }
        let count = Double(values.count)
        mean += weight * value
        variance += weight * weight * own / count
        plain += weight * weight * own * (count - 1) / (count * count)
      }
    }
    spread = variance.squareRoot()
    if plain > 0 { inflation = (variance / plain).squareRoot() }
  }
}
