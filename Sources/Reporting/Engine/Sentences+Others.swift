import CallModel
import CallViews
import Rendering

/// What else got clearly worse than the one thing that the first sentence tells: nobody looks for it in a table below good news.
extension Sentences {
  /// Most figures that are named.
  private static let most = 3

  /// Of which SDKs clearly more calls broke than before.
  func broke() -> Sentence? {
    if let whole = wholeBroken() { return whole }
    let rows = brokeMore
    guard let first = rows.first else { return nil }
    let others = rows.dropFirst().map(\.words)
    return Sentence(
      "\(first.now) of the calls of \(first.sdk) broke, \(first.before) before (\(first.range))"
        + (others.isEmpty ? "." : "; likewise of \(Self.list(others, "and"))."),
      CallList(rows.map { calls(of: .brokenShare, sdk: $0.sdk) }))
  }

  /// Other figures that got clearly worse. Where the mean score did, the lowest scores and the poor calls are part of that.
  func alsoWorse(isFirst: Bool = false) -> Sentence? {
    let rows = othersWorse
    guard !rows.isEmpty else { return nil }
    let more = rows.count - Self.most
    let named = rows.prefix(Self.most).map { "\($0.figure.words) of \($0.words)" }
    return Sentence(
      "Clearly worse\(isFirst ? "" : " too"): \((named + (more > 0 ? ["\(more) more"] : [])).joined(separator: "; ")).",
      CallList(rows.prefix(Self.most).map { calls(of: $0.figure, sdk: $0.sdk, before: $0.baseline) }))
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

  /// What got clearly worse beside scores and new troubles, as the first line says it: what a gate blocks, calls that break, setup
  /// times and other figures.
  var others: [CallGroup] {
    var found: [(figure: Figure, sdk: String?, group: CallGroup)] = []
    func add(_ figure: Figure, _ sdk: String?, _ words: String, before: Double?) {
      let calls = calls(of: figure, sdk: sdk, before: before)
      // More poor calls are part of a lower score, and calls that fail with a new code are told by it.
      guard let calls, !calls.keys.isEmpty, !isTold(calls),
        !found.contains(where: { $0.figure.measured == figure.measured && ($0.sdk == nil || $0.sdk == sdk) })
      else { return }
      found.append((figure, sdk, judgement.group(sdk ?? wholeName, words, figure, sdk, calls)))
    }
    for whole in judgement.whole where whole.isWorse && whole.figure != .scoreMean {
      let name = whole.figure.description
      let before = max(0, whole.value - whole.change)
      add(
        whole.figure, nil,
        "\(Words.figure(whole.value, of: name)), \(Words.figure(before, of: name)) before",
        before: before)
    }
    let failed = judgement.results.filter {
      $0.verdict == .fail && !$0.gate.figure.isCount && $0.gate.isRelative
    }
    for result in failed where !result.gate.figure.isOfScore {
      let name = result.gate.figure.description
      guard let value = result.candidate, let base = result.baseline else { continue }
      add(
        result.gate.figure, result.sdk,
        "\(Words.figure(value, of: name)), \(Words.figure(base, of: name)) before", before: base)
    }
    for row in brokeMore + othersWorse where row.figure != .scoreMean {
      add(row.figure, row.sdk, "\(row.now), \(row.before) before", before: row.baseline)
    }
    return found.map(\.group)
  }

  private var wholeName: String { judgement.whole.first?.name ?? "all \(kind)s" }

  /// Whether most of some calls are those of a trouble that is told by its name.
  private func isTold(_ calls: CallList) -> Bool {
    let told = Set(judgement.troubles.flatMap(\.keys))
    return calls.keys.count { told.contains($0) } * 2 > calls.keys.count
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
    /// The figure before, as a number.
    var baseline: Double
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
        range: "between \(ends[0]) and \(ends[1])\(Words.unit(of: name))", baseline: before,
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
  /// Whether it is made of scores: a fall of the mean tells of it.
  fileprivate var isOfScore: Bool { measured == .scoreMean || self == .poorShare }

  /// Its name in a sentence.
  var words: String {
    switch self {
    case .scoreMean: "mean score"
    case .reportedMean: "quality that clients reported"
    case .scorePercentile(let percent): "score p\(percent)"
    case .setupMean: "mean setup"
    case .setupPercentile(let percent): "setup p\(percent)"
    case .brokenShare: "broken calls"
    case .poorShare: "poor calls"
    case .verdictShare(let word): "\(word.rawValue) calls"
    case .findingShare(let code): "calls with \(code)"
    case .failedTries(let kind): kind == "push" ? "pushes that failed" : "\(kind)s that failed"
    case .missing, .excluded, .calls: description
    }
  }
}

/// What is not there, and what counts in no figure: it moves none.
extension Sentences {
  /// Calls that were expected and never came: what is not there moves no figure.
  func missing() -> [Sentence] {
    let candidate = judgement.comparison.candidate
    let missing = candidate.missing.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    let all = missing.reduce(0) { $0 + $1.value }
    guard all > 0 else { return judgement.isMuchUnread ? unread() : [] }
    let came = candidate.calls.values.reduce(0) { $0 + $1.count } + candidate.excluded.values.reduce(0, +)
    let sdks = Self.shares(missing)
    let told = Sentence(
      "\(Words.count(all, "call")) that \(Plural.word(all, "was", "were")) expected never came, \(sdks); \(came) came.",
      uncounted(.missing))
    return [told].compactMap { $0 } + unread()
  }

  /// Files that could not be read: perhaps what did not come lies in them.
  private func unread() -> [Sentence] {
    let files = judgement.unreadFiles
    guard files > 0 else { return [] }
    return [
      Sentence(
        "\(Words.count(files, "file")) could not be read, so what they hold is missing here: `callqa sources` says why."
      )
    ].compactMap { $0 }
  }

  /// `11 of ios and 2 of web`; of one SDK just `of ios`.
  private static func shares(_ calls: [(key: String, value: Int)]) -> String {
    if let only = calls.first, calls.count == 1 { return "of \(only.key)" }
    return list(calls.map { "\($0.value) of \($0.key)" }, "and")
  }

  /// Calls that came and count in no figure: a night may be judged by what is left of it.
  func putAside() -> [Sentence] {
    let candidate = judgement.comparison.candidate
    let aside = candidate.excluded.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    let all = aside.reduce(0) { $0 + $1.value }
    guard all > 0 else { return [] }
    let came = all + candidate.calls.values.reduce(0) { $0 + $1.count }
    let sdks = (aside.count == 1 && all > 1 ? "all " : "") + Self.shares(aside)
    let told = Sentence(
      "\(Words.count(all, "call")) of \(came) \(Plural.word(all, "was", "were")) put aside, \(sdks), and \(Plural.word(all, "counts", "count")) in no figure.",
      uncounted(.excluded))
    return [told].compactMap { $0 }
  }

  /// SDKs of the baseline of which nothing came, and of which nobody said that anything would.
  func absent(_ baseline: RunFigures) -> [Sentence] {
    let sdks = absentSDKs(baseline)
    guard let first = sdks.first else { return [] }
    let text =
      sdks.count > 1
      ? "No call of \(Self.list(sdks.map { "\($0) (\(count($0, baseline)) in its baseline)" }, "or")) came."
      : "No call of \(first) came; its baseline has \(count(first, baseline))."
    return [Sentence(text, baselineCalls(of: sdks))].compactMap { $0 }
  }

  private func absentSDKs(_ baseline: RunFigures) -> [String] {
    baseline.calls.keys.sorted().filter { !judgement.comparison.candidate.sdks.contains($0) }
  }

  /// What did not come, in the words of the first line.
  var lacking: [String] {
    guard let baseline = judgement.comparison.baseline, baseline.ran > 0 else { return [] }
    let (absent, fewer) = (absentSDKs(baseline), fewerSDKs(baseline))
    let isAll = !fewer.isEmpty && fewer.count == judgement.comparison.candidate.calls.count && fewer.count > 1
    let candidate = judgement.comparison.candidate
    let missing = judgement.comparison.sdks.filter { candidate.isMuchMissing(of: $0) }
      .reduce(0) { $0 + (candidate.missing[$1] ?? 0) }
    return [
      absent.isEmpty ? nil : "no call of \(Self.list(absent, "or"))",
      fewer.isEmpty
        ? nil
        : "less than half as many calls as before"
          + (isAll ? "" : " of \(Self.list(fewer.map(\.name), "and"))"),
      missing > 0 ? "\(Words.count(missing, "call")) missing" : nil,
    ].compactMap { $0 }
  }

  private func count(_ sdk: String, _ baseline: RunFigures) -> Int { baseline.calls[sdk]?.count ?? 0 }

  /// Calls that came as stumps: what they were like moves no figure either.
  func cut() -> [Sentence] {
    let candidate = judgement.comparison.candidate
    let cut = candidate.calls.keys.sorted().map { ($0, candidate.cut(of: $0)) }.filter { $0.1 > 0 }
    let all = cut.reduce(0) { $0 + $1.1 }
    guard all > 0 else { return [] }
    let told = Sentence(
      "Of \(Words.count(all, "call")) of \(candidate.ran) nothing is known, for their files were taken in part: "
        + "\(Self.shares(cut.map { (key: $0.0, value: $0.1) })).", cutCalls())
    return [told].compactMap { $0 }
  }

  /// SDKs of which less than half as many calls came or were announced as the baseline has, beyond chance.
  ///
  /// Only of runs: a time may not be over yet.
  func fewer(_ baseline: RunFigures) -> [Sentence] {
    let sdks = announced(baseline)
    let fewer = fewerSDKs(baseline)
    guard !fewer.isEmpty else { return [] }
    guard fewer.count < sdks.count || sdks.count == 1 else {
      let (now, before) = (sdks.reduce(0) { $0 + $1.now }, sdks.reduce(0) { $0 + $1.before })
      let told = Sentence(
        "Less than half as many calls as before, of every \(kind): \(now), \(before) in the baseline.",
        calls(of: .calls, sdk: nil))
      return [told].compactMap { $0 }
    }
    let words = fewer.map { "\($0.now) of \($0.name) (\($0.before) in its baseline)" }
    let told = Sentence(
      "Less than half as many calls as before: \(Self.list(words, "and")).", fewerCalls(of: fewer.map(\.name))
    )
    return [told].compactMap { $0 }
  }

  private func announced(_ baseline: RunFigures) -> [(name: String, now: Int, before: Int)] {
    let candidate = judgement.comparison.candidate
    return candidate.calls.keys.sorted().map { sdk in
      (name: sdk, now: candidate.announced(of: sdk), before: baseline.announced(of: sdk))
    }
  }

  private func fewerSDKs(_ baseline: RunFigures) -> [(name: String, now: Int, before: Int)] {
    judgement.comparison.candidate.isRun
      ? announced(baseline).filter { Self.isFewer($0.now, $0.before) } : []
  }

  /// Whether less than half, and two counts that differ by four standard errors of Poisson's.
  private static func isFewer(_ now: Int, _ before: Int) -> Bool {
    now * 2 < before && Double(before - now) > 4 * Double(before + now).squareRoot()
  }
}

extension RunFigures {
  /// Whether more calls of an SDK never came than a gate puts up with.
  func isMuchMissing(of sdk: String) -> Bool {
    let missing = missing[sdk] ?? 0
    return Double(missing) > Comparison.toleratedMissing * Double(missing + (calls[sdk]?.count ?? 0))
  }

  /// Calls of an SDK that there are or should be, whether or not they count.
  fileprivate func announced(of sdk: String) -> Int {
    (calls[sdk]?.count ?? 0) + (missing[sdk] ?? 0) + (excluded[sdk] ?? 0) + (unfinished[sdk] ?? 0)
  }
}
