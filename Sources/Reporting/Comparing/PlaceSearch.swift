/// Where a change is concentrated: the calls with this trait moved and the others did not.
public struct Concentration: Sendable, Equatable {
  /// The trait's name, e.g. `video_codec`, and its value.
  public var dimension: String
  public var value: String
  /// Change of the figure's mean for calls with the trait, and for the others.
  public var inside: Double
  public var outside: Double
  /// Number of the candidate's calls with the trait.
  public var calls: Int
  /// Whether no baseline call has the value. The calls are then compared with the baseline's calls of the same
  /// scenarios.
  public var isNew = false
  /// A second trait, if only both together separate the calls that moved from the others.
  public var also: Trait?
  /// How much of the overall change its calls explain.
  public var part: ExplainedPart?

  /// A trait and its value.
  public struct Trait: Sendable, Equatable {
    public var dimension: String
    public var value: String
  }

  /// The one or two traits.
  public var traits: [Trait] { [Trait(dimension: dimension, value: value)] + [also].compactMap { $0 } }
}

/// The result of searching for the calls that a change is concentrated in.
struct PlaceSearch: Sendable {
  /// The trait that best separates calls that moved from those that did not, among those whose calls significantly
  /// explain most of the change.
  var found: Concentration?
  /// If there is none: the trait that explains the largest part and whose calls moved significantly more than others.
  var partly: Concentration?
  /// The trait whose changed mix of values explains most of the change.
  var mix: MixEffect?
  /// Among traits with too few calls for a test but most of the loss, the one whose calls moved most.
  var suspect: Concentration?
  /// Traits with a value that could be compared with all other calls, and traits for which that was not possible: too
  /// few calls, or only one value.
  var tried: Set<String> = []
  var untried: Set<String> = []
  /// Whether traits were compared and none of them explains, or may explain, most of the change.
  var isSpread: Bool {
    found == nil && mix == nil && suspect == nil && !tried.isEmpty && (partly?.part?.estimate ?? 0) <= 0.5
  }
  /// Traits that are unknown for the calls with most of the change.
  var silent: Set<String> = []
  /// Traits with one value in all calls now that none had before, in order. Their effect cannot be separated from the
  /// change.
  var renewed: [(dimension: String, value: String)] = []
}

extension Comparison {
  /// Standard errors by which calls inside and outside must differ. A search over a hundred traits reaches 3 by chance.
  static let concentrationErrors = 4.0

  /// Names of the traits known for calls of both runs; only these can be compared.
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

  /// Finds where the change of an SDK's figure is concentrated.
  func place(sdk: String, of figure: Figure = .scoreMean) -> PlaceSearch {
    var (now, before) = comparedCalls(sdk, figure)
    if figure == .scoreMean {
      // Broken calls are reported separately; their scores would hide where the others moved.
      (now, before) = (now.filter { !$0.isBroken }, before.filter { !$0.isBroken })
    }
    let levels = ScenarioLevels(before, figure)
    let (all, allBefore) = (levels.above(now), levels.above(before))
    var search = PlaceSearch()
    guard let whole = MeanChange(all, allBefore, figure) else { return search }
    /// The part of the change that these calls explain. Calls of which the trait is unknown count as others.
    func part(_ inside: MeanChange, _ own: Moments, _ other: Moments?) -> ExplainedPart? {
      MeanChange(all - own, other.map { allBefore - $0 } ?? allBefore, figure)
        .flatMap { ExplainedPart(inside, others: $0, of: whole) }
    }
    var (most, furthest) = (0.0, 0.0)
    var single: [(errors: Double, trait: Int, value: String)] = []
    for (index, name) in candidate.dimensions.enumerated() {
      let (own, other) = (Split(now, trait: index, levels), Split(before, trait: index, levels))
      if let value = own.only, !other.values.isEmpty, other.values[value] == nil {
        search.renewed.append((name, value))
      }
      if let mix = MixEffect(name, own, other, whole, figure), mix.errors > search.mix?.errors ?? 0 {
        search.mix = mix
      }
      let isSilent = MeanChange(own.all, other.all, figure).map { !$0.isHalf(of: whole) } ?? true
      if isSilent, !own.values.isEmpty { search.silent.insert(name) }
      for value in own.values.keys.sorted() {
        let known = other.values[value]
        guard let inside = MeanChange(own.values[value] ?? Moments(), known ?? other.without(value), figure),
          let outside = MeanChange(own.without(value), other.without(value), figure)
        else { continue }
        let hasEnoughCalls = inside.hasEnoughCalls && outside.hasEnoughCalls
        if hasEnoughCalls, !isSilent { search.tried.insert(name) }
        // Calls that moved against the overall change do not explain it.
        guard abs(inside.change) > abs(outside.change) * 2, inside.change * whole.change > 0 else { continue }
        var place = Concentration(
          dimension: name, value: value, inside: inside.change, outside: outside.change, calls: inside.calls,
          isNew: known == nil)
        place.part = part(inside, own.values[value] ?? Moments(), known)
        let apart = abs(inside.change - outside.change)
        let spread = (inside.error * inside.error + outside.error * outside.error).squareRoot()
        let errors = apart / max(spread, figure.minError)
        if hasEnoughCalls { single.append((errors, index, value)) }
        if hasEnoughCalls, errors > Self.concentrationErrors {
          if place.part?.isMost == true {
            if errors > most * 1.05 { (most, search.found) = (errors, place) }
          } else if place.part?.estimate ?? 0 > search.partly?.part?.estimate ?? 0 {
            search.partly = place
          }
        } else if !hasEnoughCalls, abs(inside.sum) > abs(outside.sum), apart > furthest {
          (furthest, search.suspect) = (apart, place)
        }
      }
    }
    if let pair = pair(
      of: single, among: now, before, levels, figure, than: (most, search.found), part: part)
    {
      search.found = pair
    }
    if search.found != nil { search.partly = nil }
    search.silent.subtract(search.renewed.map(\.dimension))
    search.untried = knownDimensions.subtracting(search.tried).subtracting(search.renewed.map(\.dimension))
      .subtracting(search.silent)
    return search
  }

  /// Two traits that only together separate the calls that moved: the best single traits, each combined with every
  /// other. Nil unless the pair is clearly better than one trait.
  private func pair(
    of single: [(errors: Double, trait: Int, value: String)], among now: [ComparedCall],
    _ before: [ComparedCall], _ levels: ScenarioLevels, _ figure: Figure,
    than best: (errors: Double, found: Concentration?),
    part: (MeanChange, Moments, Moments?) -> ExplainedPart?
  ) -> Concentration? {
    var found: Concentration?
    // A search over pairs finds more by chance than one over single traits.
    var most = max(Self.concentrationErrors + 1, best.errors * 1.25)
    for (_, first, firstValue) in single.sorted(by: { $0.errors > $1.errors }).prefix(6) {
      func inside(_ calls: [ComparedCall]) -> [ComparedCall] {
        calls.filter { first < $0.traits.count && $0.traits[first] == firstValue }
      }
      let (ownInside, otherInside) = (inside(now), inside(before))
      let (own, other) = (Split(now, trait: first, levels), Split(before, trait: first, levels))
      for (second, name) in candidate.dimensions.enumerated() where second != first {
        let (both, bothBefore) = (
          Split(ownInside, trait: second, levels), Split(otherInside, trait: second, levels)
        )
        for (value, moments) in both.values.sorted(by: { $0.key < $1.key }) {
          guard let known = bothBefore.values[value],
            // If all calls with the first trait also have the second, it adds nothing.
            moments.count < own.values[firstValue]?.count ?? 0,
            let inside = MeanChange(moments, known, figure),
            let outside = MeanChange(own.all - moments, other.all - known, figure), inside.hasEnoughCalls,
            outside.hasEnoughCalls,
            abs(inside.change) > abs(outside.change) * 3,
            abs(inside.change) > abs(best.found?.inside ?? 0) * 1.25
          else { continue }
          let spread = (inside.error * inside.error + outside.error * outside.error).squareRoot()
          let errors = abs(inside.change - outside.change) / max(spread, figure.minError)
          let explained = part(inside, moments, known)
          guard errors > most, explained?.isMost == true else { continue }
          most = errors
          found = Concentration(
            dimension: candidate.dimensions[first], value: firstValue, inside: inside.change,
            outside: outside.change, calls: inside.calls, also: .init(dimension: name, value: value),
            part: explained)
        }
      }
    }
    return found
  }

  /// The calls used for the change of an SDK's figure: if the runs are paired, those of scenarios that both have.
  func comparedCalls(_ sdk: String, _ figure: Figure) -> (now: [ComparedCall], before: [ComparedCall]) {
    let (now, before) = (candidate.calls[sdk] ?? [], baseline?.calls[sdk] ?? [])
    func scenarios(_ calls: [ComparedCall]) -> Set<String> {
      Set(calls.lazy.filter { figure.value(of: $0) != nil }.compactMap(\.scenario))
    }
    let shared = scenarios(now).intersection(scenarios(before))
    guard shared.count > 1 else { return (now, before) }
    func ofShared(_ call: ComparedCall) -> Bool { call.scenario.map(shared.contains) ?? false }
    return (now.filter(ofShared), before.filter(ofShared))
  }
}
