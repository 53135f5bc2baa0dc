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
}

extension Comparison {
  /// Standard errors that inside and outside must differ by: a search over a hundred traits finds 3 by chance alone.
  static let concentrationErrors = 4.0

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

  /// The trait that tells moved calls from unmoved ones best; nil where none does beyond chance.
  public func concentration(sdk: String) -> Concentration? {
    let (now, before) = (candidate.calls[sdk] ?? [], baseline?.calls[sdk] ?? [])
    let levels = ScenarioLevels(before)
    var best: (errors: Double, found: Concentration)?
    for (index, name) in candidate.dimensions.enumerated() {
      let (own, other) = (Split(now, trait: index, levels), Split(before, trait: index, levels))
      for value in Set(own.scores.keys).intersection(other.scores.keys).sorted() {
        guard let inside = Self.moved(own.scores[value] ?? [], other.scores[value] ?? []),
          let outside = Self.moved(own.without(value), other.without(value))
        else { continue }
        let spread = (inside.error * inside.error + outside.error * outside.error).squareRoot()
        let errors = spread > 0 ? abs(inside.change - outside.change) / spread : 0
        guard errors > Self.concentrationErrors, abs(inside.change) > abs(outside.change) * 2,
          errors > (best?.errors ?? 0) * 1.05
        else { continue }
        best = (
          errors,
          Concentration(
            dimension: name, value: value, inside: inside.change, outside: outside.change,
            calls: own.scores[value]?.count ?? 0)
        )
      }
    }
    return best?.found
  }

  /// Welch's change of the mean and its standard error; nil of fewer than four calls on a side.
  private static func moved(_ now: [Double], _ before: [Double]) -> (change: Double, error: Double)? {
    guard now.count > 3, before.count > 3, let a = now.mean, let b = before.mean else { return nil }
    let variance = (now.variance ?? 0) / Double(now.count) + (before.variance ?? 0) / Double(before.count)
    return (a - b, variance.squareRoot())
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

  func without(_ value: String) -> [Double] {
    scores.filter { $0.key != value }.sorted { $0.key < $1.key }.flatMap(\.value)
  }
}
