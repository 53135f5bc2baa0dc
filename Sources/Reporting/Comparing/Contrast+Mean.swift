extension Contrast {
  /// Mean over scenarios of the difference within each, weighted by the candidate's calls.
  mutating func pairedMean() -> Interval? {
    let weights = sampled.cells.map { Double($0.candidate.count) }
    let differences = sampled.cells.map { cell in
      (cell.candidate.mean ?? 0) - factor * (cell.baseline.mean ?? 0)
    }
    guard let (mean, spread) = Self.weighted(differences, weights) else { return nil }
    if differences.count >= 10 {
      let ends = studentised(mean, spread) { random in
        var (drawn, drawnWeights): ([Double], [Double]) = ([], [])
        for _ in differences.indices {
          let index = random.below(differences.count)
          drawn.append(differences[index])
          drawnWeights.append(weights[index])
        }
        return Self.weighted(drawn, drawnWeights)
      }
      return Interval(mean, ends.0, ends.1, .pairedScenarios)
    }
    if let within = withinScenarios(mean, weights) { return within }
    let t = Distributions.studentQuantile(1 - error / 2, degrees: Double(differences.count - 1))
    return Interval(mean, mean - t * spread, mean + t * spread, .pairedStudent)
  }

  /// Few scenarios with several calls each: the calls are what varies, so they are drawn again within their scenario.
  private mutating func withinScenarios(_ mean: Double, _ weights: [Double]) -> Interval? {
    let cells = sampled.cells
    guard cells.allSatisfy({ $0.candidate.count > 2 && (factor == 0 || $0.baseline.count > 2) }) else {
      return nil
    }
    let scale = factor
    guard let spread = Self.stratified(cells, weights, scale)?.1 else { return nil }
    let ends = studentised(mean, spread) { random in
      let drawn = cells.map { cell in
        Sampled.Cell(
          candidate: Self.drawn(cell.candidate, &random), baseline: Self.drawn(cell.baseline, &random))
      }
      return Self.stratified(drawn, weights, scale)
    }
    return Interval(mean, ends.0, ends.1, .pairedCalls)
  }

  /// Difference of the two runs' means, or the mean of one run.
  mutating func unpairedMean() -> Interval? {
    guard let cell = sampled.cells.first else { return nil }
    let scale = factor
    let mean = (cell.candidate.mean ?? 0) - scale * (cell.baseline.mean ?? 0)
    let smaller = scale == 0 ? cell.candidate.count : min(cell.candidate.count, cell.baseline.count)
    guard let spread = Self.stratified([cell], [1], scale)?.1 else {
      return Interval(mean, nil, nil, .unpairedStudent)
    }
    if smaller >= 10 {
      let ends = studentised(mean, spread) { random in
        let drawn = Sampled.Cell(
          candidate: Self.drawn(cell.candidate, &random), baseline: Self.drawn(cell.baseline, &random))
        return Self.stratified([drawn], [1], scale)
      }
      return Interval(mean, ends.0, ends.1, .unpaired)
    }
    let t = Distributions.studentQuantile(1 - error / 2, degrees: Double(smaller - 1))
    return Interval(mean, mean - t * spread, mean + t * spread, .unpairedStudent)
  }

  /// Bootstrap-t (Efron and Tibshirani 1993, chapter 12): the spread of (drawn − mean)/spread puts the ends where skewed data wants them.
  private mutating func studentised(
    _ mean: Double, _ spread: Double, _ draw: (inout SeededRandom) -> (Double, Double)?
  ) -> (Double, Double) {
    guard spread > 0 else { return (mean, mean) }
    var ratios: [Double] = []
    ratios.reserveCapacity(Self.draws)
    for _ in 0..<Self.draws {
      if let (drawn, drawnSpread) = draw(&random), drawnSpread > 0 {
        ratios.append((drawn - mean) / drawnSpread)
      }
    }
    guard ratios.count > Self.draws / 2 else { return (mean - 1e3 * spread, mean + 1e3 * spread) }
    ratios.sort()
    let tail = max(0, min(ratios.count / 2, Int(error / 2 * Double(ratios.count))))
    return (mean - ratios[ratios.count - 1 - tail] * spread, mean - ratios[tail] * spread)
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

  /// The same from the spread of calls inside each cell; nil if a cell has fewer than two calls.
  private static func stratified(_ cells: [Sampled.Cell], _ weights: [Double], _ factor: Double) -> (
    Double, Double
  )? {
    let total = weights.reduce(0, +)
    var (mean, variance) = (0.0, 0.0)
    for (cell, weight) in zip(cells, weights) {
      guard let own = cell.candidate.variance, let value = cell.candidate.mean else { return nil }
      let share = weight / total
      mean += share * value
      variance += share * share * own / Double(cell.candidate.count)
      if factor != 0 {
        guard let other = cell.baseline.variance, let base = cell.baseline.mean else { return nil }
        mean -= share * factor * base
        variance += share * share * factor * factor * other / Double(cell.baseline.count)
      }
    }
    return (mean, variance.squareRoot())
  }

  private static func drawn(_ values: [Double], _ random: inout SeededRandom) -> [Double] {
    values.indices.map { _ in values[random.below(values.count)] }
  }
}
