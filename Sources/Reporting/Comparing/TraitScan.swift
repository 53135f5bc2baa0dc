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

/// The search of all traits for values whose calls got worse: every value over all SDKs, and within each SDK, by every
/// figure, whether or not anything moved as a whole.
///
/// All tests share one error (`NightError`), by Bonferroni. What is found is taken out before the next is looked for.
struct TraitScan: Sendable {
  /// What got worse, the most severe first; each fault once.
  private(set) var found: [Standout] = []
  /// How many groups of calls were tried, by how many figures.
  private(set) var groups = 0
  private(set) var figures = 0
  /// Names of the traits with a value that was tried.
  private(set) var traits: Set<String> = []

  /// Fewest calls of a group; for a share, fewest of them that count.
  static let fewest = 4
  /// Most values found by one figure: more are no single fault.
  private static let most = 3
  /// A group within an SDK, or a later trait, must stand out by so much more to be named in place of a wider one.
  private static let clearer = 1.05

  init(_ comparison: Comparison) {
    guard let baseline = comparison.baseline, comparison.unfinished == nil else { return }
    let both = Set(comparison.candidate.calls.keys).intersection(baseline.calls.keys).sorted()
    guard !both.isEmpty else { return }
    // A new SDK is another program. A new value of a trait is compared with its scenarios in the baseline.
    let tried = comparison.kind == "SDK" ? both : comparison.candidate.calls.keys.sorted()
    let calls = ScannedCalls(
      now: tried.flatMap { comparison.candidate.calls[$0] ?? [] },
      before: both.flatMap { baseline.calls[$0] ?? [] }, comparison)
    let figures = calls.figures.filter { !$0.restsOnVerdict || comparison.otherRules == nil }
    (groups, self.figures, traits) = (calls.triedGroups, figures.count, calls.triedTraits)
    guard groups > 0 else { return }
    let tests = Double(groups * figures.count)
    let limit = Distributions.normalQuantile(
      1 - comparison.questionError * NightError.parts.traits / tests)
    var all: [Standout] = []
    for figure in figures {
      var rest = calls
      for _ in 0..<Self.most {
        guard let next = rest.furthest(figure, beyond: limit, clearer: Self.clearer) else { break }
        all.append(next.found)
        rest.remove(next.column, next.value)
      }
    }
    found = all.reduce(into: []) { Self.add($1, to: &$0) }
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

/// The calls of both runs with their traits as numbers.
private struct ScannedCalls {
  var now: [ComparedCall]
  var before: [ComparedCall]
  /// A trait, alone or within each SDK, with the number of each call's value; −1 if unknown or taken out.
  private var columns: [Column] = []
  private let dimensions: [String]
  /// Groups large enough to be tried, and their traits.
  private(set) var triedGroups = 0
  private(set) var triedTraits: Set<String> = []
  private var isLeft: (now: [Bool], before: [Bool])

  private struct Column {
    let dimension: Int
    let isWithinSDK: Bool
    var values: [(value: String, sdk: String?)] = []
    var now: [Int32] = []
    var before: [Int32] = []
  }

  init(now: [ComparedCall], before: [ComparedCall], _ comparison: Comparison) {
    (self.now, self.before) = (now, before)
    isLeft = (now.map { _ in true }, before.map { _ in true })
    dimensions = comparison.candidate.dimensions + [comparison.kind]
    let count = comparison.candidate.dimensions.count
    // The SDK itself first, then what is known of the calls, then the same within each SDK.
    let order = [count] + Array(0..<count)
    let isOneSDK = Set(now.map(\.sdk)).count == 1
    for (isWithinSDK, traits) in [(false, order), (true, isOneSDK ? [] : Array(0..<count))] {
      for dimension in traits {
        let column = Self.column(dimension, isWithinSDK, now, before, count)
        let sizes = column.now.reduce(into: [Int32: Int]()) { $0[$1, default: 0] += 1 }
        let large = sizes.filter { $0.key >= 0 && $0.value >= TraitScan.fewest && $0.value < now.count }.count
        guard large > 0 else { continue }
        triedGroups += large
        triedTraits.insert(dimensions[dimension])
        columns.append(column)
      }
    }
  }

  private static func column(
    _ dimension: Int, _ isWithinSDK: Bool, _ now: [ComparedCall], _ before: [ComparedCall], _ count: Int
  ) -> Column {
    struct Key: Hashable {
      let value: String
      let sdk: String?
    }
    var column = Column(dimension: dimension, isWithinSDK: isWithinSDK)
    var numbers: [Key: Int32] = [:]
    func number(_ call: ComparedCall) -> Int32 {
      let traits = call.traits
      let value = dimension == count ? call.sdk : dimension < traits.count ? traits[dimension] : nil
      guard let value else { return -1 }
      let key = Key(value: value, sdk: isWithinSDK ? call.sdk : nil)
      if let known = numbers[key] { return known }
      let new = Int32(column.values.count)
      column.values.append((value, key.sdk))
      numbers[key] = new
      return new
    }
    column.now = now.map(number)
    column.before = before.map(number)
    return column
  }

  /// The figures that are tried, the most severe first.
  var figures: [Figure] {
    let phases = PhaseName.allCases.filter { phase in now.contains { $0.phaseMs(phase) != nil } }
    let places = Set(now.compactMap(\.place)).sorted { $0.rawValue < $1.rawValue }
    return [.verdictShare(.silent), .brokenShare, .scoreMean, .poorShare, .setupMean]
      + phases.map { .phaseMean($0) } + places.map { .placeShare($0) }
  }

  /// Takes the calls of a group out of both runs.
  mutating func remove(_ column: Int, _ value: Int) {
    for (index, number) in columns[column].now.enumerated() where number == Int32(value) {
      isLeft.now[index] = false
    }
    for (index, number) in columns[column].before.enumerated() where number == Int32(value) {
      isLeft.before[index] = false
    }
  }

  /// The group that stands out most by a figure; nil if none does beyond the limit, in standard errors.
  func furthest(_ figure: Figure, beyond limit: Double, clearer: Double) -> (
    found: Standout, column: Int, value: Int
  )? {
    let values = FigureScores(figure, now: now, before: before, isLeft.now, isLeft.before)
    guard let values else { return nil }
    var best: (errors: Double, column: Int, value: Int, group: FigureScores.Group)?
    for (index, column) in columns.enumerated() {
      let groups = values.groups(column.now, column.before, count: column.values.count)
      for (value, group) in groups.enumerated() where group.now.count >= TraitScan.fewest {
        guard let errors = values.errors(group), errors > limit, errors > (best?.errors ?? 0) * clearer
        else { continue }
        best = (errors, index, value, group)
      }
    }
    guard let (_, index, value, group) = best else { return nil }
    let column = columns[index]
    let (name, pairedSDK) = column.values[value]
    let sdk = column.dimension == dimensions.count - 1 ? name : pairedSDK
    let moves = values.moves(group)
    let place = Concentration(
      dimension: dimensions[column.dimension], value: name, inside: moves.inside, outside: moves.outside,
      calls: group.now.count, isNew: group.before.count == 0)
    let own = now.indices.filter { isLeft.now[$0] && column.now[$0] == Int32(value) }
    let other = before.indices.filter { isLeft.before[$0] && column.before[$0] == Int32(value) }
    var found = Standout(figure: figure, place: place, sdk: sdk, calls: values.worst(own).map { now[$0] })
    found.keys = Set(found.calls.compactMap(\.key))
    if figure.isShare { found.counts = (Int(group.now.having), Int(group.before.having)) }
    if figure == .setupMean { found.phase = phase(own, other, of: moves.inside) }
    if case .phaseMean(let phase) = figure { found.phase = (phase, 1) }
    return (found, index, value)
  }

  /// The phase that took most of the longer setup of these calls, if it is most of it.
  private func phase(_ own: [Int], _ other: [Int], of change: Double) -> (name: PhaseName, part: Double)? {
    let parts = PhaseName.allCases.compactMap { phase -> (name: PhaseName, part: Double)? in
      guard let now = own.compactMap({ now[$0].phaseMs(phase) }).mean,
        let before = other.compactMap({ before[$0].phaseMs(phase) }).mean
      else { return nil }
      return (phase, (now - before) / change)
    }
    return parts.max { $0.part < $1.part }.flatMap { $0.part > 0.5 ? $0 : nil }
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
