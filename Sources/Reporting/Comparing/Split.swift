/// Welch's change of a figure's mean and its standard error.
struct MeanChange {
  /// Fewest calls of a run on a side of which an error is told.
  static let fewestToTell = 4

  let change: Double
  let error: Double
  let calls: Int
  /// Over all calls.
  var sum: Double { change * Double(calls) }
  /// Whether its calls have half of another's change or more.
  func isHalf(of whole: MeanChange) -> Bool { sum * whole.sum * 2 >= whole.sum * whole.sum }
  /// Whether there are calls enough for the error to mean something.
  let isTold: Bool

  /// Nil where a side has no call.
  init?(_ now: Moments, _ before: Moments, _ figure: Figure) {
    guard let a = now.mean, let b = before.mean else { return nil }
    let variance = [now, before].reduce(0) { sum, values in
      sum + max(values.variance ?? 0, figure.leastVariance(of: values.count)) / Double(values.count)
    }
    (change, error, calls) = (a - b, variance.squareRoot(), now.count)
    isTold = min(now.count, before.count) >= Self.fewestToTell
  }
}

/// Number, sum and squares of values: what mean and variance need, also of all but some.
struct Moments {
  private(set) var count = 0
  private var sum = 0.0
  private var squares = 0.0

  var mean: Double? { count == 0 ? nil : sum / Double(count) }
  /// Variance of the population they were drawn from; nil of fewer than two.
  var variance: Double? {
    count < 2 ? nil : max(0, squares - sum * sum / Double(count)) / Double(count - 1)
  }

  mutating func add(_ value: Double) {
    count += 1
    sum += value
    squares += value * value
  }

  static func - (all: Moments, part: Moments) -> Moments {
    var rest = all
    rest.count -= part.count
    rest.sum -= part.sum
    rest.squares -= part.squares
    return rest
  }
}

extension Figure {
  /// Calls that are all alike have no smaller error than half of what the figure is told to: a tenth of a point, a millisecond.
  var leastError: Double { isShare ? 0.0005 : self == .scoreMean ? 0.05 : 0.5 }

  /// Variance of so many calls at the least: of a share of none or all it is that of one more call, which is the other way.
  fileprivate func leastVariance(of calls: Int) -> Double {
    guard isShare else { return 0 }
    let share = 1 / Double(calls + 2)
    return share * (1 - share)
  }
}

/// What each scenario was like in the baseline: a call is held against that, so that scenarios which differ do not hide a change.
struct ScenarioLevels {
  private var means: [String?: Double] = [:]
  private var overall: Double
  private let figure: Figure

  init(_ calls: [ComparedCall], _ figure: Figure) {
    self.figure = figure
    overall = calls.compactMap { figure.value(of: $0) }.mean ?? 0
    for (scenario, group) in Dictionary(grouping: calls, by: \.scenario) {
      means[scenario] = group.compactMap { figure.value(of: $0) }.mean
    }
  }

  /// Of calls that a trait does not divide.
  func above(_ calls: [ComparedCall]) -> Moments {
    var moments = Moments()
    for call in calls {
      if let above = above(call) { moments.add(above) }
    }
    return moments
  }

  func above(_ call: ComparedCall) -> Double? {
    figure.value(of: call).map { $0 - (means[call.scenario] ?? overall) }
  }
}

/// A figure of calls above their scenario's level, by a trait's value.
struct Split {
  private(set) var values: [String: Moments] = [:]
  /// Of the calls that tell of the trait.
  private(set) var all = Moments()

  init(_ calls: [ComparedCall], trait: Int, _ levels: ScenarioLevels) {
    for call in calls {
      guard let above = levels.above(call), trait < call.traits.count, let value = call.traits[trait] else {
        continue
      }
      values[value, default: Moments()].add(above)
      all.add(above)
    }
  }

  /// The value that all calls have; nil where they have several.
  var only: String? { values.count == 1 ? values.keys.first : nil }

  func without(_ value: String) -> Moments { all - (values[value] ?? Moments()) }
}
