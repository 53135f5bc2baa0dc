import Rendering

/// The calls that sentences are about.
extension Sentences {
  private var candidate: RunFigures { judgement.comparison.candidate }

  private func calls(of sdk: String?) -> [ComparedCall] {
    guard let sdk else { return candidate.calls.keys.sorted().flatMap { candidate.calls[$0] ?? [] } }
    return candidate.calls[sdk] ?? []
  }

  /// The calls responsible for the value of a figure, of an SDK or of all together: for shares, those counted; for
  /// setup times, those slower than before; for scores, those scored, lowest first.
  func calls(of figure: Figure, sdk: String?, before: Double? = nil) -> CallList? {
    let all = calls(of: sdk)
    switch figure {
    case .scoreMean, .scorePercentile, .reportedMean:
      return judgement.scored(
        all.filter { $0.score != nil && !$0.isBroken }.sorted { ($0.score ?? 0) < ($1.score ?? 0) }, of: sdk,
        among: all, [])
    case .setupMean, .setupPercentile:
      let least = (before ?? 0).rounded()
      return judgement.list(
        all.filter { $0.setupMs ?? 0 > least }.sorted { ($0.setupMs ?? 0) > ($1.setupMs ?? 0) }, of: sdk,
        where: ["setup_ms > \(ValueText.fixed(least, 0))"])
    case .phaseMean(let phase):
      return judgement.list(
        all.filter { $0.phaseMs(phase) != nil }.sorted {
          ($0.phaseMs(phase) ?? 0) > ($1.phaseMs(phase) ?? 0)
        },
        of: sdk)
    case .broken, .brokenShare:
      let terms = isMissing(sdk) + (all.contains(where: \.isKnown) ? ["known IS NULL"] : [])
      return judgement.list(all.filter(\.isBroken), of: sdk, ["--broken"], where: terms, counted: false)
    case .poorShare:
      return judgement.list(
        all.filter { $0.isPoor == true }.sorted { ($0.score ?? -1) < ($1.score ?? -1) }, of: sdk,
        ["--verdict poor,silent,no-picture"])
    case .verdictShare(let word):
      return judgement.list(
        all.filter { figure.value(of: $0) == 1 }, of: sdk, ["--verdict \(word.rawValue)"])
    case .findingShare(let code):
      return judgement.list(all.filter { figure.value(of: $0) == 1 }, of: sdk, ["--finding \(code)"])
    case .placeShare(let place):
      return judgement.list(all.filter { figure.value(of: $0) == 1 }, of: sdk, ["--place \(place.rawValue)"])
    case .missing: return uncounted(.missing, sdk)
    case .excluded: return uncounted(.excluded, sdk)
    case .calls: return judgement.list(all, of: sdk, where: isMissing(sdk))
    case .failedTries: return tries(sdk)
    }
  }

  /// SQL condition that leaves out missing calls, if there are any.
  private func isMissing(_ sdk: String?) -> [String] {
    candidate.missing.contains { $0.value > 0 && (sdk == nil || $0.key == sdk) }
      ? ["outcome <> 'missing'"] : []
  }

  /// Calls that count in no figure.
  func uncounted(_ why: RunFigures.Uncounted, _ sdk: String? = nil) -> CallList {
    let keys = candidate.uncounted[why] ?? [:]
    var asked = judgement.divided(sdk.map { [$0] } ?? [])
    switch why {
    case .missing:
      asked.options.append("--outcome missing")
      if candidate.excluded.contains(where: { $0.value > 0 }) { asked.conditions.append("excluded IS NULL") }
    case .excluded: asked.conditions.append("excluded IS NOT NULL")
    case .unjudgeable: asked.conditions.append("stale = 2 AND pruned_ms IS NULL AND excluded IS NULL")
    case .unfinished: asked.conditions.append("stale = 1 AND pruned_ms IS NULL AND excluded IS NULL")
    }
    let all = keys.keys.sorted().filter { sdk == nil || $0 == sdk }.flatMap { keys[$0] ?? [] }
    return CallList(all, asked.command(of: candidate))
  }

  /// Login and similar attempts are not calls, so another command lists them.
  private func tries(_ sdk: String?) -> CallList? {
    guard candidate.isRun else { return nil }
    let own = sdk.map { " --sdk \(ShellWord.quoted($0))" } ?? ""
    return CallList([], "callqa sessions --run \(ShellWord.quoted(candidate.run))\(own)")
  }

  /// Calls of which nothing is known because their files were only partly imported.
  func cutCalls() -> CallList {
    judgement.list(
      calls(of: nil).filter(\.isCut), of: nil,
      where: [
        "outcome = 'unknown'", "score_mean IS NULL", "setup_ms IS NULL",
        """
        call_key IN (SELECT c.call_key FROM source_views AS c JOIN sources AS s USING (source_id) WHERE s.status = 'partial')
        """,
      ])
  }

  /// The baseline's calls of these SDKs, for SDKs without a call in the candidate.
  func baselineCalls(of sdks: [String]) -> CallList? {
    guard let baseline = judgement.comparison.baseline, baseline.isRun else { return nil }
    return CallList(
      sdks.map { sdk in
        var run = baseline
        run.run = baseline.runs[sdk] ?? baseline.run
        return CallList(
          (baseline.calls[sdk] ?? []).compactMap(\.key), judgement.divided([sdk]).command(of: run))
      })
  }

  /// All calls, counted or not, of SDKs with fewer calls than before.
  func fewerCalls(of sdks: [String]) -> CallList? {
    CallList(
      sdks.map { sdk in
        var list = judgement.list(calls(of: sdk), of: sdk, counted: false)
        list.keys += candidate.uncounted.values.flatMap { $0[sdk] ?? [] }.sorted()
        return list
      })
  }

  /// The calls of a mix effect.
  func calls(of mix: MixEffect, sdk: String?, _ figure: Figure) -> CallList {
    let place = Concentration(
      dimension: mix.dimension, value: mix.value, inside: 0, outside: 0, calls: 0)
    return judgement.list(of: place, sdk, figure)
  }
}
