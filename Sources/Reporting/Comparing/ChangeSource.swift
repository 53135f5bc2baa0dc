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

/// Which calls a change of a figure is of, among those of an SDK or of all.
struct ChangeSource: Sendable {
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

  /// Standard errors by which calls inside and outside must differ. A search over a hundred traits reaches 3 by chance.
  static let minErrors = 4.0
}

extension ScannedCalls {
  /// The change of a figure over the calls of an SDK, or of all, and how its groups took part.
  struct Change {
    let scores: FigureScores
    let whole: MeanChange
  }

  /// Nil if a run has no call with the figure.
  func change(of figure: Figure, sdk: String?) -> Change? {
    let (now, before) = compared(figure, sdk)
    let scores = FigureScores(figure, now: self.now, before: self.before, now, before, isRanked: false)
    return scores.change(scores.all).map { Change(scores: scores, whole: $0) }
  }

  /// Finds which calls a change is of.
  func source(of figure: Figure, sdk: String?) -> ChangeSource {
    change(of: figure, sdk: sdk).map { source(of: $0, figure, sdk) } ?? ChangeSource()
  }

  private func source(of change: Change, _ figure: Figure, _ sdk: String?) -> ChangeSource {
    let (scores, whole) = (change.scores, change.whole)
    var search = ChangeSource()
    var (most, furthest) = (0.0, 0.0)
    var single: [Single] = []
    for column in traits(of: sdk) {
      let name = dimensions[column.dimension]
      let groups = scores.groups(column.now, column.before, count: column.values.count)
      let (own, other) = (Split(groups.map(\.now.moments)), Split(groups.map(\.before.moments)))
      if let value = own.only, !other.isEmpty, other.values[value].count == 0 {
        search.renewed.append((name, column.values[value].value))
      }
      if let mix = MixEffect(name, column.values.map(\.value), own, other, whole, figure),
        mix.errors > search.mix?.errors ?? 0
      {
        search.mix = mix
      }
      let isSilent = MeanChange(own.all, other.all, figure).map { !$0.isHalf(of: whole) } ?? true
      if isSilent, !own.isEmpty { search.silent.insert(name) }
      for value in column.values.indices.sorted(by: { column.values[$0].value < column.values[$1].value })
      where own.values[value].count > 0 {
        let isNew = other.values[value].count == 0
        guard let inside = MeanChange(own.values[value], isNew ? other.all : other.values[value], figure),
          let outside = MeanChange(own.without(value), other.without(value), figure)
        else { continue }
        let hasEnoughCalls = inside.hasEnoughCalls && outside.hasEnoughCalls
        if hasEnoughCalls, !isSilent { search.tried.insert(name) }
        // Calls that moved against the overall change do not explain it.
        guard abs(inside.change) > abs(outside.change) * 2, inside.change * whole.change > 0 else { continue }
        var place = Concentration(
          dimension: name, value: column.values[value].value, inside: inside.change, outside: outside.change,
          calls: inside.calls, isNew: isNew)
        place.part = part(of: change, own.values[value], isNew ? nil : other.values[value], figure)
        let errors = inside.errors(from: outside, figure)
        if hasEnoughCalls { single.append(Single(errors: errors, column: column, value: value, own, other)) }
        let apart = abs(inside.change - outside.change)
        if hasEnoughCalls, errors > ChangeSource.minErrors {
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
    if let pair = pair(of: single, change, figure, sdk, than: (most, search.found)) { search.found = pair }
    if search.found != nil { search.partly = nil }
    search.silent.subtract(search.renewed.map(\.dimension))
    let known = sdk == nil ? knownTraits : knownTraits.subtracting([kind])
    search.untried = known.subtracting(search.tried).subtracting(search.renewed.map(\.dimension))
      .subtracting(search.silent)
    return search
  }

  /// A value that could be compared, with its trait's other values in both runs.
  private struct Single {
    let errors: Double
    let column: Column
    let value: Int
    let own: Split
    let other: Split

    init(errors: Double, column: Column, value: Int, _ own: Split, _ other: Split) {
      (self.errors, self.column, self.value, self.own, self.other) = (errors, column, value, own, other)
    }
  }

  /// The part of the change that these calls explain. Calls of which the trait is unknown count as others.
  private func part(of change: Change, _ own: Moments, _ other: Moments?, _ figure: Figure) -> ExplainedPart?
  {
    let all = change.scores.all
    guard let inside = MeanChange(own, other ?? all.before.moments, figure),
      let others = MeanChange(
        all.now.moments - own, other.map { all.before.moments - $0 } ?? all.before.moments, figure)
    else { return nil }
    return ExplainedPart(inside, others: others, of: change.whole)
  }

  /// Two traits that only together separate the calls that moved: the best single traits, each combined with every
  /// other. Nil unless the pair is clearly better than one trait.
  private func pair(
    of single: [Single], _ change: Change, _ figure: Figure, _ sdk: String?,
    than best: (errors: Double, found: Concentration?)
  ) -> Concentration? {
    var found: Concentration?
    // A search over pairs finds more by chance than one over single traits.
    var most = max(ChangeSource.minErrors + 1, best.errors * 1.25)
    for first in single.sorted(by: { $0.errors > $1.errors }).prefix(6) {
      let calls = first.column.having(first.value)
      for second in traits(of: sdk) where second.dimension != first.column.dimension {
        let within = change.scores.groups(second, among: calls)
        for value in second.values.indices.sorted(by: { second.values[$0].value < second.values[$1].value }) {
          let (own, known) = (within[value].now.moments, within[value].before.moments)
          // If all calls with the first trait also have the second, it adds nothing.
          guard known.count > 0, own.count < first.own.values[first.value].count,
            let inside = MeanChange(own, known, figure),
            let outside = MeanChange(first.own.all - own, first.other.all - known, figure),
            inside.hasEnoughCalls, outside.hasEnoughCalls, abs(inside.change) > abs(outside.change) * 3,
            abs(inside.change) > abs(best.found?.inside ?? 0) * 1.25
          else { continue }
          let errors = inside.errors(from: outside, figure)
          let explained = part(of: change, own, known, figure)
          guard errors > most, explained?.isMost == true else { continue }
          most = errors
          found = Concentration(
            dimension: dimensions[first.column.dimension], value: first.column.values[first.value].value,
            inside: inside.change, outside: outside.change, calls: inside.calls,
            also: .init(dimension: dimensions[second.dimension], value: second.values[value].value),
            part: explained)
        }
      }
    }
    return found
  }
}
