/// Two runs held against each other: gates and changes, corrected for their number, the same for the same seed.
public struct Comparison: Sendable {
  public var candidate: RunFigures
  public var baseline: RunFigures?
  /// Chance that a question asked of every SDK (a line of a gate file) finds against any of them wrongly.
  public var questionError = 0.05
  public var seed: UInt64
  /// What the calls are divided by, in words: `SDK`, `scenario`, `video codec`.
  public var kind = "SDK"

  /// A comparison; without a baseline only absolute gates can pass or fail.
  public init(candidate: RunFigures, baseline: RunFigures?, seed: UInt64) {
    self.candidate = candidate
    self.baseline = baseline
    self.seed = seed
    addLabels()
  }

  /// SDKs of the candidate, or that the baseline leads one to expect.
  public var sdks: [String] { Set(candidate.sdks).union(baseline?.sdks ?? []).sorted() }

  /// Each gate for each SDK it speaks of, SDK by SDK; then those of SDKs that neither run has.
  public func judge(_ gates: [Gate]) -> [GateResult] {
    let pairs = sdks.flatMap { sdk in gates.filter { $0.speaks(of: sdk) }.map { (sdk, $0) } }
    let strangers = Set(gates.flatMap(\.sdks)).subtracting(sdks).sorted()
    return pairs.map { judged($0.1, $0.0) }
      + strangers.flatMap { sdk in gates.filter { $0.sdks.contains(sdk) }.map { unmet($0, sdk) } }
  }

  /// How a figure of an SDK moved from the baseline.
  public func change(of figure: Figure, sdk: String) -> Interval? {
    contrast(figure, sdk, factor: 1)
  }

  /// A figure of an SDK in both runs, of the calls that its change is made from: the one less the other is the change.
  public func compared(_ figure: Figure, sdk: String) -> ComparedFigure {
    guard !figure.isCount, let baseline else {
      return ComparedFigure(
        candidate: Self.value(figure, candidate, sdk: sdk), baseline: Self.value(figure, baseline, sdk: sdk))
    }
    return ComparedFigure(
      Sampled(
        candidate: candidate.calls[sdk] ?? [], baseline: baseline.calls[sdk] ?? [], figure: figure),
      figure)
  }

  /// The plain value of a figure in one run; nil where no call says anything.
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
      ? Sampled(own, figure: figure)
      : Sampled(candidate: own, baseline: baseline?.calls[sdk] ?? [], figure: figure)
    let random = SeededRandom(seed: seed, stream: "\(sdk)|\(figure)|\(factor)")
    // Bonferroni over the SDKs.
    let error = questionError / Double(max(1, sdks.count))
    var contrast = Contrast(sampled, figure, factor: factor, error: error, random: random)
    return contrast.interval()
  }
}
