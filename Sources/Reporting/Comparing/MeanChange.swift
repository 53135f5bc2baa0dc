/// Change of a figure's mean with its standard error (Welch).
struct MeanChange {
  /// Minimum number of calls on each side for a standard error.
  static let minCalls = 4

  let change: Double
  let error: Double
  let calls: Int
  /// Total change over all its calls.
  var sum: Double { change * Double(calls) }
  /// Whether its calls account for at least half of another change.
  func isHalf(of whole: MeanChange) -> Bool { sum * whole.sum * 2 >= whole.sum * whole.sum }
  /// Whether there are enough calls for the standard error to be meaningful.
  let hasEnoughCalls: Bool

  /// Standard errors between two changes.
  func errors(from other: MeanChange, _ figure: Figure) -> Double {
    let spread = (error * error + other.error * other.error).squareRoot()
    return abs(change - other.change) / max(spread, figure.minError)
  }

  /// Nil if a side has no call.
  init?(_ now: Moments, _ before: Moments, _ figure: Figure) {
    guard let a = now.mean, let b = before.mean else { return nil }
    let variance = [now, before].reduce(0) { sum, values in
      sum + max(values.variance ?? 0, figure.minVariance(of: values.count)) / Double(values.count)
    }
    (change, error, calls) = (a - b, variance.squareRoot(), now.count)
    hasEnoughCalls = min(now.count, before.count) >= Self.minCalls
  }
}

/// Count, sum and sum of squares: enough for mean and variance, and for those of a set difference.
struct Moments {
  private(set) var count = 0
  private var sum = 0.0
  private var squares = 0.0

  var mean: Double? { count == 0 ? nil : sum / Double(count) }
  /// Sample variance (n − 1); nil for fewer than two values.
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
  /// Floor of the standard error, for calls that are all equal: half the precision it is reported with, which is 0.1
  /// points, 0.1 % or 1 ms.
  var minError: Double { isShare ? 0.0005 : self == .scoreMean ? 0.05 : 0.5 }

  /// Floor of the variance for this many calls. A share of 0 or 1 gets the variance it would have with one more call of
  /// the opposite value.
  fileprivate func minVariance(of calls: Int) -> Double {
    guard isShare else { return 0 }
    let share = 1 / Double(calls + 2)
    return share * (1 - share)
  }
}

/// Mean of each scenario in the baseline. Calls are compared with it, so that differences between scenarios do not hide
/// a change.
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

  func above(_ call: ComparedCall) -> Double? {
    figure.value(of: call).map { $0 - (means[call.scenario] ?? overall) }
  }
}

/// A figure's deviation from the scenario level, by the number of a trait's value.
struct Split {
  let values: [Moments]
  /// Moments of the calls for which the trait is known.
  let all: Moments

  init(_ values: [Moments]) { (self.values, all) = (values, values.reduce(Moments(), +)) }

  var isEmpty: Bool { all.count == 0 }

  /// The values that calls have.
  var known: [Int] { values.indices.filter { values[$0].count > 0 } }

  /// The value that all calls have; nil if there are several.
  var only: Int? { known.count == 1 ? known.first : nil }

  func without(_ value: Int) -> Moments { all - values[value] }
}

/// A change caused by a different mix of calls: each value of a trait performs as before, but the shares of the values
/// changed.
struct MixEffect: Sendable {
  let dimension: String
  /// The value that contributes most, and its share of the calls now and before.
  let value: String
  let share: Double
  let shareBefore: Double
  /// Change of the figure's mean due to the mix alone, and the remaining change within the values.
  let part: Double
  let rest: Double
  /// Distance of the part from zero, in standard errors.
  let errors: Double

  /// Nil unless the mix effect is significant and at least half of the overall change.
  ///
  /// The baseline's mean of each value is weighted once with the candidate's shares and once with the baseline's. A
  /// value that is new, or had too few calls before for a usable mean, gets the mean of all baseline calls.
  init?(
    _ dimension: String, _ values: [String], _ now: Split, _ before: Split, _ whole: MeanChange,
    _ figure: Figure
  ) {
    let (calls, callsBefore) = (now.all, before.all)
    // By name: the last digit of a sum depends on its order.
    let known = before.known.sorted { values[$0] < values[$1] }
    guard known.count > 1, callsBefore.count > known.count, let overall = callsBefore.mean,
      calls.count * 2 > whole.calls
    else { return nil }
    let squares = known.reduce(0) {
      $0 + (before.values[$1].variance ?? 0) * Double(before.values[$1].count - 1)
    }
    let variance = squares / Double(callsBefore.count - known.count)
    var (part, noise, own, other) = (0.0, 0.0, (sum: 0.0, squares: 0.0), (sum: 0.0, squares: 0.0))
    var furthest: (value: String, share: Double, before: Double, part: Double)?
    for place in known where before.values[place].count >= MeanChange.minCalls {
      let (value, known) = (values[place], before.values[place])
      let share = Double(now.values[place].count) / Double(calls.count)
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
    let errors = abs(part) / max(noise.squareRoot(), figure.minError)
    guard let furthest, errors > ChangeSource.minErrors, part * whole.change > 0,
      abs(part) * 2 >= abs(whole.change)
    else { return nil }
    self.dimension = dimension
    (value, share, shareBefore) = (furthest.value, furthest.share, furthest.before)
    (self.part, rest, self.errors) = (part, whole.change - part, errors)
  }
}
