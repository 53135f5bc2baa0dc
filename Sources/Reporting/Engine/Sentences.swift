/// What changed and how certain that is, in a few sentences.
struct Sentences {
  let judgement: NightJudgement
  /// What the calls are grouped by.
  var kind: String { judgement.comparison.kind }

  func all() -> [String] { sentences().map(\.text) }

  /// Every sentence, with the calls that it is about.
  func sentences() -> [Sentence] {
    if let nothing = judgement.nothingRan {
      let candidate = judgement.comparison.candidate
      let uncounted = [(candidate.missing, RunFigures.Uncounted.missing), (candidate.excluded, .excluded)]
        .first { $0.0.contains { $0.value > 0 } }.map { self.uncounted($0.1) }
      return [failed(), Sentence(nothing.sentence, uncounted), Sentence(EmptyRun.remedy)].compactMap { $0 }
    }
    let comparison = judgement.comparison
    let unfinished =
      [
        Sentence(
          comparison.unfinished.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." },
          uncounted(.unfinished)
        )
      ].compactMap { $0 } + unjudgeable()
    guard let baseline = comparison.baseline, baseline.ran > 0 else {
      return unfinished + [failed()].compactMap { $0 } + first() + [faultPlaces()].compactMap { $0 }
        + putAside()
    }
    // A few missing calls are mentioned, but after what went wrong with the others.
    let isMuchMissing = comparison.sdks.contains { comparison.candidate.isMuchMissing(of: $0) }
    return unfinished + absent(baseline) + fewer(baseline)
      + (isMuchMissing || judgement.isMuchUnread ? missing() : []) + cut()
      + moved() + places() + [faultPlaces()].compactMap { $0 }
      + (isMuchMissing || judgement.isMuchUnread ? [] : missing()) + putAside()
      + [Sentence(certainty())].compactMap { $0 }
  }

  /// What moved, most severe first: broken calls come before any score, but after failed gates.
  private func moved() -> [Sentence] {
    let (blocked, broken, slower) = (failed(), broke(), wholeSetup())
    let score = blocked == nil || wholeChange(.scoreMean) != nil ? changed() : nil
    let isScoreWorse = wholeChange(.scoreMean)?.isWorse ?? furthest.map { $0.change.estimate < 0 } ?? false
    let isFirst = blocked == nil && broken == nil && slower == nil && !isScoreWorse
    // What got worse comes before a score that did not move or rose, and changes of tonight come before gradual ones.
    let isSlower = wholeChange(.setupMean)?.isWorse == true
    let slowly = Sentence(
      drift(),
      CallList(
        judgement.drifts.prefix(Self.most).map { calls(of: $0.figure, sdk: $0.sdk, before: $0.first) }))
    let rest =
      isFirst
      ? [alsoWorse(isFirst: true), slowly, score]
      : isSlower && !isScoreWorse
        ? [slower, alsoWorse(), slowly, score] : [score, slower, alsoWorse(), slowly]
    // Silent calls and new errors come before any mean.
    let named = judgement.newProblems.prefix(Self.maxProblems)
    let others = judgement.newProblems.dropFirst(Self.maxProblems)
    let also = Sentence(
      others.isEmpty ? nil : "Also new or more than before: \(others.map(\.line).joined(separator: "; ")).",
      CallList(others.map { judgement.list(of: $0) }))
    return named.compactMap { Sentence($0.sentence, judgement.list(of: $0)) } + [also].compactMap { $0 }
      + ([blocked, broken] + rest).compactMap { $0 }
  }

  /// Maximum number of new problems with a sentence of their own; the others share one.
  private static let maxProblems = 4

  /// Whether anything is reported as significantly worse.
  var isAnythingWorse: Bool {
    judgement.whole.contains(where: \.isWorse) || !judgement.newProblems.isEmpty || !judgement.drifts.isEmpty
      || broke() != nil
      || alsoWorse() != nil
      || furthest.map { $0.change.estimate < 0 } == true
  }

  /// The SDK whose mean score moved most, among those with a significant change.
  var furthest: (sdk: String, change: Interval)? {
    judgement.changes.filter {
      judgement.isSignificant(
        .scoreMean, $0.key, $0.value.estimate, from: $0.value.low, to: $0.value.high)
    }
    .max { abs($0.value.estimate) < abs($1.value.estimate) }.map { ($0.key, $0.value) }
  }

  /// The most important change.
  private func changed() -> Sentence? {
    if let whole = wholeScore() { return whole }
    guard let (sdk, change) = furthest else { return unclear() }
    let way = change.estimate < 0 ? "lower" : "higher"
    return Sentence(
      "\(sdk) scores \(ValueText.fixed(abs(change.estimate), 1)) points \(way) than its baseline (\(Self.range(change)))\(change.estimate < 0 && isInsideMargin(sdk) ? ", inside the margin" : "").",
      calls(of: .scoreMean, sdk: sdk))
  }

  /// Whether a gate allows the SDK's mean score to move, and it passed.
  private func isInsideMargin(_ sdk: String) -> Bool {
    let margins = judgement.results.filter {
      $0.sdk == sdk && $0.gate.figure == .scoreMean && $0.gate.isRelative
    }
    return !margins.isEmpty && margins.allSatisfy { $0.verdict == .pass }
  }

  /// The most severe of the failed gates.
  var worstResult: GateResult? {
    let failed = judgement.results.filter { $0.verdict == .fail }
    return failed.first { $0.gate.figure == .verdictShare(.silent) }
      ?? failed.first { $0.gate.figure == .scoreMean } ?? failed.first { !$0.gate.figure.isCount }
      ?? failed.first
  }

  /// The most severe of the failed gates, and the other SDKs with failed gates.
  private func failed() -> Sentence? {
    let failed = judgement.results.filter { $0.verdict == .fail }
    guard let worst = worstResult else { return nil }
    let others = Set(failed.map(\.sdk)).subtracting([worst.sdk]).sorted()
    let also =
      others.isEmpty ? "" : " The same or another gate also failed for \(others.joined(separator: ", "))."
    return Sentence(
      failure(worst) + also, calls(of: worst.gate.figure, sdk: worst.sdk, before: worst.baseline))
  }

  /// Changes of the score for which there are enough calls.
  var compared: [String: Interval] { judgement.changes.filter { $0.value.low != nil } }

  /// Nothing moved significantly. With a single SDK its change is still reported. If too few calls are scored, nothing
  /// is known.
  private func unclear() -> Sentence? {
    let compared = compared
    guard let (sdk, change) = compared.first else {
      return Sentence(
        "Whether the score changed cannot be said: no \(kind) has enough scored calls in this run and its baseline."
      )
    }
    let others = judgement.comparison.sdks.count - compared.count
    let rest =
      others == 0
      ? "" : "; too few calls of \(ValueText.count(others, "other " + kind)) are scored to say the same"
    guard compared.count == 1 else {
      return Sentence(
        "None of the \(compared.count) \(kind)s\(others > 0 ? " with enough scored calls" : "") shows a change in score that chance would not explain\(rest)."
      )
    }
    let size = abs(change.estimate)
    let way =
      size < 0.05
      ? "as its baseline" : change.estimate < 0 ? "lower than its baseline" : "higher than its baseline"
    return Sentence(
      "\(sdk) scores \(size < 0.05 ? "the same" : ValueText.fixed(size, 1) + " points") \(way), which chance explains just as well (\(Self.range(change)))\(rest).",
      calls(of: .scoreMean, sdk: sdk))
  }

  private func failure(_ result: GateResult) -> String {
    let gate = result.gate
    guard let contrast = result.contrast, contrast.low != nil, !gate.figure.isCount else {
      return "\(result.sdk) fails the gate \(gate.text): \(result.reason)."
    }
    if gate.figure == .scoreMean, gate.factor == 1 {
      return
        "\(result.sdk) lost \(ValueText.fixed(-contrast.estimate, 1)) points of score against its baseline (\(Self.range(contrast)))"
        + ", more than the \(ValueText.fixed(-gate.offset, 1)) that the gate allows."
    }
    let value = result.candidate.map { Self.value($0, gate.figure) } ?? ValueText.unknown
    let base = result.baseline.map { ", was \(Self.value($0, gate.figure))" } ?? ""
    return
      "\(result.sdk) fails the gate \(gate.text): \(gate.figure) is \(value)\(gate.isRelative ? base : "")."
  }

  static func list(_ words: [String], _ last: String) -> String {
    guard let end = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(last) \(end)"
  }

  /// How certain the results are.
  private func certainty() -> String? {
    let unsure = judgement.sdks.filter { judgement.verdict(of: $0) == "inconclusive" }
    let sdks = judgement.comparison.sdks.count
    guard !judgement.results.isEmpty else {
      guard !compared.isEmpty else { return nil }
      return
        "How sure: across all \(kind)s, each bound has at most a 5 % chance of being wrong."
    }
    let sure =
      "How sure: "
      + (sdks > 1 ? "with \(sdks) \(kind)s compared at once, one" : kind == "SDK" ? "an SDK" : "a \(kind)")
      + " that is exactly at a limit is blocked by chance on at most one night in 20; one that did not change, almost never."
    guard !unsure.isEmpty else { return sure }
    let isAnyDecided = judgement.results.contains { $0.verdict != .inconclusive }
    return (isAnyDecided ? sure + " " : "") + "Not decided: \(reasons(unsure).joined(separator: "; "))."
  }

  /// Maximum number of reasons listed; the table of gates has them all.
  private static let maxReasons = 3

  /// Why gates of these SDKs are undecided. SDKs with the same gate and reason are combined; those with calls come
  /// first.
  private func reasons(_ sdks: [String]) -> [String] {
    var groups: [(gate: String, reason: String, results: [GateResult])] = []
    for sdk in sdks {
      guard let result = judgement.reason(of: sdk) else { continue }
      // The number of further calls needed differs by SDK.
      let reason = result.moreCalls == nil ? result.reason : ""
      if let place = groups.firstIndex(where: { $0.gate == result.gate.text && $0.reason == reason }) {
        groups[place].results.append(result)
      } else {
        groups.append((result.gate.text, reason, [result]))
      }
    }
    let withCalls = groups.filter { $0.results.contains { judgement.ran($0.sdk) } }
    let others = groups.filter { group in !group.results.contains { judgement.ran($0.sdk) } }
    let all = withCalls + others
    let rest = Set(all.dropFirst(Self.maxReasons).flatMap { $0.results.map(\.sdk) })
    return all.prefix(Self.maxReasons).map {
      "\(names($0.results.map(\.sdk))) (\($0.gate): \(Self.why($0.results)))"
    }
      + (rest.isEmpty ? [] : ["\(ValueText.count(rest.count, "other " + kind)), see Gates"])
  }

  private func names(_ sdks: [String]) -> String {
    if sdks.count > 2, Set(sdks).isSuperset(of: judgement.sdks) { return "all \(sdks.count) \(kind)s" }
    return sdks.count <= 2 ? Self.list(sdks, "and") : "\(sdks[0]) and \(sdks.count - 1) more"
  }

  /// The reason that results of one gate share. If the number of further calls needed differs, the range of it.
  private static func why(_ results: [GateResult]) -> String {
    let more = results.compactMap(\.moreCalls).sorted()
    guard results.count > 1, let least = more.first, let most = more.last else {
      return results.first?.reason ?? ""
    }
    let range =
      least == most
      ? ValueText.grouped(Double(least))
      : "\(ValueText.grouped(Double(least))) \(most > 50 * least ? "or far" : "to \(ValueText.grouped(Double(most)))")"
    return "too close to the limit to call; about \(range) more calls of each would decide"
  }

  /// Sentences for a first run, which has nothing to be compared with: what it contains, and how little that shows.
  private func first() -> [Sentence] {
    let comparison = judgement.comparison
    let calls = comparison.candidate.calls.values.flatMap { $0 }
    guard !calls.isEmpty else { return [] }
    var contrast = Contrast(
      PairedSamples(calls, figure: .brokenShare), .brokenShare, factor: 0, error: 0.025,
      random: SeededRandom(seed: comparison.seed))
    let range =
      contrast.interval().map { "\(ValueText.percent($0.low ?? 0)) to \(ValueText.percent($0.high ?? 1))" }
      ?? "anything"
    let why =
      comparison.baseline.map { "No call of \($0.run) counts" } ?? "This is the first run here"
    let remedy =
      comparison.candidate.isRun
      ? "`callqa accept \(comparison.candidate.run)` makes it the baseline"
      : "calls that are imported with `--run NAME` can be made the baseline, with `callqa accept NAME`"
    let broke = calls.count { $0.isBroken }
    return [
      Sentence("\(why), so there is no change to speak of; \(remedy)."),
      Sentence(scored(calls), self.calls(of: .calls, sdk: nil)),
      Sentence(
        "\(broke) of \(calls.count) broke; with so many calls the true share is somewhere in \(range).",
        broke > 0 ? self.calls(of: .brokenShare, sdk: nil) : nil),
    ].compactMap { $0 }
  }

  /// How the calls of a first run scored.
  private func scored(_ calls: [ComparedCall]) -> String {
    let scores = calls.compactMap(\.score)
    let missing = judgement.comparison.candidate.missing.values.reduce(0, +)
    let ran =
      "\(ValueText.count(calls.count, "call")) ran"
      + (missing > 0 ? ", \(missing) that were expected never came" : "")
    guard let middle = scores.percentile(50), let low = scores.min() else {
      return "\(ran); \(calls.count == 1 ? "it has no score" : "none has a score")."
    }
    guard scores.count > 1 else {
      return
        "\(ran); \(calls.count == 1 ? "it scores" : "the only one with a score has") \(ValueText.fixed(low, 0))."
    }
    let which = scores.count == calls.count ? "half of them" : "of the \(scores.count) with a score half"
    return
      "\(ran); \(which) score \(ValueText.fixed(middle, 0)) or more, the worst \(ValueText.fixed(low, 0))."
  }

  private static func range(_ interval: Interval) -> String {
    guard let low = interval.low, let high = interval.high else { return "too few calls for an interval" }
    return "between \(ValueText.signed(low)) and \(ValueText.signed(high))"
  }

  private static func value(_ value: Double, _ figure: Figure) -> String {
    switch figure {
    case _ where figure.isShare: ValueText.percent(value)
    case .setupMean, .setupPercentile: ValueText.grouped(value) + " ms"
    default: ValueText.fixed(value, 1)
    }
  }
}

/// Figures that got worse so gradually that no single night shows it.
extension Sentences {
  /// Maximum number of figures named.
  private static let most = 4

  func drift() -> String? {
    let parts = judgement.drifts.map(words)
    guard let first = judgement.drifts.first else { return nil }
    let more = parts.count - Self.most
    let runs = judgement.drifts.allSatisfy { $0.nights == first.nights } ? "\(first.nights)" : "14"
    return
      "Slowly worse over the last \(runs) runs: \((parts.prefix(Self.most) + (more > 0 ? ["\(more) more"] : [])).joined(separator: "; "))."
  }

  /// The drifts, in the words of the headline.
  var drifting: [String] {
    guard let first = judgement.drifts.first else { return [] }
    let more = judgement.drifts.count - 1
    let way =
      first.figure == .scoreMean
      ? "score \(ValueText.fixed(first.first, 1)) to \(ValueText.fixed(first.last, 1))"
      : "setup \(ValueText.grouped(first.first)) to \(ValueText.grouped(first.last)) ms"
    return [
      "\(first.sdk): slowly worse over \(first.nights) runs, \(way)\(more > 0 ? " (and \(more) more)" : "")"
    ]
  }

  private func words(_ drift: Drift) -> String {
    let step = abs(drift.last - drift.first) / Double(max(1, drift.nights - 1))
    guard drift.figure == .scoreMean else {
      return
        "the mean setup time of \(drift.sdk) from \(ValueText.grouped(drift.first)) to \(ValueText.grouped(drift.last)) ms, some \(ValueText.grouped(step)) ms a run"
    }
    return
      "the mean score of \(drift.sdk) from \(ValueText.fixed(drift.first, 1)) to \(ValueText.fixed(drift.last, 1)), some \(ValueText.fixed(step, 1)) points a run"
  }
}

/// What moved over all SDKs together.
extension Sentences {
  /// How a figure moved over all SDKs together; nil if it did not, or only in one SDK.
  func wholeChange(_ figure: Figure) -> WholeChange? {
    judgement.whole.first { $0.figure == figure.measured }
  }

  /// Whether the change of an SDK's figure is covered by what is reported for all SDKs.
  func isCoveredByWhole(_ figure: Figure) -> Bool {
    let measured = figure == .poorShare ? .scoreMean : figure.measured
    return wholeChange(measured)?.isWorse == true
  }

  func wholeScore() -> Sentence? {
    wholeChange(.scoreMean).flatMap { whole in
      let size = ValueText.fixed(abs(whole.change), 1)
      return Sentence(
        "Across \(whole.name), calls score \(size) points \(whole.isWorse ? "lower" : "higher") than in the baseline (between \(ValueText.signed(whole.low)) and \(ValueText.signed(whole.high))).",
        calls(of: .scoreMean, sdk: nil))
    }
  }

  func wholeSetup() -> Sentence? {
    wholeChange(.setupMean).flatMap { whole in
      let moves = ValueText.moves([whole.change, whole.low, whole.high], of: whole.figure.description)
      let (now, before) = (ValueText.grouped(whole.value), ValueText.grouped(whole.value - whole.change))
      return Sentence(
        "Across \(whole.name), setup takes \(now) ms on average, \(before) ms before (\(moves[0]) ms, between \(moves[1]) and \(moves[2])).",
        calls(of: .setupMean, sdk: nil, before: whole.value - whole.change))
    }
  }

  /// Only if more calls broke; fewer broken calls are not important enough to come first.
  func wholeBroken() -> Sentence? {
    wholeChange(.brokenShare).flatMap { whole in
      guard whole.isWorse else { return nil }
      let ends = ValueText.moves([whole.low, whole.high], of: whole.figure.description)
      return Sentence(
        "Across \(whole.name), \(ValueText.percent(whole.value)) of calls broke, \(ValueText.percent(max(0, whole.value - whole.change))) before (between \(ends[0]) and \(ends[1]) pp).",
        calls(of: .brokenShare, sdk: nil))
    }
  }
}

extension WholeChange {
  /// Nobody needs to know where fewer calls broke.
  var isPlaceReported: Bool { figure != .brokenShare || isWorse }
}
