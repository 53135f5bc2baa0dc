extension Judgement {
  /// The verdict on the run as a whole, as table `runs` holds it; nil where nothing was judged.
  public var ofRun: (verdict: String, reason: String)? {
    let verdicts = sdks.map { verdict(of: $0) }
    if verdicts.contains("fail") { return ("block", reasons(.fail)) }
    if verdicts.contains("inconclusive") {
      return ("inconclusive", comparison.unjudged ?? reasons(.inconclusive))
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
