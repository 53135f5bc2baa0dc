import CallModel
import CallViews
import Rendering

/// Gates and changes of a comparison, as answers that a page and its CSV files show.
public struct Judgement: Sendable {
  public let comparison: Comparison
  public let results: [GateResult]
  /// The change of the mean score of each SDK, corrected like the gates.
  public let changes: [String: Interval]
  public let concentrations: [String: Concentration]
  /// Where the change of each SDK whose score moved clearly was looked for.
  let places: [String: PlaceSearch]
  /// What moved in all SDKs together.
  let whole: [WholeChange]
  /// The trait that is to blame for a fall of the score in nearly every SDK.
  let shared: SharedPlace?
  /// What clearly more calls have than before: silence, or an error finding.
  let troubles: [NewTrouble]
  /// Files of the run that were refused, or skipped though they are called as files of calls are; nought where nobody counted.
  var unreadFiles = 0
  /// What got worse slowly, over many runs; known where a report looks back.
  var drifts: [Drift] = []
  /// How every figure of every SDK moved: see `moves`.
  public private(set) var figureChanges = Table([])

  /// Judges a comparison by gates.
  public init(_ comparison: Comparison, gates: [Gate]) { self.init(comparison, gates: gates, before: nil) }

  /// Judges it with what the runs before had.
  init(_ comparison: Comparison, gates: [Gate], before history: SeenBefore?) {
    self.comparison = comparison
    results = comparison.judge(gates)
    var changes: [String: Interval] = [:]
    var places: [String: PlaceSearch] = [:]
    for sdk in comparison.sdks where comparison.baseline?.calls[sdk] != nil {
      guard let change = comparison.change(of: .scoreMean, sdk: sdk) else { continue }
      changes[sdk] = change
      if (change.high ?? 0) < 0 || (change.low ?? 0) > 0 {
        places[sdk] = comparison.place(sdk: sdk)
      }
    }
    let together = comparison.whole()
    let whole = together.map { whole in WholeChange.figures.compactMap { WholeChange($0, in: whole) } } ?? []
    let fallen = whole.first { $0.figure == .scoreMean && $0.isWorse }.flatMap(\.search.found)
    let found = [fallen].compactMap { $0 } + places.keys.sorted().compactMap { places[$0]?.found }
    shared = together.flatMap { SharedPlace.best(of: found.filter { $0.inside < 0 }, in: $0) }
    self.whole = whole
    troubles = NewTrouble.all(in: comparison, before: history)
    self.changes = changes
    self.places = places
    concentrations = places.compactMapValues(\.found)
    figureChanges = Self.moves(self)
  }

  /// Says that no call of the run counts; nil where one does.
  public var nothingRan: EmptyRun? { EmptyRun(comparison) }

  /// SDKs that there is a verdict of: those of the runs, and those that only a gate names.
  public var sdks: [String] { Set(comparison.sdks).union(results.map(\.sdk)).sorted() }

  /// An SDK's verdict: that of its gravest gate; `no baseline` where there is nothing to compare with and nothing failed.
  public func verdict(of sdk: String) -> String {
    let own = results.filter { $0.sdk == sdk }
    let worst = own.map(\.verdict).max() ?? .pass
    if comparison.unfinished(sdk, with: comparison.baseline) != nil { return "inconclusive" }
    let isKnown = comparison.sdks.contains(sdk)
    if worst != .fail, isKnown, comparison.baseline?.calls[sdk] == nil { return "no baseline" }
    return worst.rawValue
  }

  /// The gravest gate's reason; nil where all passed.
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
      let (change, grave) = (changes[sdk], reason(of: sdk))
      let margin = results.first { $0.sdk == sdk && $0.gate.figure == .scoreMean && $0.gate.factor == 1 }?
        .gate.offset
      table.rows.append([
        .text(sdk), .text(verdict(of: sdk)), grave.map { .text($0.gate.text) } ?? .null,
        grave.map { .text($0.reason) } ?? .null,
        .of(change?.estimate), .of(change?.low), .of(change?.high), .of(margin),
        change.map { .text($0.method.rawValue) } ?? .null,
        comparison.baseline?.runs[sdk].map { .text($0) } ?? .null,
        grave?.moreCalls.map { .integer(Int64($0)) } ?? .null,
      ])
    }
    return table
  }

  /// Whether what is there was compared, nothing of it got clearly worse, and not much is missing.
  var isNothingWorse: Bool {
    guard comparison.unfinished == nil, let baseline = comparison.baseline else { return false }
    let moved = figureChanges.rows.map { figureChanges.cell($0, "moved").string }
    let sentences = Sentences(judgement: self)
    return moved.contains("not clearly") && !moved.contains("worse") && !whole.contains(where: \.isWorse)
      && drifts.isEmpty && troubles.isEmpty && !isMuchUnread
      && sentences.absent(baseline).isEmpty && sentences.fewer(baseline).isEmpty && sentences.cut().isEmpty
      && !comparison.sdks.contains { comparison.candidate.isMuchMissing(of: $0) }
  }

  /// Whether something is told as clearly worse, whatever gates say.
  var isSomethingWorse: Bool {
    comparison.unfinished == nil && comparison.baseline != nil && Sentences(judgement: self).isAnythingWorse
  }

  /// Whether more files could not be read than a gate puts up with of calls that never came.
  var isMuchUnread: Bool {
    Double(unreadFiles) > Comparison.toleratedMissing * Double(unreadFiles + comparison.candidate.ran)
  }

  /// Whether a call of the SDK counts in the run.
  func ran(_ sdk: String) -> Bool { comparison.candidate.calls[sdk]?.isEmpty == false }

  /// One row per gate and SDK; SDKs without a call last.
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
  /// A number that may be unknown.
  static func of(_ value: Double?) -> Cell { value.map { .real($0) } ?? .null }
}

extension Judgement {
  /// The verdict on the run as a whole, as table `runs` holds it; nil where nothing was judged.
  public var ofRun: (verdict: String, reason: String)? {
    let verdicts = sdks.map { verdict(of: $0) }
    if verdicts.contains("fail") { return ("block", reasons(.fail)) }
    if verdicts.contains("inconclusive") {
      return ("inconclusive", comparison.unfinished ?? reasons(.inconclusive))
    }
    let passed = verdicts.count { $0 == "pass" }
    return passed > 0 ? ("pass", "\(passed) of \(Words.count(verdicts.count, comparison.kind))") : nil
  }

  /// `pexip: score.mean >= baseline - 3; …`, a gate an SDK: one that speaks of the baseline before one of a fixed limit.
  private func reasons(_ verdict: GateResult.Verdict) -> String {
    sdks.compactMap { sdk in
      let own = results.filter { $0.sdk == sdk && $0.verdict == verdict }
      return (own.first { $0.gate.isRelative } ?? own.first).map { "\(sdk): \($0.gate.text)" }
    }.joined(separator: "; ")
  }
}

/// How every figure of every SDK moved, as a table: what pages, terminals and CSV files show.
extension Judgement {
  /// Figures that every comparison shows; a verdict's share only where a call of either run has it.
  public static let shown: [Figure] = [
    .scoreMean, .scorePercentile(10), .poorShare, .brokenShare, .verdictShare(.silent),
    .verdictShare(.noPicture), .verdictShare(.notSent), .verdictShare(.unjudged), .setupPercentile(50),
    .setupPercentile(90),
  ]

  /// One row per SDK and figure: what moved clearly first, of that what is worse, of that SDKs that are blocked, then the largest;
  /// SDKs without a call last.
  ///
  /// `baseline` and `candidate` are of the calls that the change is made from, `all_…` of every call that counts.
  static func moves(_ judgement: Judgement) -> Table {
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

/// How a figure of an SDK moved, and how much that matters.
private struct Move {
  enum Direction: String { case worse, better, changed, unclear = "not clearly" }

  let sdk: String
  let figure: Figure
  let change: Interval?
  let compared: ComparedFigure
  /// Nil where there are too few calls to say.
  let moved: Direction?
  /// Ascending: what is to be read first has the least.
  let rank: (Int, Int, Double)

  init(_ judgement: Judgement, _ sdk: String, _ figure: Figure) {
    (self.sdk, self.figure) = (sdk, figure)
    change = judgement.comparison.change(of: figure, sdk: sdk)
    compared = judgement.comparison.compared(figure, sdk: sdk)
    moved = change.flatMap { Self.direction($0, figure) }
    switch moved {
    case .worse: rank = (0, Self.gravity(judgement.verdict(of: sdk)), -Self.size(change, compared, figure))
    case .better, .changed: rank = (1, 0, -Self.size(change, compared, figure))
    case .unclear: rank = (2, 0, 0)
    // What nothing is known of would otherwise stand between figures that are.
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
    // More calls of voicemail are other calls, not worse ones.
    if figure == .verdictShare(.notSent), low > 0 || high < 0 { return .changed }
    let moreIsBetter = figure == .scoreMean || figure == .scorePercentile(figure.percent ?? 0)
    if low > 0 { return moreIsBetter ? .better : .worse }
    if high < 0 { return moreIsBetter ? .worse : .better }
    return .unclear
  }

  private static func gravity(_ verdict: String) -> Int {
    verdict == "fail" ? 0 : verdict == "inconclusive" ? 1 : 2
  }

  /// In hundredths of what the figure can be: points of a score, points of per cent, per cent of a time.
  private static func size(_ change: Interval?, _ compared: ComparedFigure, _ figure: Figure) -> Double {
    let size = abs(change?.estimate ?? 0)
    switch figure {
    case _ where figure.isShare: return size * 100
    case .setupMean, .setupPercentile: return size / max(abs(compared.baseline ?? 1), 1) * 100
    default: return size
    }
  }
}
