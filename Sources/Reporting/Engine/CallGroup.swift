import CallModel
import Rendering
import SQLite

/// The calls behind one item of the headline: what moved, and which calls show it.
public struct CallGroup: Sendable, Equatable {
  /// The text of the headline, e.g. `pexip with video codec H264: score −15.6`.
  public let words: String
  /// Keys of the calls, in the order in which to open them.
  public fileprivate(set) var keys: [Int64]
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
  /// The groups of calls that are news, in the order of the headline: what is silent or failed, calls that share a trait
  /// and fell, everything else that got worse. Each fault is there once.
  public var groups: [CallGroup] { groups(slices) }

  /// The same, with fewer slices.
  func groups(_ slices: [CallGroup]) -> [CallGroup] {
    let problems = newProblems.map(group)
    let known = problems + slices
    let standing = scan.found.filter { found in
      !known.contains { found.overlaps(Set($0.keys)) && ($0.isOfSetup == found.figure.isOfSetup) }
    }
    func own(_ which: (Figure) -> Bool) -> [CallGroup] { standing.filter { which($0.figure) }.map(group) }
    let falls = falls.filter { fall in !scan.found.contains { $0.explains(fall) } }
    let others = Sentences(judgement: self).others.filter { other in
      !standing.contains { $0.figure.isOfSetup == other.isOfSetup && $0.overlaps(Set(other.keys)) }
    }
    return problems + own(\.isRare) + slices + own { !$0.isRare && !$0.isOfSetup }
      + falls.filter { !$0.isLate } + own(\.isOfSetup) + others + falls.filter(\.isLate)
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
      return shared != nil || all.source.found != nil
        ? [] : [fall(all.name, nil, all.change, all.source)]
    }
    let inSlice = shared?.sdks?.worse ?? []
    let fell = changes.compactMap { sdk, change in
      change.estimate < 0
        && isSignificant(.scoreMean, sdk, change.estimate, from: change.low, to: change.high)
        && places[sdk]?.found == nil && !inSlice.contains(sdk)
        ? (sdk: sdk, change: change.estimate) : nil
    }.sorted { ($0.change, $0.sdk) < ($1.change, $1.sdk) }
    let blocked = fell.filter { verdict(of: $0.sdk) == "fail" }
    return (blocked.isEmpty && slices.isEmpty ? Array(fell.prefix(1)) : blocked).map {
      fall($0.sdk, $0.sdk, $0.change, places[$0.sdk] ?? ChangeSource())
    }
  }

  private func fall(_ name: String, _ sdk: String?, _ change: Double, _ search: ChangeSource) -> CallGroup {
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
      sdk.map { scan.calls.source(of: figure.measured, sdk: $0) }
      ?? whole.first { $0.figure == figure.measured }?.source
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

  func group(_ standout: Standout) -> CallGroup {
    let figure = standout.figure
    let isTrait = standout.place.traits.allSatisfy { comparison.candidate.dimensions.contains($0.dimension) }
    let list =
      isTrait
      ? list(of: standout.place, standout.sdk, figure)
      : list(standout.sdk, figure, options(standout.place)) { $0 }
    var group = group(
      words(standout), list, figure, standout.sdk, in: isTrait ? standout.place : nil)
    group.keys = standout.calls.compactMap(\.key)
    group.isOfSetup = figure.isOfSetup
    return group
  }

  /// What stands out, in the words of the headline: `calls with label carrier south: score −10.1`.
  private func words(_ standout: Standout) -> String {
    let (figure, place) = (standout.figure, standout.place)
    let subject = name(standout)
    if let counts = standout.counts, figure.isRare {
      return "\(subject): \(figure.words) \(counts.before) → \(counts.now)"
    }
    if figure.isOfSetup { return "\(subject): \(standout.slower)" }
    if figure == .scoreMean {
      let fault = standout.fault.map { ", fault at \($0.rawValue)" } ?? ""
      return "\(subject): score \(ValueText.signed(place.inside))\(fault)"
    }
    let moves = ValueText.moves([place.inside], of: figure.description)
    return "\(subject): \(figure.words) \(moves[0])\(ValueText.unit(of: figure.description))"
  }

  /// `pexip`, `all 5 SDKs`, `4 of 5 SDKs`, or `calls` if there are too few of each.
  func sdks(of standout: Standout) -> String {
    guard standout.sdk == nil, let sdks = standout.sdks else { return standout.sdk ?? "calls" }
    let (count, all) = (sdks.worse.count, "\(sdks.of) \(comparison.kind)s")
    return count < sdks.of ? "\(count) of \(all)" : sdks.of == 2 ? "both \(comparison.kind)s" : "all \(all)"
  }

  /// The calls in words: `pexip with video codec H264`, `calls with label site rome`.
  func name(_ standout: Standout) -> String {
    let traits = standout.place.traits.filter { $0.dimension != comparison.kind }
    let name = sdks(of: standout)
    guard !traits.isEmpty else { return name }
    return
      "\(name) with \(traits.map { "\($0.dimension == "sdk" ? "SDK" : $0.dimension) \($0.value)" }.joined(separator: " and "))"
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
    shared.map {
      ($0.sdks?.worse.contains(sdk) ?? false) && $0.place.traits.allSatisfy(place.traits.contains)
    } ?? false
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
    place.traits.compactMap { trait in
      switch trait.dimension {
      case comparison.kind: nil
      default: "--trait \(ShellWord.quoted("\(trait.dimension)=\(trait.value)"))"
      }
    }
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

extension Standout {
  /// Whether these calls are a fifth or more of those of a fall of the score, which is then not reported again.
  func explains(_ fall: CallGroup) -> Bool {
    guard figure == .scoreMean || figure == .poorShare else { return false }
    let own = fall.keys.count { keys.contains($0) }
    return own * 5 >= fall.keys.count
  }

  /// `setup +2.0 s, all of it DTLS`.
  var slower: String {
    let ms = place.inside
    let size = abs(ms) < 1000 ? "\(ValueText.signed(ms, 0)) ms" : "\(ValueText.signed(ms / 1000)) s"
    guard figure == .setupMean else { return "\(phase?.name.words ?? figure.words) \(size)" }
    // Up to a tenth beside it is scatter of the other phases.
    let part = phase.map { ", \($0.part > 0.9 ? "all" : "most") of it \($0.name.words)" }
    return "setup \(size)\(part ?? "")"
  }
}

extension PhaseName {
  /// Its name in a sentence.
  var words: String {
    switch self {
    case .ice: "ICE"
    case .dtls: "DTLS"
    case .iceAndDtls: "ICE and DTLS"
    default: rawValue.replacing("-", with: " ")
    }
  }
}
