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

  static func + (part: Moments, other: Moments) -> Moments {
    var all = part
    all.count += other.count
    all.sum += other.sum
    all.squares += other.squares
    return all
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

  /// Calls on either side of a line.
  struct Sides {
    var inside = Moments()
    var outside = Moments()

    static func += (all: inout Sides, part: Sides) {
      (all.inside, all.outside) = (all.inside + part.inside, all.outside + part.outside)
    }
  }

  /// Calls by their SDK, those inside and those outside.
  static func apart(_ calls: [ComparedCall], _ isInside: (ComparedCall) -> Bool, _ levels: ScenarioLevels)
    -> [String: Sides]
  {
    calls.reduce(into: [:]) { sides, call in
      guard let above = levels.above(call) else { return }
      if isInside(call) {
        sides[call.sdk, default: Sides()].inside.add(above)
      } else {
        sides[call.sdk, default: Sides()].outside.add(above)
      }
    }
  }

  /// The value that all calls have; nil where they have several.
  var only: String? { values.count == 1 ? values.keys.first : nil }

  func without(_ value: String) -> Moments { all - (values[value] ?? Moments()) }
}

/// A change that is another mix of calls: each value of a trait is as before, but other shares of the calls have them.
struct MixEffect: Sendable {
  let dimension: String
  /// The value with the largest part in it, and the share of the calls that has it now and had it before.
  let value: String
  let share: Double
  let shareBefore: Double
  /// What the other mix alone does to the figure's mean, and what is left within the values.
  let part: Double
  let rest: Double
  /// Standard errors that the part is from nothing.
  let errors: Double

  /// Nil unless the mix is beyond chance and at least half of the whole change.
  ///
  /// The baseline's mean of each value is weighted once with the shares of now and once with those of before; what is new, or
  /// has too few calls before to have a mean worth the name, is taken to be like all calls of before.
  init?(_ dimension: String, _ now: Split, _ before: Split, _ whole: MeanChange, _ figure: Figure) {
    let (calls, callsBefore) = (now.all, before.all)
    guard before.values.count > 1, callsBefore.count > before.values.count, let overall = callsBefore.mean,
      calls.count * 2 > whole.calls
    else { return nil }
    let squares = before.values.sorted { $0.key < $1.key }
      .reduce(0) { $0 + ($1.value.variance ?? 0) * Double($1.value.count - 1) }
    let variance = squares / Double(callsBefore.count - before.values.count)
    var (part, noise, own, other) = (0.0, 0.0, (sum: 0.0, squares: 0.0), (sum: 0.0, squares: 0.0))
    var furthest: (value: String, share: Double, before: Double, part: Double)?
    for (value, known) in before.values.sorted(by: { $0.key < $1.key })
    where known.count >= MeanChange.fewestToTell {
      let share = Double(now.values[value]?.count ?? 0) / Double(calls.count)
      let shareBefore = Double(known.count) / Double(callsBefore.count)
      let level = (known.mean ?? overall) - overall
      let gained = share - shareBefore
      part += gained * level
      noise += gained * gained * variance / Double(known.count)
      own = (own.sum + share * level, own.squares + share * level * level)
      other = (other.sum + shareBefore * level, other.squares + shareBefore * level * level)
      if gained * level * whole.change > 0, abs(gained * level) > abs(furthest?.part ?? 0) {
        furthest = (value, share, shareBefore, gained * level)
      }
    }
    noise += max(0, own.squares - own.sum * own.sum) / Double(calls.count)
    noise += max(0, other.squares - other.sum * other.sum) / Double(callsBefore.count)
    let errors = abs(part) / max(noise.squareRoot(), figure.leastError)
    guard let furthest, errors > Comparison.concentrationErrors, part * whole.change > 0,
      abs(part) * 2 >= abs(whole.change)
    else { return nil }
    self.dimension = dimension
    (value, share, shareBefore) = (furthest.value, furthest.share, furthest.before)
    (self.part, rest, self.errors) = (part, whole.change - part, errors)
  }
}
