import CallModel

/// Calls that share a value of a trait and got worse by a figure while the others did not.
struct Standout: Sendable {
  let figure: Figure
  /// The trait, and how its calls and all others moved.
  let place: Concentration
  /// The SDK that all of them are of; nil for several.
  let sdk: String?
  /// Its calls now, furthest on the bad side of their scenario first; for shares those that count.
  let calls: [ComparedCall]
  /// How many of them count now, and did before; nil for means.
  var counts: (now: Int, before: Int)?
  /// The phase that most of a longer setup is of, and its part of it, 0–1.
  var phase: (name: PhaseName, part: Double)?
  /// Where the fault of most of them is.
  var fault: Place?
  /// The SDKs in which they got worse, of how many; nil if their calls are too few in one of them to tell.
  fileprivate(set) var sdks: (worse: Set<String>, of: Int)?

  fileprivate(set) var keys: Set<Int64> = []

  /// Kinds of figures of which one call shows one fault: it is reported once, by the first of them.
  fileprivate var family: Family { figure.isRare ? .share : figure.isOfSetup ? .setup : .score }
  fileprivate enum Family { case share, score, setup }

  /// Whether most of the calls of the smaller of the two belong to the other.
  func overlaps(_ other: Set<Int64>) -> Bool {
    let (own, all) = (keys.intersection(other).count, min(keys.count, other.count))
    return all > 0 && own * 2 >= all
  }
}

/// The search for what moved: values of traits whose calls got worse, figures that moved in all SDKs together, and the
/// calls that a change is of.
///
/// Every value is tried over all SDKs, and within each SDK, by every figure, whether or not anything moved as a whole.
/// These tests share one error (`NightError`), by Bonferroni. What is found is taken out before the next is looked for.
struct TraitScan: Sendable {
  /// What got worse, the most severe first; each fault once.
  private(set) var found: [Standout] = []
  /// How many groups of calls were tried, by how many figures.
  private(set) var groups = 0
  private(set) var figures = 0
  /// Names of the traits with a value that was tried.
  private(set) var traits: Set<String> = []
  /// Figures that moved in all SDKs together.
  private(set) var together: [WholeChange] = []
  /// The calls of both runs.
  let calls: ScannedCalls

  /// Fewest calls of a group; for a share, fewest of them that count.
  static let fewest = 4
  /// Most values found by one figure: more are no single fault.
  private static let most = 3
  /// A group within an SDK, or a later trait, must stand out by so much more to be named in place of a wider one.
  private static let clearer = 1.05

  init(_ comparison: Comparison) {
    calls = ScannedCalls(comparison)
    guard !calls.before.isEmpty else { return }
    together = WholeChange.figures.filter { !$0.restsOnVerdict || comparison.otherRules == nil }
      .compactMap { WholeChange($0, in: calls, error: comparison.questionError) }
    guard comparison.unfinished == nil else { return }
    let figures = calls.figures.filter { !$0.restsOnVerdict || comparison.otherRules == nil }
    let tried = calls.columns.filter { $0.tried > 0 }
    (groups, self.figures) = (tried.reduce(0) { $0 + $1.tried }, figures.count)
    traits = Set(tried.map { calls.dimensions[$0.dimension] })
    guard groups > 0 else { return }
    let tests = Double(groups * figures.count)
    let limit = Distributions.normalQuantile(
      1 - comparison.questionError * NightError.parts.traits / tests)
    var all: [Standout] = []
    for figure in figures {
      var rest = Remaining(calls)
      for _ in 0..<Self.most {
        guard let next = rest.furthest(figure, beyond: limit, clearer: Self.clearer) else { break }
        all.append(next)
      }
    }
    found = all.reduce(into: []) { Self.add($1, to: &$0) }
  }

  /// The calls that a change is of, as a standout of their own: of a trait, among the calls of an SDK or of all.
  func standout(_ place: Concentration, _ figure: Figure, sdk: String?) -> Standout? {
    let first = place.traits.compactMap { trait in
      calls.traits(of: nil).first { calls.dimensions[$0.dimension] == trait.dimension }
        .flatMap { column in
          column.values.firstIndex { $0.value == trait.value }.map { (column, Int32($0)) }
        }
    }
    guard first.count == place.traits.count else { return nil }
    let compared = calls.compared(figure, sdk)
    return Remaining(calls, compared).standout(figure, place, sdk: sdk) { isNow, index in
      first.allSatisfy { (isNow ? $0.now : $0.before)[index] == $1 }
    }
  }

  /// Adds a fault, unless its calls are those of one that is known already; what it tells of that one is kept.
  private static func add(_ next: Standout, to found: inout [Standout]) {
    if case .placeShare(let place) = next.figure,
      let known = found.firstIndex(where: { $0.overlaps(next.keys) })
    {
      found[known].fault = found[known].fault ?? place
      return
    }
    guard !found.contains(where: { $0.family == next.family && $0.overlaps(next.keys) }) else { return }
    found.append(next)
  }
}

/// The calls of which no standout tells yet.
private struct Remaining {
  private let calls: ScannedCalls
  private var isLeft: (now: [Bool], before: [Bool])

  init(_ calls: ScannedCalls, _ isLeft: (now: [Bool], before: [Bool])? = nil) {
    self.calls = calls
    self.isLeft = isLeft ?? (calls.now.map { _ in true }, calls.before.map { _ in true })
  }

  /// The group that stands out most by a figure, which is then taken out; nil if none does beyond the limit, in standard
  /// errors.
  mutating func furthest(_ figure: Figure, beyond limit: Double, clearer: Double) -> Standout? {
    let values = scores(figure)
    guard values.isTestable else { return nil }
    var best: Best?
    for column in calls.columns where column.tried > 0 {
      let groups = values.groups(column.now, column.before, count: column.values.count)
      for (value, group) in groups.enumerated() where group.now.count >= TraitScan.fewest {
        guard let errors = values.errors(group) else { continue }
        let own = Best(errors: errors, column: column, value: value, group: group)
        if errors > limit, errors > (best?.errors ?? 0) * clearer { best = own }
      }
    }
    guard let best else { return nil }
    let (column, value, group) = (best.column, best.value, best.group)
    let (name, pairedSDK) = column.values[value]
    let moves = values.moves(group)
    let place = Concentration(
      dimension: calls.dimensions[column.dimension], value: name, inside: moves.inside,
      outside: moves.outside, calls: group.now.count,
      isNew: group.before.count == 0)
    func isIn(_ isNow: Bool, _ index: Int) -> Bool {
      (isNow ? column.now : column.before)[index] == Int32(value)
    }
    let found = standout(figure, place, sdk: calls.isSDK(column) ? name : pairedSDK, values, isIn)
    for index in calls.now.indices where isIn(true, index) { isLeft.now[index] = false }
    for index in calls.before.indices where isIn(false, index) { isLeft.before[index] = false }
    return found
  }

  /// A group, and how far it stands out.
  private struct Best {
    let errors: Double
    let column: ScannedCalls.Column
    let value: Int
    let group: FigureScores.Group
  }

  private func scores(_ figure: Figure) -> FigureScores {
    FigureScores(figure, now: calls.now, before: calls.before, isLeft.now, isLeft.before, isRanked: true)
  }

  /// What is told of the calls for which `isIn` holds.
  func standout(
    _ figure: Figure, _ place: Concentration, sdk: String?, _ values: FigureScores? = nil,
    _ isIn: (_ isNow: Bool, _ index: Int) -> Bool
  ) -> Standout {
    let values = values ?? scores(figure)
    let own = calls.now.indices.filter { isLeft.now[$0] && isIn(true, $0) }
    let other = calls.before.indices.filter { isLeft.before[$0] && isIn(false, $0) }
    var found = Standout(
      figure: figure, place: place, sdk: sdk, calls: values.worst(own).map { calls.now[$0] })
    found.keys = Set(found.calls.compactMap(\.key))
    let group = values.group(own, other)
    if figure.isShare { found.counts = (Int(group.now.having), Int(group.before.having)) }
    if figure == .setupMean { found.phase = phase(own, other, of: place.inside) }
    if case .phaseMean(let phase) = figure { found.phase = (phase, 1) }
    if sdk == nil { found.sdks = sdks(own, other, values, of: place.inside) }
    return found
  }

  /// Part of the whole change by which an SDK's calls must have moved to count among those that did.
  private static let leastPart = 0.25

  private func sdks(_ own: [Int], _ other: [Int], _ values: FigureScores, of change: Double) -> (
    worse: Set<String>, of: Int
  )? {
    let before = Dictionary(grouping: other) { calls.before[$0].sdk }
    var worse: Set<String> = []
    for (sdk, own) in Dictionary(grouping: own, by: { calls.now[$0].sdk }) {
      let group = values.group(own, before[sdk] ?? [])
      guard group.now.count >= TraitScan.fewest else { return nil }
      let moved = (group.now.moments.mean ?? 0) - (group.before.moments.mean ?? 0)
      if moved / change >= Self.leastPart { worse.insert(sdk) }
    }
    return (worse, Set(calls.now.map(\.sdk)).count)
  }

  /// The phase that took most of the longer setup of these calls, if it is most of it.
  private func phase(_ own: [Int], _ other: [Int], of change: Double) -> (name: PhaseName, part: Double)? {
    let parts = PhaseName.allCases.compactMap { phase -> (name: PhaseName, part: Double)? in
      guard let now = own.compactMap({ calls.now[$0].phaseMs(phase) }).mean,
        let before = other.compactMap({ calls.before[$0].phaseMs(phase) }).mean
      else { return nil }
      return (phase, (now - before) / change)
    }
    return parts.max { $0.part < $1.part }.flatMap { $0.part > 0.5 ? $0 : nil }
  }
}

extension ScannedCalls {
  /// The figures that are tried, the most severe first.
  var figures: [Figure] {
    let phases = PhaseName.allCases.filter { phase in now.contains { $0.phaseMs(phase) != nil } }
    let places = Set(now.compactMap(\.place)).sorted { $0.rawValue < $1.rawValue }
    return [.verdictShare(.silent), .brokenShare, .scoreMean, .poorShare, .setupMean]
      + phases.map { .phaseMean($0) } + places.map { .placeShare($0) }
  }
}

extension Figure {
  /// Whether few calls have it, so that exact counts decide rather than ranks.
  var isRare: Bool {
    switch self {
    case .brokenShare, .verdictShare, .findingShare, .placeShare: true
    default: false
    }
  }

  /// Whether it is the setup time or one of its phases.
  var isOfSetup: Bool {
    switch self {
    case .setupMean, .setupPercentile, .phaseMean: true
    default: false
    }
  }
}
