import ArgumentParser
import CallModel
import CallStore
import CallViews
import IO
import Rendering

/// Options that select the calls of a list.
struct ScopeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only calls of this run; last is the latest, all is every run. (default: last)", valueName: "run"))
  var run: String?

  @Option(
    help: ArgumentHelp(
      "Only calls since 24h, yesterday, 02:12 (the last before the newest call), a date, or a time of RFC 3339; of one call: only what it lists since then, also +0:42.",
      valueName: "when"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      "Only calls before then; of one call: only what it lists before then.", valueName: "when"))
  var until: String?

  @Option(help: ArgumentHelp("Only calls of this SDK.", valueName: "sdk"))
  var sdk: String?

  @Option(help: ArgumentHelp("Only calls that ended so: completed, dropped, failed, …", valueName: "outcome"))
  var outcome: Outcome?

  @Option(
    help: ArgumentHelp(
      "Only calls of this verdict (\(Verdict.Value.allCases.map(\.rawValue).joined(separator: ", "))), or of several (a,b); may be repeated.",
      valueName: "word"), completion: .list(Verdict.Value.allCases.map(\.rawValue)))
  var verdict: [VerdictChoice] = []

  @Option(
    help: ArgumentHelp(
      "Only calls with this finding, e.g. one-way-audio, or one of several (a,b).", valueName: "code"),
    completion: .list(FindingCode.names))
  var finding: [String] = []

  @Option(
    help: ArgumentHelp("Only calls with a fault at this place, e.g. sender-network.", valueName: "place"))
  var place: Place?

  @Option(help: ArgumentHelp("Only calls of this scenario.", valueName: "name"))
  var scenario: String?

  @Option(help: ArgumentHelp("Only calls heard or seen in this codec, e.g. H264.", valueName: "name"))
  var codec: String?

  @Option(help: ArgumentHelp("Only calls over this kind of network, e.g. wifi, cellular.", valueName: "type"))
  var network: String?

  @Option(
    help: ArgumentHelp(
      "Only calls with this trait, attribute or label, as compare names it, e.g. 'video codec=H264', trunk=t7; may be repeated.",
      valueName: "name=value"))
  var trait: [String] = []

  func validate() throws {
    let codes = finding.flatMap { $0.split(separator: ",").map(String.init) }
    for code in codes where !FindingCode.names.contains(code) {
      let near = Spelling.nearest(to: code, among: FindingCode.names).map { "; the nearest is '\($0)'" } ?? ""
      throw ValidationError("--finding knows no '\(code)'\(near): docs/findings.md has them all.")
    }
    for pair in trait where pair.split(separator: "=", maxSplits: 1).count != 2 {
      throw ValidationError("--trait is a name and a value, such as 'video codec=H264', not '\(pair)'.")
    }
  }

  /// The scope, with times in the time zone of the rows; of one call if one is named. Of one call, `--since` and
  /// `--until` choose rows instead of calls.
  func scope(_ rows: RowOptions, in store: Store, ofCall call: String? = nil) throws -> CallScope {
    var scope = CallScope()
    scope.run = run
    if let call {
      let key = try store.call(named: call)
      scope.calls = [key]
      (scope.rowsSinceMs, scope.rowsUntilMs) = try rowTimes(ofCall: key, in: store, zone: rows.zone)
    } else {
      let span = MomentSpan(since: since, until: until, run: run, zone: rows.zone)
      (scope.sinceMs, scope.untilMs) = try span.ms(in: store, quietly: rows.quiet)
    }
    scope.sdk = sdk
    scope.outcome = outcome
    scope.verdicts = verdict.flatMap(\.words)
    scope.findings = finding.flatMap { $0.split(separator: ",").map(String.init) }
    scope.having = traits
    return scope
  }

  /// The times within a call, read as `call --at` reads them, or else as of calls.
  private func rowTimes(ofCall key: Int64, in store: Store, zone: Zone) throws -> (Double?, Double?) {
    guard since != nil || until != nil, let account = try CallAccount(of: key, in: store) else {
      return (nil, nil)
    }
    func ms(_ text: String?, _ option: String) throws -> Double? {
      try text.map {
        try CallMoment.parse($0, in: account, zone: zone)
          ?? Moment.parse($0, zone: zone, option: option, nowMs: account.lastMs ?? WallClock.nowMs)
      }
    }
    let times = (try ms(since, "--since"), try ms(until, "--until"))
    if let from = times.0, let until = times.1, from >= until {
      throw ValidationError("--since is not before --until: nothing lies between them.")
    }
    return times
  }

  private var traits: [CallScope.ValueCondition] {
    var having: [CallScope.ValueCondition] = []
    if let place { having.append(.init(["place"], place.rawValue)) }
    if let scenario { having.append(.init(["scenario"], scenario)) }
    if let codec { having.append(.init(["video_codec", "audio_codec"], codec)) }
    if let network { having.append(.init(["network_type"], network)) }
    for pair in trait {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      having.append(Self.having(parts[0], parts[1]))
    }
    return having
  }

  /// A condition on a trait, named as in a comparison. Any other name is an attribute or a label, with or without the
  /// prefix `label`.
  private static func having(_ name: String, _ value: String) -> CallScope.ValueCondition {
    TraitName.column(name).map { .init([$0], value) }
      ?? .init(attribute: TraitName.withoutPrefix(name), value)
  }

  /// Whether the user gave a run or a time.
  private var namesTime: Bool { run != nil || since != nil || until != nil }

  /// Restricts a scope to the latest run if nothing else was asked for, and prints a note.
  ///
  /// Calls without a run are kept: whoever imported them by hand will look for them.
  func narrowed(_ scope: CallScope, in store: Store, quietly: Bool) throws -> CallScope {
    var scope = scope
    if scope.run == "all" {
      scope.run = nil
      return scope
    }
    guard !namesTime, scope.calls == nil else { return scope }
    let runs = try Reports.runs(in: store)
    guard runs.count > 1, let latest = runs.first else { return scope }
    scope.latestRun = latest
    if !quietly {
      Entry.warn(
        VisibleText.visible("run \(latest), the latest of \(runs.count); --run all is every run"),
        prefixed: false)
    }
    return scope
  }
}

extension Verdict.Value: ExpressibleByArgument {}

/// One verdict on the command line, or several separated by commas.
struct VerdictChoice: ExpressibleByArgument {
  let words: [Verdict.Value]

  /// Nil if one of them is not a verdict.
  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    words = parts.compactMap { Verdict.Value(rawValue: String($0)) }
    guard words.count == parts.count else { return nil }
  }
}

extension Outcome: ExpressibleByArgument {}
extension Place: ExpressibleByArgument {}
