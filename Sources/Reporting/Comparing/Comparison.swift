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

extension Comparison {
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
