import CallStore

/// Compares two runs: evaluates gates and finds changes, with correction for multiple comparisons. Results are
/// reproducible for the same seed.
public struct Comparison: Sendable {
  public var candidate: RunFigures
  public var baseline: RunFigures?
  /// Family-wise error rate of one gate line over all SDKs: the chance that it wrongly fails for at least one of them.
  public var questionError = 0.05
  public var seed: UInt64
  /// What the calls are grouped by, in words: `SDK`, `scenario`, `video codec`.
  public var kind = "SDK"

  /// Creates a comparison. Without a baseline only absolute gates can pass or fail.
  public init(candidate: RunFigures, baseline: RunFigures?, seed: UInt64) {
    self.candidate = candidate
    self.baseline = baseline
    self.seed = seed
    addLabels()
  }

  /// SDKs in the candidate or in the baseline, sorted.
  public var sdks: [String] { Set(candidate.sdks).union(baseline?.sdks ?? []).sorted() }

  /// Results of each gate for each SDK it applies to, grouped by SDK, followed by those for SDKs that neither run has.
  public func judge(_ gates: [Gate]) -> [GateResult] {
    let pairs = sdks.flatMap { sdk in gates.filter { $0.speaks(of: sdk) }.map { (sdk, $0) } }
    let otherSDKs = Set(gates.flatMap(\.sdks)).subtracting(sdks).sorted()
    return pairs.map { judged($0.1, $0.0) }
      + otherSDKs.flatMap { sdk in gates.filter { $0.sdks.contains(sdk) }.map { unmet($0, sdk) } }
  }

  /// Change of a figure of an SDK from baseline to candidate.
  public func change(of figure: Figure, sdk: String) -> Interval? {
    contrast(figure, sdk, factor: 1)
  }

  /// A figure of an SDK in both runs, computed from the same calls as its change: candidate minus baseline is the
  /// change.
  public func compared(_ figure: Figure, sdk: String) -> ComparedFigure {
    guard !figure.isCount, let baseline else {
      return ComparedFigure(
        candidate: Self.value(figure, candidate, sdk: sdk), baseline: Self.value(figure, baseline, sdk: sdk))
    }
    return ComparedFigure(
      PairedSamples(
        candidate: candidate.calls[sdk] ?? [], baseline: baseline.calls[sdk] ?? [], figure: figure),
      figure)
  }

  /// Unadjusted value of a figure in one run; nil if no call has a value.
  public static func value(_ figure: Figure, _ run: RunFigures?, sdk: String) -> Double? {
    guard let run else { return nil }
    if figure.isCount { return Double(run.count(figure, of: sdk)) }
    let values = (run.calls[sdk] ?? []).compactMap { figure.value(of: $0) }
    return figure.percent.map { values.percentile($0) } ?? values.mean
  }

  func contrast(_ figure: Figure, _ sdk: String, factor: Double) -> Interval? {
    guard factor == 0 || !figure.restsOnVerdict || otherRules == nil else { return nil }
    let own = candidate.calls[sdk] ?? []
    let sampled =
      factor == 0
      ? PairedSamples(own, figure: figure)
      : PairedSamples(candidate: own, baseline: baseline?.calls[sdk] ?? [], figure: figure)
    let random = SeededRandom(seed: seed, stream: "\(sdk)|\(figure)|\(factor)")
    // Bonferroni correction over the SDKs.
    let error = questionError / Double(max(1, sdks.count))
    var contrast = Contrast(sampled, figure, factor: factor, error: error, random: random)
    return contrast.interval()
  }
}

/// Calls that an import stored but that have not been judged, because the import was interrupted or is still running.
///
/// Their quality is unknown, so nothing is decided while there are any.
extension Comparison {
  /// What is not judged yet in either run, and what to do about it; nil if everything is judged.
  public var unfinished: String? {
    Self.words(of: [candidate, baseline]) { $0.unfinished.values.reduce(0, +) }
  }

  /// As `unfinished`, for one SDK.
  func unfinished(_ sdk: String, with baseline: RunFigures?) -> String? {
    Self.words(of: [candidate, baseline]) { $0.unfinished[sdk] ?? 0 }
  }

  private static func words(of runs: [RunFigures?], count: (RunFigures) -> Int) -> String? {
    let parts = runs.compactMap { $0 }.compactMap { run -> String? in
      let unfinished = count(run)
      return unfinished > 0 ? "\(ValueText.count(unfinished, "call")) of \(run.run)" : nil
    }
    guard !parts.isEmpty else { return nil }
    return
      "not judged yet, because an import was interrupted or still runs: \(parts.joined(separator: " and ")); run the import again to finish it"
  }
}

/// Two runs cannot be compared because their calls were judged by different versions of the verdict rules.
public struct VerdictVersionMismatch: Error, Sendable, CustomStringConvertible {
  /// Which versions, and what to do about it.
  public let description: String
}

/// The verdict rules change between versions: the same call may be silent in one and fair in another.
extension Comparison {
  /// The versions that the two runs were judged by, and what to do about it, if they differ; nil if they match or one
  /// of them is unknown.
  public var otherRules: String? {
    guard let before = baseline?.verdictVersions, !before.isEmpty, !candidate.verdictVersions.isEmpty,
      before != candidate.verdictVersions
    else { return nil }
    let isPruned = before.union(candidate.verdictVersions).contains(0)
    return
      "the verdicts of \(candidate.run) are by \(Self.words(candidate.verdictVersions)), those of "
      + "\(baseline?.names.nonEmpty ?? "the baseline") by \(Self.words(before)): "
      + (isPruned
        ? "samples of calls that came before there were verdicts are pruned, so that these cannot be judged again; compare with a later run"
        : "import the files of the older run again with this callqa, which judges its calls by its own rules")
  }

  private static func words(_ versions: Set<Int>) -> String {
    (versions.count == 1 ? "version " : "versions ")
      + versions.sorted().map(String.init).joined(separator: " and ")
      + " of the rules"
  }
}

extension String {
  /// The collection itself, or nil if it is empty.
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

/// Labels are used as traits too: whoever imports the calls may know networks, sites and releases that no statistics
/// show.
extension Comparison {
  /// Maximum number of labels that are searched; the most frequent are used.
  private static let maxLabels = 20

  /// Makes each label of the candidate's calls a trait, at the same index in both runs.
  mutating func addLabels() {
    var counts: [String: Int] = [:]
    for call in candidate.allCalls {
      for label in call.labels { counts[label.name, default: 0] += 1 }
    }
    let names = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.maxLabels).map(\.key)
    guard !names.isEmpty else { return }
    let own = candidate.dimensions.count
    candidate.addTraits(names, after: own)
    baseline?.addTraits(names, after: own)
  }
}

extension RunFigures {
  fileprivate mutating func addTraits(_ names: [String], after own: Int) {
    dimensions = Array(dimensions.prefix(own)) + names.map { TraitName.labelPrefix + $0 }
    for sdk in calls.keys {
      var made = LabelledFacts(own: own)
      calls[sdk] = calls[sdk]?.map { call in
        var call = call
        let labels = names.map { name in call.labels.first { $0.name == name }?.value }
        call.shared = made.facts(call.shared, with: labels)
        return call
      }
    }
  }
}

/// Shared facts with the labels added as traits; calls with the same facts and labels share one instance.
private struct LabelledFacts {
  /// Number of traits that are not labels.
  let own: Int
  private var made: [Key: SharedFacts] = [:]
  private static let most = 65_536

  private struct Key: Hashable {
    let shared: ObjectIdentifier
    let labels: [String?]
  }

  init(own: Int) { self.own = own }

  mutating func facts(_ shared: SharedFacts, with labels: [String?]) -> SharedFacts {
    let key = Key(shared: ObjectIdentifier(shared), labels: labels)
    if let known = made[key] { return known }
    let labelled = shared.with { facts in
      let missing = max(0, own - facts.traits.count)
      facts.traits = facts.traits.prefix(own) + Array(repeating: nil, count: missing) + labels
    }
    if made.count < Self.most { made[key] = labelled }
    return labelled
  }
}

/// All SDKs taken together: a small drop in each of them may be significant only in the total.
extension Comparison {
  /// The calls of all SDKs that both runs have, merged into one group with the SDK as a trait. Nil if there are fewer
  /// than two such SDKs.
  func whole() -> Comparison? {
    guard let baseline else { return nil }
    let both = Set(candidate.calls.keys).intersection(baseline.calls.keys)
    guard both.count > 1 else { return nil }
    var whole = self
    whole.candidate = candidate.together(both, as: Self.wholeName(of: both.count, kind), trait: kind)
    whole.baseline = baseline.together(both, as: Self.wholeName(of: both.count, kind), trait: kind)
    return whole
  }

  /// Name of the group of all SDKs.
  static func wholeName(of number: Int, _ kind: String) -> String {
    number == 2 ? "both \(kind)s" : "all \(number) \(kind)s"
  }
}

extension RunFigures {
  /// The calls of some SDKs under one name. Scenarios are kept apart by SDK, so that differences between SDKs do not
  /// count as change.
  fileprivate func together(_ sdks: Set<String>, as name: String, trait: String) -> RunFigures {
    var all = RunFigures(run: run)
    all.isRun = isRun
    all.verdictVersions = verdictVersions
    all.dimensions = dimensions + [trait]
    all.calls[name] = sdks.sorted().flatMap { sdk in
      (calls[sdk] ?? []).altered { facts in
        facts.scenario = "\(sdk)\u{1F}\(facts.scenario ?? "")"
        let missing = max(0, dimensions.count - facts.traits.count)
        facts.traits =
          facts.traits.prefix(dimensions.count) + Array(repeating: nil, count: missing) + [sdk]
      }
    }
    return all
  }
}

/// A figure that moved in all SDKs together rather than in one of them.
struct WholeChange: Sendable {
  let figure: Figure
  /// Name of the group in `comparison`, e.g. `all 5 SDKs`.
  let name: String
  let comparison: Comparison
  let change: Double
  let low: Double
  let high: Double
  var isWorse: Bool { figure == .scoreMean ? change < 0 : change > 0 }
  /// Value in the candidate; the baseline's is this minus the change.
  let value: Double
  let search: PlaceSearch

  /// Figures that are checked across all SDKs.
  static let figures: [Figure] = [.scoreMean, .setupMean, .brokenShare]

  /// Nil unless the change is significant (by the same threshold as a place), large enough to matter, and still there
  /// if any one SDK is left out. A change that is due to one SDK is reported for that SDK.
  init?(_ figure: Figure, in whole: Comparison) {
    guard let name = whole.candidate.calls.keys.first, !figure.restsOnVerdict || whole.otherRules == nil
    else { return nil }
    let (now, before) = whole.comparedCalls(name, figure)
    let levels = ScenarioLevels(before, figure)
    guard let change = MeanChange(levels.above(now), levels.above(before), figure),
      abs(change.change) > Comparison.concentrationErrors * max(change.error, figure.minError),
      min(change.calls, before.count) >= Self.fewestCalls,
      let value = now.compactMap({ figure.value(of: $0) }).mean,
      abs(change.change) >= Self.least(figure, before: value - change.change)
    else { return nil }
    // The SDK is the last trait.
    let trait = whole.candidate.dimensions.count - 1
    let (own, other) = (Split(now, trait: trait, levels), Split(before, trait: trait, levels))
    for sdk in own.values.keys {
      guard let rest = MeanChange(own.without(sdk), other.without(sdk), figure),
        rest.change / change.change > 0.5, abs(rest.change) > Self.restErrors * rest.error
      else { return nil }
    }
    let search = whole.place(sdk: name, of: figure)
    guard search.found?.dimension != whole.kind else { return nil }
    let half = Distributions.normalQuantile(1 - whole.questionError / 2) * change.error
    (self.figure, self.name, comparison, self.value, self.search) = (figure, name, whole, value, search)
    (self.change, low, high) = (change.change, change.change - half, change.change + half)
  }

  /// Minimum number of calls in a run for a normal approximation of the error.
  private static let fewestCalls = 40
  /// Standard errors that the remaining SDKs must have moved by, whichever one is left out.
  private static let restErrors = 2.5

  /// Smallest change worth a sentence: 1 point of score, 10 % of the setup time (at least 20 ms), or 0.5 % of the
  /// calls.
  private static func least(_ figure: Figure, before: Double) -> Double {
    figure == .scoreMean ? 1 : figure.isShare ? 0.005 : max(20, abs(before) * 0.1)
  }
}
