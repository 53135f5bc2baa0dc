import CallModel

/// How every figure of every SDK moved, as a table: what pages, terminals and CSV files show.
extension Judgement {
  /// Figures that every comparison shows; a verdict's share only where a call of either run has it.
  public static let shown: [Figure] = [
    .scoreMean, .scorePercentile(10), .poorShare, .brokenShare, .verdictShare(.silent),
    .verdictShare(.noPicture), .verdictShare(.notSent), .verdictShare(.unjudged), .setupPercentile(50),
    .setupPercentile(90),
  ]

  /// A row an SDK and figure: what moved clearly first, of that what is worse, of that SDKs that are blocked, then the largest;
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
