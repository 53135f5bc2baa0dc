import CallModel

/// A problem that significantly more calls have than in the baseline: they are silent, or have an error finding.
///
/// Means hide such problems: twenty dead calls in a thousand barely change the score, yet each of them had a user.
struct NewProblem: Sendable {
  let figure: Figure
  /// Number of calls that have it now and had it before, in the SDKs where the growth is significant.
  let now: Int
  let before: Int
  let calls: Int
  let callsBefore: Int
  /// The SDKs in which the growth is significant; empty if it is significant over all of them together.
  let sdks: [String]
  /// A trait that these calls share and most others do not have: `scenario clean`.
  let place: String?
  /// Keys of the calls that have it now.
  let keys: [Int64]
  /// When it began and whether it lasted, if the calls show it.
  let changePoint: ChangePoint?
  /// Number of earlier runs without it, if it is reported for that reason.
  private(set) var newIn: Int?
  /// Error findings that nearly all of these calls have.
  fileprivate(set) var names: [String] = []

  /// How the error rate of problems (`NightError`) is divided among the three families of tests: growth over all SDKs
  /// together, growth in a single SDK, and absence from all earlier runs.
  private static let errorShares = (together: 0.8, alone: 0.15, new: 0.05)
  /// Minimum number of calls for something that no earlier run had. A user who tries again makes two or three.
  private static let fewestNew = 5

  /// Problems that are new or significantly more frequent: silent calls first, then what no earlier run had, then by
  /// growth.
  ///
  /// On a night without any change, the chance that anything is reported is at most 1 in 40 over all tests
  /// (`ExactGrowth`).
  static func all(in comparison: Comparison, before history: SeenBefore? = nil) -> [NewProblem] {
    guard let baseline = comparison.baseline, baseline.ran > 0, comparison.unfinished == nil else {
      return []
    }
    let both = Set(comparison.candidate.calls.keys).intersection(baseline.calls.keys).sorted()
    let now = both.map { ($0, errorsOnly(comparison.candidate.calls[$0] ?? [], of: $0)) }
    let before = both.map { ($0, errorsOnly(baseline.calls[$0] ?? [], of: $0)) }
    let codes = now.reduce(into: Set<String>()) { all, sdk in
      for call in sdk.1 { all.formUnion(call.findings) }
    }
    let silent: [Figure] = comparison.otherRules == nil ? [.verdictShare(.silent)] : []
    let figures = silent + codes.sorted().map { Figure.findingShare($0) }
    let all = (now: now.flatMap(\.1), before: before.flatMap(\.1))
    let together = figures.map { ExactGrowth(all.now, all.before, $0) }
    let alone = figures.map { figure in zip(now, before).map { ExactGrowth($0.1, $1.1, figure) } }
    let new = figures.map { figure in
      newCalls(figure, all, history).map { ExactGrowth(all.now.count, history?.calls ?? 0, in: $0) }
    }
    let error = comparison.questionError * NightError.parts.problems
    let limits = (
      together: ExactGrowth.limit(together, error: error * errorShares.together),
      alone: ExactGrowth.limit(alone.flatMap { $0 }, error: error * errorShares.alone),
      new: ExactGrowth.limit(new.compactMap { $0 }, error: error * errorShares.new)
    )
    var found = figures.indices.compactMap { place -> NewProblem? in
      let figure = figures[place]
      let isNew = new[place]?.isReported(at: limits.new) ?? false
      if isNew || together[place].isReported(at: limits.together) {
        var problem = NewProblem(figure, all.now, all.before, sdks: [], comparison)
        problem.newIn = isNew ? history?.runs : nil
        return problem
      }
      let own = both.indices.filter { alone[place][$0].isReported(at: limits.alone) }
      guard !own.isEmpty else { return nil }
      return NewProblem(
        figure, own.flatMap { now[$0].1 }, own.flatMap { before[$0].1 }, sdks: own.map { both[$0] },
        comparison)
    }
    // The finding that the silent calls have explains the silence; it is not a problem of its own.
    if let place = found.firstIndex(where: { $0.figure == .verdictShare(.silent) }) {
      let calls = now.flatMap(\.1).filter { $0.verdict == .silent }
      let names = codes.filter { code in
        10 * calls.count { $0.errors.contains(code) } >= 9 * calls.count
      }
      found[place].names = names.sorted()
      let own = found[place].now
      found.removeAll { problem in
        guard case .findingShare(let code) = problem.figure else { return false }
        return names.contains(code) && problem.now <= own + own / 10
      }
    }
    return found.enumerated().sorted { a, b in
      let (first, second) = (a.element.rank, b.element.rank)
      return first == second ? a.offset < b.offset : first < second
    }.map(\.element)
  }

  /// Number of calls with a problem that neither the baseline nor an earlier run had; nil if one had it, or if the
  /// calls are too few.
  private static func newCalls(
    _ figure: Figure, _ calls: (now: [ComparedCall], before: [ComparedCall]), _ history: SeenBefore?
  ) -> Int? {
    guard let history, history.calls > 0, history.isNew(figure),
      !calls.before.contains(where: { figure.value(of: $0) == 1 })
    else { return nil }
    let count = calls.now.count { figure.value(of: $0) == 1 }
    return count >= fewestNew ? count : nil
  }

  /// Problems that enough calls have now and no baseline call had; earlier runs are searched for these only.
  static func unknown(in comparison: Comparison) -> Set<String> {
    guard let baseline = comparison.baseline else { return [] }
    func names(_ call: ComparedCall) -> [String] {
      call.errors + (call.failure.map { [failed + $0] } ?? [])
        + (call.verdict == .silent ? [Verdict.Value.silent.rawValue] : [])
    }
    var counts: [String: Int] = [:]
    for call in comparison.candidate.calls.values.joined() {
      for name in names(call) { counts[name, default: 0] += 1 }
    }
    var unknown = Set(counts.filter { $0.value >= fewestNew }.keys)
    for call in baseline.calls.values.joined() where !unknown.isEmpty { unknown.subtract(names(call)) }
    return unknown
  }

  private init(
    _ figure: Figure, _ own: [ComparedCall], _ other: [ComparedCall], sdks: [String],
    _ comparison: Comparison
  ) {
    let having = own.filter { figure.value(of: $0) == 1 }
    (self.figure, self.sdks, now) = (figure, sdks, having.count)
    // Lowest score first.
    keys = having.sorted { ($0.score ?? -1) < ($1.score ?? -1) }.compactMap(\.key)
    changePoint = ChangePoint(
      own.compactMap { call in
        call.startedMs.map { ChangePoint.Point(timeMs: $0, value: figure.value(of: call) == 1 ? 1 : 0) }
      })
    before = other.count { figure.value(of: $0) == 1 }
    (calls, callsBefore) = (own.count, other.count)
    place = Self.place(having, among: own, comparison)
  }

  private var rank: (Int, Int) {
    (figure == .verdictShare(.silent) ? 0 : newIn != nil ? 1 : 2, before - now)
  }

  /// Copies in which findings are reduced to errors and scenarios are kept apart by SDK.
  private static func errorsOnly(_ calls: [ComparedCall], of sdk: String) -> [ComparedCall] {
    calls.altered { facts in
      // A failure code counts as news just like an error finding.
      facts.findings = facts.errors.union(facts.failure.map { [Self.failed + $0] } ?? [])
      facts.scenario = "\(sdk)\u{1F}\(facts.scenario ?? "")"
    }
  }

  /// A trait that at least nine tenths of the affected calls share and at most half of all calls have; if there are
  /// several, the rarest.
  private static func place(_ having: [ComparedCall], among all: [ComparedCall], _ comparison: Comparison)
    -> String?
  {
    guard having.count > 1 else { return nil }
    let kinds = comparison.candidate.dimensions + [comparison.kind]
    var best: (share: Double, words: String)?
    for (index, kind) in kinds.enumerated() {
      func value(_ call: ComparedCall) -> String? {
        index < kinds.count - 1
          ? call.traits.indices.contains(index) ? call.traits[index] : nil : call.sdk
      }
      let counts = Dictionary(grouping: having.compactMap(value)) { $0 }.mapValues(\.count)
      guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
        10 * most.value >= 9 * having.count
      else { continue }
      let share = Double(all.count { value($0) == most.key }) / Double(max(1, all.count))
      guard share <= 0.5, share < best?.share ?? .infinity else { continue }
      best = (share, "\(most.value == having.count ? "all" : "nearly all") of \(kind) \(most.key)")
    }
    return best?.words
  }

  /// The headline text, e.g. `silent: 0 → 21 calls (one-way audio), all of scenario clean`.
  var line: String {
    let named = names.isEmpty ? "" : " (\(names.map(Self.spoken).joined(separator: ", ")))"
    return
      "\(Self.name(figure)): \(before) → \(ValueText.count(now, "call"))\(named)\(place.map { ", \($0)" } ?? "")"
  }

  /// The same as a sentence, with the trait that the calls share.
  var sentence: String {
    let name = Self.name(figure)
    let of = sdks.isEmpty ? "" : " of \(sdks.joined(separator: ", "))"
    let named = names.isEmpty ? "" : " (\(names.map(Self.spoken).joined(separator: ", ")))"
    return
      "\(name.prefix(1).uppercased())\(name.dropFirst())\(named): \(now) of \(ValueText.count(calls, "call"))\(of), \(before) of \(ValueText.grouped(Double(callsBefore))) before"
      + (newIn.map { $0 > 1 ? " and none in the \($0) runs up to then" : "" } ?? "")
      + (place.map { "; \($0)" } ?? "") + "."
  }

  private static func name(_ figure: Figure) -> String {
    switch figure {
    case .verdictShare(let word): word.rawValue
    case .findingShare(let code): spoken(code)
    default: figure.description
    }
  }

  /// Prefix of names that stand for a failure code.
  static let failed = "failed with "

  /// The failure code in such a name; nil for other names.
  static func failureCode(_ name: String) -> String? {
    name.hasPrefix(failed) ? String(name.dropFirst(failed.count)) : nil
  }

  /// The name of a finding in plain words: `one-way audio` for `one-way-audio`.
  private static func spoken(_ code: String) -> String {
    if code.hasPrefix(failed) { return code }
    return code == FindingCode.oneWayAudio.rawValue ? "one-way audio" : code.replacing("-", with: " ")
  }
}
