/// Where a change sits: the calls that share a trait moved, the others did not.
public struct Concentration: Sendable, Equatable {
  /// The trait's name, e.g. `video_codec`, and its value.
  public var dimension: String
  public var value: String
  /// Change of the score's mean inside and outside.
  public var inside: Double
  public var outside: Double
  /// Calls of the candidate inside.
  public var calls: Int
  /// No call of the baseline has the value: those inside are held against what their scenarios scored without it.
  public var isNew = false
}

/// What came of looking for the place of a change.
struct PlaceSearch: Sendable {
  /// The trait that tells moved calls from unmoved ones best, beyond chance.
  var found: Concentration?
  /// Of the traits with too few calls to tell, but with most of what was lost, the one whose calls moved most.
  var suspect: Concentration?
  /// Traits of which a value could be held against all others, and those of which none could: too few calls, or of one kind.
  var tried: Set<String> = []
  var untried: Set<String> = []
  /// Traits of which every call has one value that none had before, in order: their part in a change cannot be told apart.
  var renewed: [(dimension: String, value: String)] = []
}

extension Comparison {
  /// Standard errors that inside and outside must differ by: a search over a hundred traits finds 3 by chance alone.
  static let concentrationErrors = 4.0
  /// Fewest calls of a run on a side of which an error is told.
  static let fewestToTell = 4
  /// Scores are told to a tenth of a point; calls that all score the same have no smaller error than half of that.
  private static let leastError = 0.05

  /// Names of the traits that calls of both runs tell of: only in these can anything stand out.
  var knownDimensions: Set<String> {
    func known(_ run: RunFigures?) -> Set<Int> {
      var places: Set<Int> = []
      for calls in (run?.calls ?? [:]).values {
        for call in calls where places.count < candidate.dimensions.count {
          for (place, value) in call.traits.enumerated() where value != nil { places.insert(place) }
        }
      }
      return places
    }
    let both = known(candidate).intersection(known(baseline))
    return Set(both.filter(candidate.dimensions.indices.contains).map { candidate.dimensions[$0] })
  }

  /// Where the change of an SDK sits, and where it was looked for.
  func place(sdk: String) -> PlaceSearch {
    let (now, before) = comparedCalls(sdk)
    let levels = ScenarioLevels(before)
    var search = PlaceSearch()
    var (most, furthest) = (0.0, 0.0)
    for (index, name) in candidate.dimensions.enumerated() {
      let (own, other) = (Split(now, trait: index, levels), Split(before, trait: index, levels))
      if let value = own.only, !other.scores.isEmpty, other.scores[value] == nil {
        search.renewed.append((name, value))
      }
      for value in own.scores.keys.sorted() {
        let known = other.scores[value]
        guard let inside = Move(own.scores[value] ?? [], known ?? other.without(value)),
          let outside = Move(own.without(value), other.without(value))
        else { continue }
        let isTold = inside.isTold && outside.isTold
        if isTold { search.tried.insert(name) }
        guard abs(inside.change) > abs(outside.change) * 2 else { continue }
        let place = Concentration(
          dimension: name, value: value, inside: inside.change, outside: outside.change, calls: inside.calls,
          isNew: known == nil)
        let apart = abs(inside.change - outside.change)
        let spread = (inside.error * inside.error + outside.error * outside.error).squareRoot()
        let errors = apart / max(spread, Self.leastError)
        if isTold, errors > Self.concentrationErrors, errors > most * 1.05 {
          (most, search.found) = (errors, place)
        } else if !isTold, abs(inside.sum) > abs(outside.sum), apart > furthest {
          (furthest, search.suspect) = (apart, place)
        }
      }
    }
    search.untried = knownDimensions.subtracting(search.tried).subtracting(search.renewed.map(\.dimension))
    return search
  }

  /// The calls that the change of an SDK's score is made from: where runs pair, those of scenarios that both have.
  private func comparedCalls(_ sdk: String) -> (now: [ComparedCall], before: [ComparedCall]) {
    let (now, before) = (candidate.calls[sdk] ?? [], baseline?.calls[sdk] ?? [])
    func scenarios(_ calls: [ComparedCall]) -> Set<String> {
      Set(calls.lazy.filter { $0.score != nil }.compactMap(\.scenario))
    }
    let shared = scenarios(now).intersection(scenarios(before))
    guard shared.count > 1 else { return (now, before) }
    func ofShared(_ call: ComparedCall) -> Bool { call.scenario.map(shared.contains) ?? false }
    return (now.filter(ofShared), before.filter(ofShared))
  }

  /// Welch's change of the mean and its standard error.
  private struct Move {
    let change: Double
    let error: Double
    let calls: Int
    /// Over all calls.
    var sum: Double { change * Double(calls) }
    /// Whether there are calls enough for the error to mean something.
    let isTold: Bool

    /// Nil where a side has no call.
    init?(_ now: [Double], _ before: [Double]) {
      guard let a = now.mean, let b = before.mean else { return nil }
      let variance = (now.variance ?? 0) / Double(now.count) + (before.variance ?? 0) / Double(before.count)
      (change, error, calls) = (a - b, variance.squareRoot(), now.count)
      isTold = min(now.count, before.count) >= Comparison.fewestToTell
    }
  }
}

/// What each scenario scored in the baseline: a call is held against that, so that scenarios which differ do not hide a change.
private struct ScenarioLevels {
  private var means: [String?: Double] = [:]
  private var overall: Double

  init(_ calls: [ComparedCall]) {
    overall = calls.compactMap(\.score).mean ?? 0
    for (scenario, group) in Dictionary(grouping: calls, by: \.scenario) {
      means[scenario] = group.compactMap(\.score).mean
    }
  }

  func above(_ call: ComparedCall) -> Double? { call.score.map { $0 - (means[call.scenario] ?? overall) } }
}

/// Scores of calls above their scenario's level, by a trait's value.
private struct Split {
  var scores: [String: [Double]] = [:]

  init(_ calls: [ComparedCall], trait: Int, _ levels: ScenarioLevels) {
    for call in calls {
      guard let score = levels.above(call), trait < call.traits.count, let value = call.traits[trait] else {
        continue
      }
      scores[value, default: []].append(score)
    }
  }

  /// The value that all calls have; nil where they have several.
  var only: String? { scores.count == 1 ? scores.keys.first : nil }

  func without(_ value: String) -> [Double] {
    scores.filter { $0.key != value }.sorted { $0.key < $1.key }.flatMap(\.value)
  }
}
