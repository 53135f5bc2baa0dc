import Glibc

/// A figure's value for each call of two runs, in a form that groups of calls can be tested by.
///
/// Means are compared by normal scores (van der Waerden 1952): how far a call is from its scenario's baseline, in ranks
/// of its own night. One call far off counts no more than the last place, so that a group of four needs no normal
/// distribution of its values, and a night that is worse throughout lets no group stand out. Rare shares are compared by
/// counts: the predictive distribution of a group's count, given what it and all others had.
struct FigureScores {
  private let figure: Figure
  private var values: (now: [Double], before: [Double])
  /// Distance from the scenario's level in the baseline; NaN if unknown or taken out.
  private var distance: (now: [Double], before: [Double]) = ([], [])
  /// Normal scores of these, on the bad side positive.
  private var score: (now: [Double], before: [Double]) = ([], [])
  private(set) var all = Group()

  /// Calls of a group that have the figure.
  struct Group {
    var now = Side()
    var before = Side()

    struct Side {
      /// Of the distances.
      var moments = Moments()
      var score = 0.0
      var having = 0.0
      var count: Int { moments.count }
    }
  }

  /// The calls that are left; scores are needed for `errors` and `worst` alone.
  init(
    _ figure: Figure, now: [ComparedCall], before: [ComparedCall], _ isLeftNow: [Bool],
    _ isLeftBefore: [Bool], isRanked: Bool
  ) {
    self.figure = figure
    func values(_ calls: [ComparedCall], _ isLeft: [Bool]) -> [Double] {
      zip(calls, isLeft).map { call, isLeft in
        // What broke is reported by itself; its score would hide where the others moved.
        guard isLeft, figure.isRare || figure.isOfSetup || !call.isBroken else { return .nan }
        return figure.value(of: call) ?? .nan
      }
    }
    self.values = (values(now, isLeftNow), values(before, isLeftBefore))
    let levels = CellLevels(before, self.values.before, isOfTime: figure.isOfSetup)
    baselineMean = levels.overall
    distance = (levels.above(now, self.values.now), levels.above(before, self.values.before))
    if isRanked {
      let sign = figure == .scoreMean ? -1.0 : 1
      score =
        figure.isRare
        ? self.values
        : (
          NormalScores.of(levels.scaled(now, self.values.now, sign)),
          NormalScores.of(levels.scaled(before, self.values.before, sign))
        )
    } else {
      score = distance
    }
    all = groups(now.map { _ in 0 }, before.map { _ in 0 }, count: 1)[0]
  }

  /// Whether enough calls have the figure to find any group by it.
  var isTestable: Bool {
    min(all.now.count, all.before.count) >= 2 * TraitScan.fewest
      && (!figure.isRare || all.now.having >= Double(TraitScan.fewest))
  }

  /// The mean of the figure now.
  var meanNow: Double? { values.now.filter { !$0.isNaN }.mean }

  /// How the mean of a group changed; nil if a run has none of its calls.
  func change(_ group: Group) -> MeanChange? { MeanChange(group.now.moments, group.before.moments, figure) }

  /// Sums of the calls by the number of their group; −1 is none.
  func groups(_ now: [Int32], _ before: [Int32], count: Int) -> [Group] {
    var groups = [Group](repeating: Group(), count: count)
    for (index, group) in now.enumerated() where group >= 0 && !values.now[index].isNaN {
      groups[Int(group)].now.add(distance.now[index], score.now[index], values.now[index])
    }
    for (index, group) in before.enumerated() where group >= 0 && !values.before[index].isNaN {
      groups[Int(group)].before.add(distance.before[index], score.before[index], values.before[index])
    }
    return groups
  }

  /// The groups of a column among these calls.
  func groups(_ column: ScannedCalls.Column, among calls: (now: [Int], before: [Int])) -> [Group] {
    var groups = [Group](repeating: Group(), count: column.values.count)
    for index in calls.now where column.now[index] >= 0 && !values.now[index].isNaN {
      groups[Int(column.now[index])].now.add(distance.now[index], score.now[index], values.now[index])
    }
    for index in calls.before where column.before[index] >= 0 && !values.before[index].isNaN {
      groups[Int(column.before[index])].before.add(
        distance.before[index], score.before[index], values.before[index])
    }
    return groups
  }

  /// Sums of these calls.
  func group(_ now: [Int], _ before: [Int]) -> Group {
    var group = Group()
    for index in now where !values.now[index].isNaN {
      group.now.add(distance.now[index], score.now[index], values.now[index])
    }
    for index in before where !values.before[index].isNaN {
      group.before.add(distance.before[index], score.before[index], values.before[index])
    }
    return group
  }

  /// How far a group stands out on the bad side, in standard errors; nil if it does not matter how sure it is.
  func errors(_ group: Group) -> Double? {
    guard all.now.count - group.now.count >= TraitScan.fewest else { return nil }
    return figure.isRare ? exact(group) : ranked(group)
  }

  private func ranked(_ group: Group) -> Double? {
    let moves = moves(group)
    let size = abs(moves.inside)
    let isWorse = figure == .scoreMean ? moves.inside < 0 : moves.inside > 0
    guard isWorse, size >= leastChange(group), size > 2 * abs(moves.outside) else { return nil }
    func variance(_ side: Group.Side, _ whole: Group.Side) -> Double {
      side.count == 0 ? 0 : (1 - Double(side.count) / Double(whole.count)) / Double(side.count)
    }
    let own = group.now.score / Double(group.now.count)
    let other = group.before.count == 0 ? 0 : group.before.score / Double(group.before.count)
    let error = (variance(group.now, all.now) + variance(group.before, all.before)).squareRoot()
    return error > 0 ? (own - other) / error : nil
  }

  /// Smallest change worth a name: two points of score, 5 % of the calls, a tenth of a time and at least 20 ms.
  private func leastChange(_ group: Group) -> Double {
    if figure == .scoreMean { return 2 }
    if figure.isShare { return 0.05 }
    return max(20, 0.1 * baselineMean)
  }

  private var baselineMean = 0.0

  /// The count of the group against what it and all others had, as standard errors of a normal distribution.
  private func exact(_ group: Group) -> Double? {
    let others = (now: all.now.count - group.now.count, having: all.now.having - group.now.having)
    // The floor is half a call of the baseline, where none had it.
    let usual = max(
      (all.before.having + 0.5) / Double(all.before.count + 1), others.having / Double(max(1, others.now)))
    let rate = group.now.having / Double(group.now.count)
    guard group.now.having >= Double(TraitScan.fewest), usual < 1, rate > 2 * usual else { return nil }
    // How far rates of groups differ from each other is as well known as from ten calls.
    let weight = 10.0
    let chance = BetaBinomial(
      a: weight * usual + group.before.having,
      b: weight * (1 - usual) + Double(group.before.count) - group.before.having, n: group.now.count
    ).tail(Int(group.now.having))
    guard chance < 0.001 else { return nil }
    // Below what a Double can tell from 1, the asymptotic form.
    return chance > 1e-12
      ? Distributions.normalQuantile(1 - chance) : (-2 * log(max(chance, 1e-300)) - 4).squareRoot()
  }

  /// How the mean of the group and of all others changed, each call against its scenario's baseline.
  func moves(_ group: Group) -> (inside: Double, outside: Double) {
    func mean(_ moments: Moments) -> Double { moments.mean ?? 0 }
    return (
      mean(group.now.moments) - mean(group.before.moments),
      mean(all.now.moments - group.now.moments) - mean(all.before.moments - group.before.moments)
    )
  }

  /// Of these calls those that have the figure, those furthest from what their scenario scatters by first.
  func worst(_ indices: [Int]) -> [Int] {
    let sign = figure == .scoreMean ? -1.0 : 1
    return indices.filter { !values.now[$0].isNaN && (!figure.isRare || values.now[$0] > 0) }
      .sorted {
        (score.now[$1], sign * distance.now[$1], $0) < (score.now[$0], sign * distance.now[$0], $1)
      }
  }
}

extension FigureScores.Group.Side {
  fileprivate mutating func add(_ distance: Double, _ score: Double, _ value: Double) {
    moments.add(distance)
    self.score += score
    if value > 0 { having += 1 }
  }
}

/// The mean of each SDK's scenario in the baseline, and how calls of a scenario scatter about it.
private struct CellLevels {
  private struct Cell: Hashable {
    let sdk: String
    let scenario: String?
  }

  private var means: [Cell: Double] = [:]
  private var scenarios: [String?: Double] = [:]
  private var spreads: [String?: Double] = [:]
  private(set) var overall = 0.0
  private var spread = 1.0
  /// Times scatter in proportion to themselves.
  private let isOfTime: Bool

  /// Weight of the scatter of all scenarios beside that of one, in calls.
  private static let prior = 5.0

  init(_ calls: [ComparedCall], _ values: [Double], isOfTime: Bool) {
    self.isOfTime = isOfTime
    var (cells, wide) = ([Cell: Moments](), [String?: Moments]())
    var all = Moments()
    for (call, value) in zip(calls, values) where !value.isNaN {
      cells[Cell(sdk: call.sdk, scenario: call.scenario), default: Moments()].add(value)
      wide[call.scenario, default: Moments()].add(value)
      all.add(value)
    }
    means = cells.compactMapValues(\.mean)
    scenarios = wide.compactMapValues(\.mean)
    overall = all.mean ?? 0
    var (within, total) = ([String?: (squares: Double, free: Double)](), (squares: 0.0, free: 0.0))
    for (cell, moments) in cells.sorted(by: {
      ($0.key.sdk, $0.key.scenario ?? "") < ($1.key.sdk, $1.key.scenario ?? "")
    }) {
      guard let variance = moments.variance, let mean = moments.mean else { continue }
      let scale = isOfTime ? max(1, mean) * max(1, mean) : 1
      let (squares, free) = (variance / scale * Double(moments.count - 1), Double(moments.count - 1))
      let known = within[cell.scenario] ?? (0, 0)
      within[cell.scenario] = (known.squares + squares, known.free + free)
      total = (total.squares + squares, total.free + free)
    }
    // Half a point, or 5 % of a time: calls that are all alike scatter by less than they are measured to.
    let least = isOfTime ? 0.05 : 0.5
    let mean = total.free > 0 ? total.squares / total.free : 1
    spread = max(least, mean.squareRoot())
    spreads = within.mapValues { own in
      max(least, ((own.squares + Self.prior * mean) / (own.free + Self.prior)).squareRoot())
    }
  }

  private func level(_ call: ComparedCall) -> Double {
    means[Cell(sdk: call.sdk, scenario: call.scenario)] ?? scenarios[call.scenario] ?? overall
  }

  /// Distances from the level, in the figure's unit.
  func above(_ calls: [ComparedCall], _ values: [Double]) -> [Double] {
    zip(calls, values).map { $1.isNaN ? .nan : $1 - level($0) }
  }

  /// The same in units of the scenario's scatter.
  func scaled(_ calls: [ComparedCall], _ values: [Double], _ sign: Double) -> [Double] {
    zip(calls, values).map { call, value in
      guard !value.isNaN else { return .nan }
      let level = level(call)
      let distance = isOfTime ? log(max(1, value) / max(1, level)) : value - level
      return sign * distance / (spreads[call.scenario] ?? spread)
    }
  }
}

/// Ranks as quantiles of a normal distribution; NaN stays NaN, equal values share their mean rank.
private enum NormalScores {
  static func of(_ values: [Double]) -> [Double] {
    let order = values.indices.filter { !values[$0].isNaN }.sorted { values[$0] < values[$1] }
    var scores = [Double](repeating: .nan, count: values.count)
    var place = 0
    while place < order.count {
      var end = place + 1
      while end < order.count, values[order[end]] == values[order[place]] { end += 1 }
      let rank = Double(place + end + 1) / 2
      let share = (rank - 0.375) / (Double(order.count) + 0.25)
      let score = Distributions.normalQuantile(share)
      for index in place..<end { scores[order[index]] = score }
      place = end
    }
    return scores
  }
}

/// The number of n calls that have a property whose rate is known as from a of a + b calls.
private struct BetaBinomial {
  let a: Double
  let b: Double
  let n: Int

  /// The chance of `least` or more.
  func tail(_ least: Int) -> Double {
    let whole = lgamma(a + b) - lgamma(a) - lgamma(b) + lgamma(Double(n) + 1) - lgamma(a + b + Double(n))
    var sum = 0.0
    for count in least...max(least, n) where count <= n {
      let k = Double(count)
      let part = exp(
        whole + lgamma(a + k) + lgamma(b + Double(n) - k) - lgamma(k + 1) - lgamma(Double(n) - k + 1))
      sum += part
      if part < sum * 1e-9 { break }
    }
    return min(1, sum)
  }
}
