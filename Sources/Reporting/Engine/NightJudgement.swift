import CallModel
import Rendering

/// Results of a comparison, gates and changes, as shown on a page and in its CSV files.
public struct NightJudgement: Sendable {
  public let comparison: Comparison
  public let results: [GateResult]
  /// Change of the mean score of each SDK, corrected for multiple comparisons like the gates.
  public let changes: [String: Interval]
  public let concentrations: [String: Concentration]
  /// Result of the search for the cause, for each SDK whose score changed significantly.
  let places: [String: ChangeSource]
  /// Figures that changed over all SDKs together.
  var whole: [WholeChange] { scan.together }
  /// The calls of several SDKs that a drop of the score in most of them is of.
  let shared: Standout?
  /// How many calls earlier runs had; nil if not known.
  let volume: VolumeHistory?
  /// The search for what moved.
  let scan: TraitScan
  /// Problems that significantly more calls have than before: silence, or an error finding.
  let newProblems: [NewProblem]
  /// Number of the run's files that were rejected, or skipped though named like a call's files; 0 if they were not
  /// counted.
  var unreadFiles = 0
  /// Figures that got worse gradually over many runs; empty unless the report looks back.
  var drifts: [Drift] = []
  /// Changes of every figure of every SDK: see `moves`.
  public private(set) var figureChanges = Table([])

  /// Evaluates the gates of a comparison.
  public init(_ comparison: Comparison, gates: [Gate]) { self.init(comparison, gates: gates, before: nil) }

  /// Evaluates them with knowledge of what earlier runs had.
  init(_ comparison: Comparison, gates: [Gate], before history: SeenBefore?, volume: VolumeHistory? = nil) {
    self.comparison = comparison
    self.volume = volume
    results = comparison.judge(gates)
    var changes: [String: Interval] = [:]
    scan = TraitScan(comparison)
    var places: [String: ChangeSource] = [:]
    for sdk in comparison.sdks where comparison.baseline?.calls[sdk] != nil {
      guard let change = comparison.change(of: .scoreMean, sdk: sdk) else { continue }
      changes[sdk] = change
      if comparison.isSignificant(
        .scoreMean, sdk, change.estimate, from: change.low, to: change.high, of: Self.shown.count)
      {
        places[sdk] = scan.calls.source(of: .scoreMean, sdk: sdk)
      }
    }
    shared = Self.shared(by: Array(places.values), scan)
    newProblems = NewProblem.all(in: comparison, before: history)
    self.changes = changes
    self.places = places
    concentrations = places.compactMapValues(\.found)
    figureChanges = Self.moves(self)
  }

  /// What all SDKs together lost, or what some of them lost with the same trait.
  private static func shared(by places: [ChangeSource], _ scan: TraitScan) -> Standout? {
    let whole = scan.together.first { $0.figure == .scoreMean && $0.isWorse }?.source.found
      .flatMap { scan.standout($0, .scoreMean, sdk: nil) }
    let found = scan.found.first { found in
      found.figure == .scoreMean && found.sdk == nil
        && places.contains { place in
          found.place.traits.contains { place.found?.traits.contains($0) ?? false }
        }
    }
    return [whole, found].compactMap { $0 }.first { $0.sdks?.worse.count ?? 0 > 1 }
  }

  /// Set if no call of the run counts; nil otherwise.
  public var nothingRan: EmptyRun? { EmptyRun(comparison) }

  /// SDKs with a verdict: those of the runs, and those that only a gate names.
  public var sdks: [String] { Set(comparison.sdks).union(results.map(\.sdk)).sorted() }

  /// An SDK's verdict: that of its worst gate. `no baseline` if there is nothing to compare with and no gate failed.
  public func verdict(of sdk: String) -> String {
    let own = results.filter { $0.sdk == sdk }
    let worst = own.map(\.verdict).max() ?? .pass
    if comparison.unfinished(sdk, with: comparison.baseline) != nil { return "inconclusive" }
    let isKnown = comparison.sdks.contains(sdk)
    if worst != .fail, isKnown, comparison.baseline?.calls[sdk] == nil { return "no baseline" }
    return worst.rawValue
  }

  /// The worst gate that did not pass; nil if all passed.
  public func reason(of sdk: String) -> GateResult? {
    let own = results.filter { $0.sdk == sdk }
    return own.first { $0.verdict == .fail } ?? own.first { $0.verdict == .inconclusive }
  }

  /// One row per SDK.
  public var verdicts: Table {
    var table = Table([
      "sdk", "verdict", "gate", "reason", "change", "change_low", "change_high", "margin", "method",
      "baseline", "more_calls",
    ])
    for sdk in sdks {
      let (change, result) = (changes[sdk], reason(of: sdk))
      let margin = results.first { $0.sdk == sdk && $0.gate.figure == .scoreMean && $0.gate.factor == 1 }?
        .gate.offset
      table.rows.append([
        .text(sdk), .text(verdict(of: sdk)), result.map { .text($0.gate.text) } ?? .null,
        result.map { .text($0.reason) } ?? .null,
        .of(change?.estimate), .of(change?.low), .of(change?.high), .of(margin),
        change.map { .text($0.method.rawValue) } ?? .null,
        comparison.baseline?.runs[sdk].map { .text($0) } ?? .null,
        result?.moreCalls.map { .integer(Int64($0)) } ?? .null,
      ])
    }
    return table
  }

  /// Whether the run was compared, nothing got significantly worse, and few calls are missing.
  var isNothingWorse: Bool {
    guard comparison.unfinished == nil, let baseline = comparison.baseline else { return false }
    let moved = figureChanges.rows.map { figureChanges.cell($0, "moved").string }
    let sentences = Sentences(judgement: self)
    return moved.contains("not clearly") && !moved.contains("worse") && !whole.contains(where: \.isWorse)
      && drifts.isEmpty && newProblems.isEmpty && !isMuchUnread
      && sentences.absent(baseline).isEmpty && sentences.fewer(baseline).isEmpty && sentences.cut().isEmpty
      && !comparison.sdks.contains { comparison.candidate.isMuchMissing(of: $0) }
  }

  /// Whether a change is still significant after correction for all questions of a night.
  func isSignificant(_ figure: Figure, _ sdk: String, _ change: Double, from low: Double?, to high: Double?)
    -> Bool
  {
    comparison.isSignificant(figure, sdk, change, from: low, to: high, of: Self.shown.count)
  }

  /// Whether anything is reported as significantly worse, independent of gates.
  var isSomethingWorse: Bool {
    comparison.unfinished == nil && comparison.baseline != nil && Sentences(judgement: self).isAnythingWorse
  }

  /// Whether more files are unreadable than the share of missing calls that a gate tolerates.
  var isMuchUnread: Bool {
    Double(unreadFiles) > Comparison.toleratedMissing * Double(unreadFiles + comparison.candidate.ran)
  }

  /// Whether a call of the SDK counts in the run.
  func ran(_ sdk: String) -> Bool { comparison.candidate.calls[sdk]?.isEmpty == false }

  /// One row per gate and SDK; SDKs without calls come last.
  public var gates: Table {
    var table = Table([
      "sdk", "gate", "figure", "verdict", "value", "baseline", "contrast", "contrast_low", "contrast_high",
      "limit", "method", "more_calls", "reason",
    ])
    for result in results.filter({ ran($0.sdk) }) + results.filter({ !ran($0.sdk) }) {
      table.rows.append([
        .text(result.sdk), .text(result.gate.text), .text("\(result.gate.figure)"),
        .text(result.verdict.rawValue), .of(result.candidate), .of(result.baseline),
        .of(result.contrast?.estimate), .of(result.contrast?.low), .of(result.contrast?.high),
        .real(result.gate.offset),
        result.contrast.map { .text($0.method.rawValue) } ?? .null,
        result.moreCalls.map { .integer(Int64($0)) } ?? .null,
        .text(result.reason),
      ])
    }
    return table
  }
}

extension Cell {
  /// A real number, or null if unknown.
  static func of(_ value: Double?) -> Cell { value.map { .real($0) } ?? .null }
}

extension NightJudgement {
  /// The verdict on the whole run, as stored in table `runs`; nil if nothing was judged.
  public var ofRun: (verdict: String, reason: String)? {
    let verdicts = sdks.map { verdict(of: $0) }
    if verdicts.contains("fail") { return ("block", reasons(.fail)) }
    if verdicts.contains("inconclusive") {
      return ("inconclusive", comparison.unfinished ?? reasons(.inconclusive))
    }
    let passed = verdicts.count { $0 == "pass" }
    return passed > 0 ? ("pass", "\(passed) of \(ValueText.count(verdicts.count, comparison.kind))") : nil
  }

  /// Reasons such as `pexip: score.mean >= baseline - 3; …`, one gate per SDK; gates relative to the baseline are
  /// preferred over fixed limits.
  private func reasons(_ verdict: GateResult.Verdict) -> String {
    sdks.compactMap { sdk in
      let own = results.filter { $0.sdk == sdk && $0.verdict == verdict }
      return (own.first { $0.gate.isRelative } ?? own.first).map { "\(sdk): \($0.gate.text)" }
    }.joined(separator: "; ")
  }
}

/// Changes of every figure of every SDK as a table, for pages, terminals and CSV files.
extension NightJudgement {
  /// Figures that every comparison shows; the share of a verdict only if a call of either run has it.
  public static let shown: [Figure] = [
    .scoreMean, .scorePercentile(10), .poorShare, .brokenShare, .verdictShare(.silent),
    .verdictShare(.noPicture), .verdictShare(.notSent), .verdictShare(.unjudged), .setupPercentile(50),
    .setupPercentile(90),
  ]

  /// One row per SDK and figure. Order: significant changes first; among them those for the worse, then those of
  /// blocked SDKs, then by size; SDKs without calls last.
  ///
  /// `baseline` and `candidate` are computed from the calls used for the change, `all_…` from every call that counts.
  static func moves(_ judgement: NightJudgement) -> Table {
    var table = Table([
      "sdk", "figure", "baseline", "candidate", "change", "change_low", "change_high", "moved", "calls",
      "baseline_calls", "method", "scenarios", "made_from", "all_baseline", "all_candidate",
    ])
    let moves = judgement.comparison.sdks.flatMap { sdk in shown.map { Move(judgement, sdk, $0) } }
      .filter { !$0.isNothing }
    let sorted = moves.enumerated().sorted { a, b in
      a.element.rank == b.element.rank ? a.offset < b.offset : a.element.rank < b.element.rank
    }
    for move in sorted { table.rows.append(judgement.row(move.element)) }
    return table
  }

  private func row(_ move: Move) -> [Cell] {
    let (sdk, figure, change, compared) = (move.sdk, move.figure, move.change, move.compared)
    return [
      .text(sdk), .text("\(figure)"), .of(compared.baseline), .of(compared.candidate),
      .of(change?.estimate), .of(change?.low), .of(change?.high),
      move.moved.map { .text($0.rawValue) } ?? .null,
      .integer(Int64(comparison.candidate.calls[sdk]?.count ?? 0)),
      .integer(Int64(comparison.baseline?.calls[sdk]?.count ?? 0)),
      change.map { .text($0.method.rawValue) } ?? .null,
      compared.scenarios.map { .integer(Int64($0)) } ?? .null,
      compared.words.map { .text($0) } ?? .null,
      .of(Comparison.value(figure, comparison.baseline, sdk: sdk)),
      .of(Comparison.value(figure, comparison.candidate, sdk: sdk)),
    ]
  }
}

/// How a figure of an SDK moved, and how important that is.
private struct Move {
  enum Direction: String { case worse, better, changed, unclear = "not clearly" }

  let sdk: String
  let figure: Figure
  let change: Interval?
  let compared: ComparedFigure
  /// Nil if there are too few calls.
  let moved: Direction?
  /// Sort key, ascending: the most important row has the smallest.
  let rank: (Int, Int, Double)

  init(_ judgement: NightJudgement, _ sdk: String, _ figure: Figure) {
    (self.sdk, self.figure) = (sdk, figure)
    change = judgement.comparison.change(of: figure, sdk: sdk)
    compared = judgement.comparison.compared(figure, sdk: sdk)
    moved = change.flatMap { Self.direction($0, figure) }
    switch moved {
    case .worse: rank = (0, Self.gravity(judgement.verdict(of: sdk)), -Self.size(change, compared, figure))
    case .better, .changed: rank = (1, 0, -Self.size(change, compared, figure))
    case .unclear: rank = (2, 0, 0)
    // Keeps rows without any value from standing between rows that have one.
    case nil: rank = (judgement.ran(sdk) ? 3 : 4, 0, 0)
    }
  }

  /// Whether it is the share of a verdict that no call has.
  var isNothing: Bool {
    guard case .verdictShare = figure else { return false }
    return (compared.candidate ?? 0) == 0 && (compared.baseline ?? 0) == 0
  }

  private static func direction(_ change: Interval, _ figure: Figure) -> Direction? {
    guard let low = change.low, let high = change.high else { return nil }
    // More calls answered by voicemail are different calls rather than worse ones.
    if figure == .verdictShare(.notSent), low > 0 || high < 0 { return .changed }
    let moreIsBetter = figure == .scoreMean || figure == .scorePercentile(figure.percent ?? 0)
    if low > 0 { return moreIsBetter ? .better : .worse }
    if high < 0 { return moreIsBetter ? .worse : .better }
    return .unclear
  }

  private static func gravity(_ verdict: String) -> Int {
    verdict == "fail" ? 0 : verdict == "inconclusive" ? 1 : 2
  }

  /// Size relative to the figure's range, in hundredths: points of a score, percentage points of a share, per cent of a
  /// time.
  private static func size(_ change: Interval?, _ compared: ComparedFigure, _ figure: Figure) -> Double {
    let size = abs(change?.estimate ?? 0)
    switch figure {
    case _ where figure.isShare: return size * 100
    case .setupMean, .setupPercentile: return size / max(abs(compared.baseline ?? 1), 1) * 100
    default: return size
    }
  }
}
