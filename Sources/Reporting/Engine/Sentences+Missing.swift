/// What is not there, and what counts in no figure: it moves none.
extension Sentences {
  /// Calls that were expected and never came: what is not there moves no figure.
  func missing() -> [String] {
    let candidate = judgement.comparison.candidate
    let missing = candidate.missing.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    let all = missing.reduce(0) { $0 + $1.value }
    guard all > 0 else { return judgement.isMuchUnread ? unread() : [] }
    let came = candidate.calls.values.reduce(0) { $0 + $1.count } + candidate.excluded.values.reduce(0, +)
    let sdks = Self.shares(missing)
    return [
      "\(Words.count(all, "call")) that \(all == 1 ? "was" : "were") expected never came, \(sdks); \(came) came."
    ] + unread()
  }

  /// Files that could not be read: perhaps what did not come lies in them.
  private func unread() -> [String] {
    let files = judgement.unreadFiles
    guard files > 0 else { return [] }
    return [
      "\(Words.count(files, "file")) could not be read, and what they tell is missing here: `callqa sources` says why."
    ]
  }

  /// `11 of ios and 2 of web`; of one SDK just `of ios`.
  private static func shares(_ calls: [(key: String, value: Int)]) -> String {
    if let only = calls.first, calls.count == 1 { return "of \(only.key)" }
    return list(calls.map { "\($0.value) of \($0.key)" }, "and")
  }

  /// Calls that came and count in no figure: a night may be judged by what is left of it.
  func putAside() -> [String] {
    let candidate = judgement.comparison.candidate
    let aside = candidate.excluded.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    let all = aside.reduce(0) { $0 + $1.value }
    guard all > 0 else { return [] }
    let came = all + candidate.calls.values.reduce(0) { $0 + $1.count }
    let sdks = (aside.count == 1 && all > 1 ? "all " : "") + Self.shares(aside)
    return [
      "\(Words.count(all, "call")) of \(came) \(all == 1 ? "was" : "were") put aside, \(sdks), and \(all == 1 ? "counts" : "count") in no figure."
    ]
  }

  /// SDKs of the baseline of which nothing came, and of which nobody said that anything would.
  func absent(_ baseline: RunFigures) -> [String] {
    let sdks = baseline.calls.keys.sorted().filter { !judgement.comparison.candidate.sdks.contains($0) }
    guard let first = sdks.first else { return [] }
    guard sdks.count > 1 else {
      return ["No call of \(first) came; its baseline has \(count(first, baseline))."]
    }
    return [
      "No call of \(Self.list(sdks.map { "\($0) (\(count($0, baseline)) in its baseline)" }, "or")) came."
    ]
  }

  private func count(_ sdk: String, _ baseline: RunFigures) -> Int { baseline.calls[sdk]?.count ?? 0 }

  /// Calls that came as stumps: what they were like moves no figure either.
  func cut() -> [String] {
    let candidate = judgement.comparison.candidate
    let cut = candidate.calls.keys.sorted().map { ($0, candidate.cut(of: $0)) }.filter { $0.1 > 0 }
    let all = cut.reduce(0) { $0 + $1.1 }
    guard all > 0 else { return [] }
    return [
      "Of \(Words.count(all, "call")) of \(candidate.ran) nothing is known, for their files were taken in part: "
        + "\(Self.shares(cut.map { (key: $0.0, value: $0.1) }))."
    ]
  }

  /// SDKs of which less than half as many calls came or were announced as the baseline has, beyond chance.
  ///
  /// Only of runs: a time may not be over yet.
  func fewer(_ baseline: RunFigures) -> [String] {
    let candidate = judgement.comparison.candidate
    guard candidate.isRun else { return [] }
    let sdks = candidate.calls.keys.sorted().map { sdk in
      (name: sdk, now: candidate.announced(of: sdk), before: baseline.announced(of: sdk))
    }
    let fewer = sdks.filter { Self.isFewer($0.now, $0.before) }
    guard !fewer.isEmpty else { return [] }
    guard fewer.count < sdks.count || sdks.count == 1 else {
      let (now, before) = (sdks.reduce(0) { $0 + $1.now }, sdks.reduce(0) { $0 + $1.before })
      return ["Less than half as many calls as before, of every \(kind): \(now), \(before) in the baseline."]
    }
    let words = fewer.map { "\($0.now) of \($0.name) (\($0.before) in its baseline)" }
    return ["Less than half as many calls as before: \(Self.list(words, "and"))."]
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
    (calls[sdk]?.count ?? 0) + (missing[sdk] ?? 0) + (excluded[sdk] ?? 0) + (unjudged[sdk] ?? 0)
  }
}
