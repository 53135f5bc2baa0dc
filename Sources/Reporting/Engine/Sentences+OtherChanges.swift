import CallModel
import Rendering

/// What else got significantly worse, besides the subject of the first sentence. Nobody looks for it in a table below
/// good news.
extension Sentences {
  /// Maximum number of figures named.
  private static let most = 3

  /// The SDKs of which significantly more calls broke than before.
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

  /// Other figures that got significantly worse. Low percentiles of the score and the share of poor calls are left out
  /// if the mean score fell.
  func alsoWorse(isFirst: Bool = false) -> Sentence? {
    let rows = othersWorse
    guard !rows.isEmpty else { return nil }
    let more = rows.count - Self.most
    let named = rows.prefix(Self.most).map { "\($0.figure.words) of \($0.words)" }
    return Sentence(
      "Clearly worse\(isFirst ? "" : " too"): \((named + (more > 0 ? ["\(more) more"] : [])).joined(separator: "; ")).",
      CallList(rows.prefix(Self.most).map { calls(of: $0.figure, sdk: $0.sdk, before: $0.baseline) }))
  }

  /// The rows that `broke` reports.
  private var brokeMore: [Worse] { worse.filter { $0.figure == .brokenShare } }

  /// The rows that `alsoWorse` reports.
  private var othersWorse: [Worse] {
    let lower = Set(worse.filter { $0.figure == .scoreMean }.map(\.sdk)).union(
      [firstScoreSDK].compactMap { $0 })
    return worse.filter { row in
      // What is reported for all SDKs together is not repeated for each.
      if isCoveredByWhole(row.figure) { return false }
      switch row.figure {
      case .brokenShare: return false
      case .verdictShare(.silent), .findingShare:
        return !judgement.newProblems.contains { $0.figure == row.figure }
      case .scorePercentile, .poorShare: return !lower.contains(row.sdk)
      case .scoreMean: return row.sdk != firstScoreSDK
      default: return true
      }
    }
  }

  /// What got significantly worse besides scores and new problems, as in the headline: figures with failed gates,
  /// broken calls, setup times and others.
  var others: [CallGroup] {
    var found: [(figure: Figure, sdk: String?, group: CallGroup)] = []
    func add(_ figure: Figure, _ sdk: String?, _ words: String, before: Double?) {
      let calls = calls(of: figure, sdk: sdk, before: before)
      // More poor calls are part of a lower score, and calls that fail with a new code are reported as such.
      guard let calls, !calls.keys.isEmpty, !isReported(calls),
        !found.contains(where: { $0.figure.measured == figure.measured && ($0.sdk == nil || $0.sdk == sdk) })
      else { return }
      var group = judgement.group(sdk ?? wholeName, words, figure, sdk, calls)
      group.isLate = figure.isOfScore
      found.append((figure, sdk, group))
    }
    for whole in judgement.whole where whole.isWorse && whole.figure != .scoreMean {
      let name = whole.figure.description
      let before = max(0, whole.value - whole.change)
      add(
        whole.figure, nil,
        "\(ValueText.figure(whole.value, of: name)), \(ValueText.figure(before, of: name)) before",
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
        "\(ValueText.figure(value, of: name)), \(ValueText.figure(base, of: name)) before", before: base)
    }
    for row in brokeMore + othersWorse where row.figure != .scoreMean {
      add(row.figure, row.sdk, "\(row.now), \(row.before) before", before: row.baseline)
    }
    return found.map(\.group)
  }

  private var wholeName: String { judgement.whole.first?.name ?? "all \(kind)s" }

  /// Whether most of these calls belong to a problem that is already reported by name.
  private func isReported(_ calls: CallList) -> Bool {
    let reported = Set(judgement.newProblems.flatMap(\.keys))
    return calls.keys.count { reported.contains($0) } * 2 > calls.keys.count
  }

  /// The SDKs reported to have more broken calls or slower setup, besides the one with the worst gate.
  var othersPlaced: [(sdk: String, figure: Figure)] {
    [
      wholeChange(.brokenShare) == nil ? brokeMore.first : nil,
      othersWorse.first { $0.figure.measured == .setupMean },
    ]
    .compactMap { $0 }
    .map { ($0.sdk, $0.figure.measured) }
  }

  /// The SDK whose mean score the first sentence reports.
  private var firstScoreSDK: String? {
    guard let worstResult else { return furthest?.sdk }
    return worstResult.gate.figure == .scoreMean ? worstResult.sdk : nil
  }

  private struct Worse {
    var sdk: String
    var figure: Figure
    var now, before, range: String
    /// The value in the baseline.
    var baseline: Double
    var words: String { "\(sdk) (\(now), \(before) before)" }
  }

  /// The figures that got significantly worse, in table order, except the one that the gate's sentence reports.
  private var worse: [Worse] {
    let table = judgement.figureChanges
    return table.rows.compactMap { row in
      func number(_ name: String) -> Double? { table.cell(row, name).number }
      guard table.cell(row, "moved").string == "worse", let sdk = table.cell(row, "sdk").string,
        let name = table.cell(row, "figure").string, let figure = Figure(name),
        worstResult.map({ $0.sdk != sdk || $0.gate.figure != figure }) ?? true, !isAllowed(figure, sdk),
        let change = number("change"), let now = number("candidate"), let before = number("baseline"),
        let low = number("change_low"), let high = number("change_high"),
        judgement.isSignificant(figure, sdk, change, from: low, to: high)
      else { return nil }
      let ends = ValueText.moves([low, high], of: name)
      return Worse(
        sdk: sdk, figure: figure, now: ValueText.figure(now, of: name),
        before: ValueText.figure(before, of: name),
        range: "between \(ends[0]) and \(ends[1])\(ValueText.unit(of: name))", baseline: before)
    }
  }

  /// Whether gates allow the figure to move, and it stayed within their limits.
  private func isAllowed(_ figure: Figure, _ sdk: String) -> Bool {
    let margins = judgement.results.filter {
      $0.sdk == sdk && $0.gate.figure == figure && $0.gate.isRelative
    }
    return !margins.isEmpty && margins.allSatisfy { $0.verdict == .pass }
  }
}

extension Figure {
  /// Whether it is derived from scores, so that a drop of the mean score covers it.
  fileprivate var isOfScore: Bool { measured == .scoreMean || self == .poorShare }

  /// Its name in a sentence.
  var words: String {
    switch self {
    case .scoreMean: "mean score"
    case .reportedMean: "quality that clients reported"
    case .scorePercentile(let percent): "score p\(percent)"
    case .setupMean: "mean setup"
    case .setupPercentile(let percent): "setup p\(percent)"
    case .phaseMean(let phase): phase.words
    case .broken, .brokenShare: "broken calls"
    case .poorShare: "poor calls"
    case .verdictShare(let word): "\(word.rawValue) calls"
    case .findingShare(let code): "calls with \(code)"
    case .placeShare(let place): "calls with a fault at \(place.rawValue)"
    case .failedTries(let kind): kind == "push" ? "pushes that failed" : "\(kind)s that failed"
    case .missing, .excluded, .calls: description
    }
  }
}

/// Missing calls and calls that count in no figure. Neither changes any figure, so sentences must report them.
extension Sentences {
  /// Calls that were expected but are missing.
  func missing() -> [Sentence] {
    let candidate = judgement.comparison.candidate
    let missing = candidate.missing.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    let all = missing.reduce(0) { $0 + $1.value }
    guard all > 0 else { return judgement.isMuchUnread ? unread() : [] }
    let came = candidate.calls.values.reduce(0) { $0 + $1.count } + candidate.excluded.values.reduce(0, +)
    let sdks = Self.shares(missing)
    let sentence = Sentence(
      "\(ValueText.count(all, "call")) that \(Plural.word(all, "was", "were")) expected never came, \(sdks); \(came) came.",
      uncounted(.missing))
    return [sentence].compactMap { $0 } + unread()
  }

  /// Files that could not be read; they may contain the missing calls.
  private func unread() -> [Sentence] {
    let files = judgement.unreadFiles
    guard files > 0 else { return [] }
    return [
      Sentence(
        "\(ValueText.count(files, "file")) could not be read, so what they hold is missing here: `callqa sources` says why."
      )
    ].compactMap { $0 }
  }

  /// `11 of ios and 2 of web`; just `of ios` if there is only one SDK.
  private static func shares(_ calls: [(key: String, value: Int)]) -> String {
    if let only = calls.first, calls.count == 1 { return "of \(only.key)" }
    return list(calls.map { "\($0.value) of \($0.key)" }, "and")
  }

  /// Calls that came but count in no figure: the night may be judged by a small remainder.
  func putAside() -> [Sentence] {
    let candidate = judgement.comparison.candidate
    let aside = candidate.excluded.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    let all = aside.reduce(0) { $0 + $1.value }
    guard all > 0 else { return [] }
    let came = all + candidate.calls.values.reduce(0) { $0 + $1.count }
    let sdks = (aside.count == 1 && all > 1 ? "all " : "") + Self.shares(aside)
    let sentence = Sentence(
      "\(ValueText.count(all, "call")) of \(came) \(Plural.word(all, "was", "were")) put aside, \(sdks), and \(Plural.word(all, "counts", "count")) in no figure.",
      uncounted(.excluded))
    return [sentence].compactMap { $0 }
  }

  /// Calls that cannot be judged, and count in no figure.
  func unjudgeable() -> [Sentence] {
    let count = judgement.comparison.candidate.unjudgeable
    guard count > 0 else { return [] }
    let text =
      "\(ValueText.count(count, "call")) cannot be judged, and \(Plural.word(count, "counts", "count")) in no figure: `callqa check` says why."
    return [Sentence(text, uncounted(.unjudgeable))].compactMap { $0 }
  }

  /// SDKs of the baseline without a call in this run, none of which was announced.
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

  /// Missing calls and SDKs, in the words of the headline.
  var lacking: [String] {
    guard let baseline = judgement.comparison.baseline, baseline.ran > 0 else { return [] }
    let (absent, fewer) = (absentSDKs(baseline), fewerSDKs(baseline))
    let isAll = !fewer.isEmpty && fewer.count == judgement.comparison.candidate.calls.count && fewer.count > 1
    let candidate = judgement.comparison.candidate
    let missing = judgement.comparison.sdks.filter { candidate.isMuchMissing(of: $0) }
      .map { (key: $0, value: candidate.missing[$0] ?? 0) }
    return [
      absent.isEmpty ? nil : "no call of \(Self.list(absent, "or"))",
      fewer.isEmpty
        ? nil
        : Self.howMany(fewer) + (isAll ? "" : " of \(Self.list(fewer.map(\.name), "and"))"),
      missing.isEmpty
        ? nil
        : "\(ValueText.count(missing.reduce(0) { $0 + $1.value }, "call")) missing, \(Self.shares(missing))",
    ].compactMap { $0 }
  }

  private func count(_ sdk: String, _ baseline: RunFigures) -> Int { baseline.calls[sdk]?.count ?? 0 }

  /// Calls that were only partly imported; they change no figure either.
  func cut() -> [Sentence] {
    let candidate = judgement.comparison.candidate
    let cut = candidate.calls.keys.sorted().map { ($0, candidate.cut(of: $0)) }.filter { $0.1 > 0 }
    let all = cut.reduce(0) { $0 + $1.1 }
    guard all > 0 else { return [] }
    let sentence = Sentence(
      "Of \(ValueText.count(all, "call")) of \(candidate.ran) nothing is known, for their files were taken in part: "
        + "\(Self.shares(cut.map { (key: $0.0, value: $0.1) })).", cutCalls())
    return [sentence].compactMap { $0 }
  }

  /// SDKs with fewer calls (present or announced) than earlier runs had, or with less than half of the baseline's where
  /// too few runs tell what is usual, if that is significant.
  ///
  /// For runs only: a time range may not be over yet.
  func fewer(_ baseline: RunFigures) -> [Sentence] {
    let sdks = announced(baseline)
    let fewer = fewerSDKs(baseline)
    guard !fewer.isEmpty else { return [] }
    guard fewer.count < sdks.count || sdks.count == 1 else {
      let usual = judgement.volume == nil ? "in the baseline" : "usually"
      let (now, before) = (fewer.reduce(0) { $0 + $1.now }, fewer.reduce(0) { $0 + $1.before })
      let sentence = Sentence(
        "\(Self.capital(Self.howMany(fewer))), of every \(kind): \(now), \(before) \(usual).",
        calls(of: .calls, sdk: nil))
      return [sentence].compactMap { $0 }
    }
    let words = fewer.map {
      "\($0.now) of \($0.name) (\($0.before) \(judgement.volume == nil ? "in its baseline" : "usually"))"
    }
    let sentence = Sentence(
      "\(Self.capital(Self.howMany(fewer))): \(Self.list(words, "and")).", fewerCalls(of: fewer.map(\.name))
    )
    return [sentence].compactMap { $0 }
  }

  private static func howMany(_ fewer: [(name: String, now: Int, before: Int)]) -> String {
    fewer.allSatisfy { $0.now * 2 < $0.before }
      ? "less than half as many calls as before" : "fewer calls than before"
  }

  private static func capital(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  private func announced(_ baseline: RunFigures) -> [(name: String, now: Int, before: Int)] {
    let candidate = judgement.comparison.candidate
    return candidate.calls.keys.sorted().map { sdk in
      (name: sdk, now: candidate.announced(of: sdk), before: baseline.announced(of: sdk))
    }
  }

  private func fewerSDKs(_ baseline: RunFigures) -> [(name: String, now: Int, before: Int)] {
    let comparison = judgement.comparison
    guard comparison.candidate.isRun else { return [] }
    let error = comparison.questionError * NightError.parts.volume / Double(max(1, comparison.sdks.count))
    return announced(baseline).compactMap { sdk in
      if let usual = judgement.volume?.usual(sdk.name, ifFewer: sdk.now, error: error) {
        return (sdk.name, sdk.now, usual)
      }
      // Where earlier runs tell what is usual, the baseline alone does not.
      let isKnown = (judgement.volume?.counts[sdk.name]?.count ?? 0) >= VolumeHistory.fewest
      return !isKnown && Self.isFewer(sdk.now, sdk.before) ? sdk : nil
    }
  }

  /// Whether `now` is below half of `before` and they differ by more than four standard errors (Poisson).
  private static func isFewer(_ now: Int, _ before: Int) -> Bool {
    now * 2 < before && Double(before - now) > 4 * Double(before + now).squareRoot()
  }
}

extension RunFigures {
  /// Whether more calls of an SDK are missing than a gate tolerates.
  func isMuchMissing(of sdk: String) -> Bool {
    let missing = missing[sdk] ?? 0
    return missing > Comparison.toleratedCalls
      && Double(missing) > Comparison.toleratedMissing * Double(missing + (calls[sdk]?.count ?? 0))
  }

  /// Number of an SDK's calls that exist or are expected, whether or not they count.
  fileprivate func announced(of sdk: String) -> Int {
    (calls[sdk]?.count ?? 0) + (missing[sdk] ?? 0) + (excluded[sdk] ?? 0) + (unfinished[sdk] ?? 0)
  }
}
