import Glibc

/// Candidate minus `factor` × baseline for one figure, with its confidence interval.
///
/// With factor 0 this is the figure of the candidate alone.
struct Contrast {
  let sampled: PairedSamples
  let figure: Figure
  var factor = 1.0
  /// One-sided error rate of each end of the interval, after correction for the other comparisons.
  var error: Double
  var random: SeededRandom
  /// Number of bootstrap draws.
  static let draws = 4000
  static let percentileDraws = 1000

  init(_ sampled: PairedSamples, _ figure: Figure, factor: Double = 1, error: Double, random: SeededRandom) {
    self.sampled = sampled
    self.figure = figure
    self.factor = factor
    self.error = error
    self.random = random
  }

  /// The interval; nil if one of the runs has no value.
  mutating func interval() -> Interval? {
    guard sampled.candidateCount > 0, factor == 0 || sampled.baselineCount > 0 else { return nil }
    return estimate()?.within(possible)
  }

  private mutating func estimate() -> Interval? {
    if figure.isShare { return shares() }
    if let percent = figure.percent { return percentile(percent) }
    return sampled.isPaired ? pairedMean() : unpairedMean()
  }

  /// Range of possible values. Student's t over three calls does not know that a score lies in 0–100.
  private var possible: ClosedRange<Double> {
    let bounds = figure.bounds
    guard factor != 0 else { return bounds }
    return (bounds.lowerBound - factor * bounds.upperBound)...(bounds.upperBound - factor * bounds.lowerBound)
  }
}

extension Contrast {
  /// Share in the candidate minus `factor` × share in the baseline, both with the candidate's mix of scenarios.
  ///
  /// Wilson's interval of each share, combined by Newcombe's method 10 (1998) with the baseline's side scaled by the
  /// factor. A bootstrap would give an interval of zero width for a run in which nothing broke.
  func shares() -> Interval {
    let method: Interval.Method = sampled.isPaired ? .pairedShares : .shares
    let z = Distributions.normalQuantile(1 - error)
    let mix = ScenarioMix(sampled)
    let candidate = MixedShare(sampled.cells.map(\.candidate), mix, z)
    guard factor != 0 else { return Interval(candidate.share, candidate.low, candidate.high, method) }
    let baseline = MixedShare(sampled.cells.map(\.baseline), mix, z)
    let change = candidate.share - factor * baseline.share
    let down = hypot(candidate.share - candidate.low, factor * (baseline.high - baseline.share))
    let up = hypot(candidate.high - candidate.share, factor * (baseline.share - baseline.low))
    return Interval(change, change - down, change + up, method)
  }
}

/// Weights of the scenarios.
struct ScenarioMix {
  /// Weight of each cell: its share of the candidate's calls.
  let weights: [Double]
  /// Cells grouped by the weight of their calls in the baseline, rounded to powers of two. With the same mix in both
  /// runs there is one group.
  let groups: [[Int]]

  /// The candidate's mix; no cell may be empty.
  init(_ sampled: PairedSamples) {
    let (own, other) = (Double(sampled.candidateCount), Double(sampled.baselineCount))
    weights = sampled.cells.map { Double($0.candidate.count) / own }
    let logarithms = zip(weights, sampled.cells).map { weight, cell in
      cell.baseline.isEmpty ? 0 : log2(weight * other / Double(cell.baseline.count)).rounded()
    }
    groups = Dictionary(grouping: logarithms.indices) { logarithms[$0] }.values.map { $0.sorted() }
      .sorted { $0[0] < $1[0] }
  }
}

/// A share of calls in weighted cells, with its interval.
///
/// Cells whose calls have about equal weight are pooled: Wilson's interval of their share, with Kish's effective sample
/// size. The pooled intervals are combined as Newcombe does for two shares, each end by the squares of its distances
/// (Zou and Donner 2008). If all cells have equal weight, the result is Wilson's interval of all calls.
struct MixedShare {
  private(set) var share = 0.0
  private(set) var low = 0.0
  private(set) var high = 0.0

  /// Values must be 0 or 1, and no cell may be empty.
  init(_ values: [[Double]], _ mix: ScenarioMix, _ z: Double) {
    var (down, up) = (0.0, 0.0)
    for group in mix.groups {
      var (weight, hits, squares) = (0.0, 0.0, 0.0)
      for index in group {
        let calls = Double(values[index].count)
        let part = mix.weights[index]
        weight += part
        hits += part * values[index].reduce(0, +) / calls
        squares += part * part / calls
      }
      let own = Self.wilson(hits / weight, calls: weight * weight / squares, z)
      share += hits
      down += weight * weight * own.down * own.down
      up += weight * weight * own.up * own.up
    }
    low = max(0, share - down.squareRoot())
    high = min(1, share + up.squareRoot())
  }

  /// Distances from a share to the lower and upper end of its Wilson interval.
  private static func wilson(_ share: Double, calls: Double, _ z: Double) -> (down: Double, up: Double) {
    let centre = (share + z * z / (2 * calls)) / (1 + z * z / calls)
    let half =
      z / (1 + z * z / calls) * (share * (1 - share) / calls + z * z / (4 * calls * calls)).squareRoot()
    return (share - max(0, min(share, centre - half)), min(1, max(share, centre + half)) - share)
  }
}

extension Contrast {
  /// Minimum number of calls in a run for an interval of a percentile.
  static let percentileCalls = 20

  /// Percentile of the candidate minus `factor` × that of the baseline with the candidate's mix of scenarios. The
  /// interval is normal, with the standard error from the bootstrap.
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

/// All values of a run, sorted, each with its cell and weight, so that a percentile takes one pass.
struct Ranked {
  private let values: [(value: Double, cell: Int)]
  private let members: [[Int]]
  /// Weight of a value, by cell.
  private let weights: [Double]

  /// Sorts the values of all cells; without weights each value counts once.
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

  /// Percentile by nearest rank, with each value counted once.
  func percentile(_ percent: Int) -> Double? {
    percentile(percent, cellTimes: [Int](repeating: 1, count: members.count))
  }

  /// Percentile by nearest rank, with each value counted as often as its cell was drawn.
  func percentile(_ percent: Int, cellTimes: [Int]) -> Double? {
    var total = 0.0
    for (cell, times) in cellTimes.enumerated() {
      total += Double(times * members[cell].count) * weights[cell]
    }
    return walk(percent, of: total) { cellTimes[values[$0].cell] }
  }

  /// Percentile by nearest rank of one bootstrap draw within each cell.
  func redrawn(_ percent: Int, _ random: inout SeededRandom) -> Double? {
    var times = [Int](repeating: 0, count: values.count)
    var total = 0.0
    for (index, cell) in members.enumerated() {
      for _ in cell { times[cell[random.below(cell.count)]] += 1 }
      total += Double(cell.count) * weights[index]
    }
    return walk(percent, of: total) { times[$0] }
  }

  /// The first value at which the cumulative weight reaches the percentile. A tolerance of 1e-12 absorbs rounding
  /// errors in the sum of weights.
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

extension Contrast {
  /// Mean of the within-scenario differences, weighted by the candidate's number of calls.
  ///
  /// If every scenario ran several times, the variation is between calls, which are resampled within their scenario. If
  /// some ran once or twice, scenarios are resampled; with fewer than ten scenarios, Student's t is used.
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
    return expanded(
      mean, drawn, by: plain > 0 ? spread / plain : 1, degrees: Double(count - 1), .pairedScenarios)
  }

  /// Difference of the means of two runs, or the mean of one run.
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

  /// Bootstrap over calls within each cell; nil if a cell has fewer than three calls on a side.
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
    return expanded(whole.mean, drawn, by: whole.inflation, degrees: whole.degrees, method)
  }

  /// Percentile interval of the draws, widened because the bootstrap is too narrow for small samples (Hesterberg 2015).
  private func expanded(
    _ mean: Double, _ drawn: [Double], by inflation: Double, degrees: Double, _ method: Interval.Method
  ) -> Interval {
    let ordered = drawn.sorted()
    let tail = max(0, min(ordered.count / 2, Int(error * Double(ordered.count))))
    let stretch =
      inflation * Distributions.studentQuantile(1 - error, degrees: degrees)
      / Distributions.normalQuantile(1 - error)
    let (low, high) = (ordered[tail], ordered[ordered.count - 1 - tail])
    return Interval(mean, mean - (mean - low) * stretch, mean + (high - mean) * stretch, method)
  }

  /// Number of draws. Large runs need fewer for the same precision, and each draw costs more.
  private var draws: Int {
    max(1000, min(Self.draws, 4_000_000 / max(1, sampled.candidateCount + sampled.baselineCount)))
  }

  /// Weighted mean of differences and its standard error; nil for fewer than two values.
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

/// Mean and spread of calls in cells, each cell weighted by the candidate's number of calls.
private struct Stratified {
  var mean = 0.0
  /// Standard error of the mean.
  var spread = 0.0
  /// Factor by which a bootstrap within small cells underestimates the standard error.
  var inflation = 1.0
  /// Degrees of freedom of the standard error (Welch 1947, Satterthwaite 1946). If a few scenarios vary far more than
  /// the others, only their calls determine it.
  var degrees = 1e7
  var shares: [Double]

  /// Nil if a cell has fewer than two calls.
  init?(cells: [PairedSamples.Cell], factor: Double) {
    let total = Double(cells.reduce(0) { $0 + $1.candidate.count })
    shares = cells.map { Double($0.candidate.count) / total }
    var (variance, plain, uncertainty) = (0.0, 0.0, 0.0)
    for (cell, share) in zip(cells, shares) {
      for (values, weight) in [(cell.candidate, share), (cell.baseline, -share * factor)] where weight != 0 {
        guard let value = values.mean, let own = values.variance else { return nil }
        let count = Double(values.count)
        mean += weight * value
        let part = weight * weight * own / count
        variance += part
        uncertainty += part * part / (count - 1)
        plain += weight * weight * own * (count - 1) / (count * count)
      }
    }
    spread = variance.squareRoot()
    if uncertainty > 0 { degrees = min(1e7, max(1, variance * variance / uncertainty)) }
    if plain > 0 { inflation = (variance / plain).squareRoot() }
  }
}
