extension Headline {
  /// The verdict in one line.
  init(_ judgement: NightJudgement, facts: [(String, String)]) {
    let sdks = judgement.sdks
    let verdicts = sdks.map { judgement.verdict(of: $0) }
    let total = ValueText.count(sdks.count, judgement.comparison.kind)
    func number(_ verdict: String) -> Int { verdicts.count { $0 == verdict } }
    self.facts = facts
    if number("fail") > 0 {
      (tone, mark, line) = ("fail", "✕", "BLOCK: \(number("fail")) of \(total)")
    } else if let nothing = judgement.nothingRan {
      (tone, mark, line) = ("unsure", "?", nothing.line)
    } else if number("inconclusive") > 0 {
      (tone, mark, line) = (
        "unsure", "?",
        "NOT SURE: \(number("inconclusive")) of \(total) cannot be decided"
          + (judgement.isNothingWorse
            ? ", nothing got clearly worse"
            : judgement.isSomethingWorse ? ", something got clearly worse" : "")
      )
    } else if judgement.results.isEmpty, number("pass") > 0 {
      (tone, mark, line) = ("plain", "·", "COMPARED: \(total), without a gate to judge by")
    } else if number("pass") == 0 {
      (tone, mark, line) = ("plain", "·", "FIRST RUN: \(Self.calls(judgement)), nothing to compare with yet")
    } else {
      let fresh = number("no baseline")
      (tone, mark) = ("pass", "✓")
      line = "PASS: \(number("pass")) of \(total)" + (fresh > 0 ? ", \(fresh) without a baseline" : "")
    }
    // Put missing SDKs and new problems in the headline itself, so that they are read with the verdict.
    if judgement.nothingRan == nil {
      let sentences = Sentences(judgement: judgement)
      let parts =
        sentences.lacking + judgement.groups(judgement.leading).map(\.words) + sentences.drifting
      line += parts.prefix(Self.most).map { "; \($0)" }.joined()
      if parts.count > Self.most { line += "; \(parts.count - Self.most) more" }
    }
  }

  /// Maximum number of items in the headline.
  private static let most = 4

  private static func calls(_ judgement: NightJudgement) -> String {
    let calls = Array(judgement.comparison.candidate.allCalls)
    let (broken, poor) = (calls.count { $0.isBroken }, calls.count { $0.isPoor == true })
    let unscored = calls.count { $0.score == nil }
    let missing = judgement.comparison.candidate.missing.values.reduce(0, +)
    let bad = [broken > 0 ? "\(broken) broken" : nil, poor > 0 ? "\(poor) poor" : nil].compactMap { $0 }
    return
      ([ValueText.count(calls.count, "call")] + (missing > 0 ? ["\(missing) missing"] : [])
      + (bad.isEmpty ? [unscored == calls.count ? "none broken" : "none broken or poor"] : bad)
      + (unscored > 0 ? ["\(unscored) without a score"] : [])).joined(separator: ", ")
  }
}
