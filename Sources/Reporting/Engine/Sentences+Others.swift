/// What else got clearly worse than the one thing that the first sentence tells: nobody looks for it in a table below good news.
extension Sentences {
  /// Most figures that are named.
  private static let most = 3

  /// Of which SDKs clearly more calls broke than before.
  func broke() -> String? {
    if let whole = wholeBroken() { return whole }
    let rows = brokeMore
    guard let first = rows.first else { return nil }
    let others = rows.dropFirst().map(\.words)
    return "Of the calls of \(first.sdk) \(first.now) broke, \(first.before) before (\(first.range))"
      + (others.isEmpty ? "." : "; also of \(Self.list(others, "and")).")
  }

  /// Other figures that got clearly worse. Where the mean score did, the lowest scores and the poor calls are part of that.
  func alsoWorse(isFirst: Bool = false) -> String? {
    let rows = othersWorse
    guard !rows.isEmpty else { return nil }
    let more = rows.count - Self.most
    let named = rows.prefix(Self.most).map { "\($0.figure.words) of \($0.words)" }
    return
      "Clearly worse\(isFirst ? "" : " too"): \((named + (more > 0 ? ["\(more) more"] : [])).joined(separator: "; "))."
  }

  /// The rows that `broke` tells.
  private var brokeMore: [Worse] { worse.filter { $0.figure == .brokenShare } }

  /// The rows that `alsoWorse` tells.
  private var othersWorse: [Worse] {
    let lower = Set(worse.filter { $0.figure == .scoreMean }.map(\.sdk)).union([toldScore].compactMap { $0 })
    return worse.filter(\.isClear).filter { row in
      // What is told of all SDKs together is not told of each.
      if isToldOfWhole(row.figure) { return false }
      switch row.figure {
      case .brokenShare: return false
      case .verdictShare(.silent), .findingShare:
        return !judgement.troubles.contains { $0.figure == row.figure }
      case .scorePercentile, .poorShare: return !lower.contains(row.sdk)
      case .scoreMean: return row.sdk != toldScore
      default: return true
      }
    }
  }

  /// Of which SDK it is told that more calls broke, and of which that setup got slower, beside the gravest.
  var othersPlaced: [(sdk: String, figure: Figure)] {
    [
      wholeChange(.brokenShare) == nil ? brokeMore.first : nil,
      othersWorse.first { $0.figure.measured == .setupMean },
    ]
    .compactMap { $0 }
    .map { ($0.sdk, $0.figure.measured) }
  }

  /// The SDK of whose mean score the first sentence tells.
  private var toldScore: String? {
    guard let gravest else { return furthest?.sdk }
    return gravest.gate.figure == .scoreMean ? gravest.sdk : nil
  }

  private struct Worse {
    var sdk: String
    var figure: Figure
    var now, before, range: String
    /// Whether it is beyond chance also as one of all figures.
    var isClear: Bool
    var words: String { "\(sdk) (\(now), \(before) before)" }
  }

  /// The figures that got clearly worse, in the order of the table, but for the one that the gate's sentence tells.
  private var worse: [Worse] {
    let table = judgement.figureChanges
    return table.rows.compactMap { row in
      func number(_ name: String) -> Double? { table.cell(row, name).number }
      guard table.cell(row, "moved").string == "worse", let sdk = table.cell(row, "sdk").string,
        let name = table.cell(row, "figure").string, let figure = Figure(name),
        gravest.map({ $0.sdk != sdk || $0.gate.figure != figure }) ?? true, !isAllowed(figure, sdk),
        let change = number("change"), let now = number("candidate"), let before = number("baseline"),
        let low = number("change_low"), let high = number("change_high")
      else { return nil }
      let ends = Words.moves([low, high], of: name)
      return Worse(
        sdk: sdk, figure: figure, now: Words.figure(now, of: name), before: Words.figure(before, of: name),
        range: "between \(ends[0]) and \(ends[1])\(Words.unit(of: name))",
        isClear: isClear(change, low, high))
    }
  }

  /// Whether gates let the figure move, and it stayed within what they let it.
  private func isAllowed(_ figure: Figure, _ sdk: String) -> Bool {
    let margins = judgement.results.filter {
      $0.sdk == sdk && $0.gate.figure == figure && $0.gate.isRelative
    }
    return !margins.isEmpty && margins.allSatisfy { $0.verdict == .pass }
  }

  /// Whether a change is one beyond chance also where every figure of every SDK is looked at: its interval is corrected for the
  /// SDKs alone, and is as much wider here as a normal distribution's would be.
  private func isClear(_ change: Double, _ low: Double, _ high: Double) -> Bool {
    let comparison = judgement.comparison
    let error = comparison.questionError / Double(max(1, comparison.sdks.count))
    let wider =
      Distributions.normalQuantile(1 - error / Double(Judgement.shown.count))
      / Distributions.normalQuantile(1 - error)
    return abs(change) > wider * (low > 0 ? change - low : high - change)
  }
}

extension Figure {
  /// Its name in a sentence.
  fileprivate var words: String {
    switch self {
    case .scoreMean: "mean score"
    case .scorePercentile(let percent): "score p\(percent)"
    case .setupMean: "mean setup"
    case .setupPercentile(let percent): "setup p\(percent)"
    case .brokenShare: "broken calls"
    case .poorShare: "poor calls"
    case .verdictShare(let word): "\(word.rawValue) calls"
    case .findingShare(let code): "calls with \(code)"
    case .missing, .excluded, .calls: description
    }
  }
}
