import CallModel
import Rendering
import SQLite

/// The calls behind one item of the headline: what moved, and which calls show it.
public struct CallGroup: Sendable, Equatable {
  /// The text of the headline, e.g. `pexip with video codec H264: score −15.6`.
  public let words: String
  /// Keys of the calls, in the order in which to open them.
  public let keys: [Int64]
  /// The command that lists them; nil if they do not belong to a run.
  public let command: String?
  /// When it began and whether it lasted, if the calls show it.
  public var changePoint: ChangePoint?
  /// Whether it is about setup times.
  var isOfSetup = false
  /// Whether other news may explain it, as silent calls explain a low percentile of the score: its calls are opened after
  /// two calls of each other group.
  var isLate = false
}

extension NightJudgement {
  /// The groups of calls that are news, in the order of the headline: drops of the score, new problems, everything else
  /// that got worse.
  public var groups: [CallGroup] {
    slices + unsliced
  }

  /// The groups after the slices, in the same order.
  var unsliced: [CallGroup] {
    let others = newProblems.map(group) + Sentences(judgement: self).others
    let falls = falls
    return falls.filter { !$0.isLate } + others + falls.filter(\.isLate)
  }

  /// Whether a score drop that no trait explains comes before other news: if no gate failed, or if that on the score
  /// did, for this SDK, or for most if `sdk` is nil. A night on which many calls are silent fails other gates, and lowers
  /// the score of every SDK a little.
  private func isFallFirst(_ sdk: String?) -> Bool {
    let failed = results.filter { $0.verdict == .fail }
    let fell = Set(failed.filter { $0.gate.figure == .scoreMean }.map(\.sdk))
    return failed.isEmpty || sdk.map(fell.contains) ?? (fell.count * 2 > sdks.count)
  }

  /// Significant score drops that no shared trait explains: over all SDKs, or for SDKs without a slice. Blocked SDKs
  /// are named; without any, the SDK that lost most points.
  var falls: [CallGroup] {
    if let all = whole.first(where: { $0.figure == .scoreMean && $0.isWorse }) {
      return shared != nil || all.search.found != nil
        ? [] : [fall(all.name, nil, all.change, all.search)]
    }
    let inSlice = Set(shared.map(\.sdks) ?? [])
    let fell = changes.compactMap { sdk, change in
      change.estimate < 0
        && isSignificant(.scoreMean, sdk, change.estimate, from: change.low, to: change.high)
        && places[sdk]?.found == nil && !inSlice.contains(sdk)
        ? (sdk: sdk, change: change.estimate) : nil
    }.sorted { ($0.change, $0.sdk) < ($1.change, $1.sdk) }
    let blocked = fell.filter { verdict(of: $0.sdk) == "fail" }
    return (blocked.isEmpty && slices.isEmpty ? Array(fell.prefix(1)) : blocked).map {
      fall($0.sdk, $0.sdk, $0.change, places[$0.sdk] ?? PlaceSearch())
    }
  }

  private func fall(_ name: String, _ sdk: String?, _ change: Double, _ search: PlaceSearch) -> CallGroup {
    let spread =
      !search.isSpread
      ? "" : search.partly == nil ? ", spread over its calls" : ", no single trait explains it"
    var group = group(
      "\(name): score \(ValueText.signed(change))\(spread)", furthest(.scoreMean, sdk), .scoreMean, sdk)
    group.isLate = !isFallFirst(sdk)
    return group
  }

  /// A group of calls, with its change point.
  private func group(
    _ words: String, _ calls: CallList, _ figure: Figure, _ sdk: String?, in place: Concentration? = nil
  ) -> CallGroup {
    let names = sdk.map { [$0] } ?? comparison.candidate.calls.keys.sorted()
    let points = names.flatMap { name in
      let (now, before) = comparison.comparedCalls(name, figure)
      let levels = ScenarioLevels(before, figure)
      let all = place.map { having($0, now) } ?? now
      return all.filter { figure != .scoreMean || !$0.isBroken }.compactMap { call in
        levels.above(call).flatMap { above in
          call.startedMs.map { ChangePoint.Point(timeMs: $0, value: figure == .scoreMean ? -above : above) }
        }
      }
    }
    return CallGroup(
      words: words, keys: calls.keys, command: calls.commands.first, changePoint: ChangePoint(points),
      isOfSetup: figure.measured == .setupMean)
  }

  /// A group for a figure that got worse: the calls that explain most of the change, or else all calls affected.
  func group(_ name: String, _ moved: String, _ figure: Figure, _ sdk: String?, _ calls: CallList)
    -> CallGroup
  {
    let search =
      sdk.map { comparison.place(sdk: $0, of: figure.measured) }
      ?? whole.first { $0.figure == figure.measured }?.search
    if let place = search?.found, place.inside > 0 {
      let list = list(of: place, sdk, figure.measured)
      return group(words(name, place, figure.measured), list, figure.measured, sdk, in: place)
    }
    let words = "\(name): \(figure.words) \(moved)"
    var calls = calls
    // For setup times, those furthest above their own scenario come first.
    if figure.measured == .setupMean { calls.keys = furthest(.setupMean, sdk).keys }
    return group(words, calls, figure.measured, sdk)
  }

  /// All calls that a figure is computed from, those furthest on the bad side of their scenario's baseline first.
  private func furthest(_ figure: Figure, _ sdk: String?) -> CallList { list(sdk, figure, []) { $0 } }

  /// Score drops concentrated in calls that share a trait: those of blocked SDKs, then the one that nearly all SDKs
  /// share; without either, the one that lost most points. A shared drop is not repeated for single SDKs.
  var slices: [CallGroup] {
    let fell = places.compactMap { sdk, search in
      search.found.flatMap { place in
        (changes[sdk]?.high ?? 0) < 0 && place.inside < 0 && !isShared(place, sdk)
          ? (sdk: sdk, place: place) : nil
      }
    }
    let sorted = fell.sorted {
      ($0.place.inside * Double($0.place.calls), $0.sdk) < ($1.place.inside * Double($1.place.calls), $1.sdk)
    }
    let blocked = sorted.filter { verdict(of: $0.sdk) == "fail" }.map(group)
    if let shared { return blocked + [group(shared)] }
    return blocked.isEmpty ? sorted.prefix(1).map(group) : blocked
  }

  /// The slices that the headline names: the first blocked one, and the one that nearly all SDKs share.
  var leading: [CallGroup] {
    let slices = slices
    return shared == nil || slices.count < 2
      ? Array(slices.prefix(1)) : [slices[0], slices[slices.count - 1]]
  }

  /// Whether the place of an SDK's drop is the one that nearly all SDKs share.
  func isShared(_ place: Concentration, _ sdk: String) -> Bool {
    shared.map { $0.sdks.contains(sdk) && $0.place.traits.allSatisfy(place.traits.contains) } ?? false
  }

  private func group(_ shared: SharedPlace) -> CallGroup {
    let calls = list(of: shared)
    return CallGroup(
      words: words(shared.name, shared.place), keys: calls.keys, command: calls.commands.first,
      changePoint: ChangePoint(
        shared.calls.compactMap { call in
          call.startedMs.map { ChangePoint.Point(timeMs: $0, value: -call.above) }
        }))
  }

  /// The calls of a place that nearly all SDKs share.
  func list(of shared: SharedPlace) -> CallList {
    let all = having(shared.place, Array(comparison.candidate.allCalls))
    var list = scored([], of: nil, among: all, options(shared.place))
    list.keys = shared.calls.compactMap(\.key)
    return list
  }

  private func words(_ name: String, _ place: Concentration, _ figure: Figure = .scoreMean) -> String {
    let traits = place.traits.map { "\($0.dimension == "sdk" ? "SDK" : $0.dimension) \($0.value)" }
    let move =
      figure == .scoreMean
      ? ValueText.signed(place.inside)
      : ValueText.moves([place.inside], of: figure.description)[0] + ValueText.unit(of: figure.description)
    return
      "\(name) with \(traits.joined(separator: " and ")): \(figure == .scoreMean ? "score" : figure.words) \(move)"
  }

  private func options(_ place: Concentration) -> [String] {
    place.traits.map { "--trait \(ShellWord.quoted("\($0.dimension)=\($0.value)"))" }
  }

  /// The calls that have all traits of a place.
  private func having(_ place: Concentration, _ calls: [ComparedCall]) -> [ComparedCall] {
    let dimensions = comparison.candidate.dimensions
    let traits = place.traits.map { (dimensions.firstIndex(of: $0.dimension), $0.value) }
    return calls.filter { call in
      traits.allSatisfy { index, value in
        index.map { $0 < call.traits.count && call.traits[$0] == value } ?? false
      }
    }
  }

  /// The calls of a place, those furthest on the bad side of their scenario's baseline first; of one SDK, or of all if
  /// `sdk` is nil.
  func list(of place: Concentration, _ sdk: String?, _ figure: Figure = .scoreMean) -> CallList {
    list(sdk, figure, options(place)) { having(place, $0) }
  }

  private func list(
    _ sdk: String?, _ figure: Figure, _ options: [String], _ having: ([ComparedCall]) -> [ComparedCall]
  ) -> CallList {
    let names = sdk.map { [$0] } ?? comparison.candidate.calls.keys.sorted()
    let ordered = names.flatMap { name in
      let (now, before) = comparison.comparedCalls(name, figure)
      let levels = ScenarioLevels(before, figure)
      return having(now).filter { figure != .scoreMean || !$0.isBroken }
        .compactMap { call in levels.above(call).map { (above: $0, call: call) } }
    }.sorted { a, b in
      let (first, second) = figure == .scoreMean ? (a.above, b.above) : (-a.above, -b.above)
      return (first, a.call.key ?? 0) < (second, b.call.key ?? 0)
    }.map(\.call)
    let all = having(names.flatMap { comparison.candidate.calls[$0] ?? [] })
    guard figure != .scoreMean else { return scored(ordered, of: sdk, among: all, options) }
    let isMissing = comparison.candidate.missing.contains { $0.value > 0 && (sdk == nil || $0.key == sdk) }
    return list(
      ordered, of: sdk, options,
      where: figure.measured == .setupMean
        ? ["setup_ms IS NOT NULL"] : isMissing ? ["outcome <> 'missing'"] : [])
  }

  private func group(_ fell: (sdk: String, place: Concentration)) -> CallGroup {
    group(words(fell.sdk, fell.place), list(of: fell.place, fell.sdk), .scoreMean, fell.sdk, in: fell.place)
  }

  private func group(_ problem: NewProblem) -> CallGroup {
    CallGroup(
      words: problem.line, keys: problem.keys, command: list(of: problem).commands.first,
      changePoint: problem.changePoint
    )
  }

  /// The calls that have a new problem.
  func list(of problem: NewProblem) -> CallList {
    var asked = divided(problem.sdks)
    switch problem.figure {
    case .verdictShare(let word): asked.options.append("--verdict \(word.rawValue)")
    case .findingShare(let code):
      if let failure = NewProblem.failureCode(code) {
        asked.conditions.append("failure_code = \(SQLText.literal(failure))")
      } else {
        asked.options.append("--finding \(code)")
      }
    default: break
    }
    if comparison.candidate.excluded.contains(where: { $0.value > 0 }) {
      asked.conditions.append("excluded IS NULL")
    }
    return CallList(problem.keys, asked.command(of: comparison.candidate))
  }
}
