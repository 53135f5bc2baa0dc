import CallModel
import CallStore
import Rendering
import Reporting

/// Functions shared by the commands for reports and comparisons.
enum Reports {
  /// A run by name. If there is none, the error lists the runs that exist.
  static func run(_ name: String, in store: Store) throws -> Slice {
    let known = try runs(in: store)
    if name == "last", let latest = known.first { return Slice(run: latest, name: latest) }
    if name == NamedBaseline.acceptedWord { return try accepted(in: store) }
    if let problem = problem(withRun: name, among: known, in: store) {
      throw Failure(.wrongCommandLine, problem)
    }
    return Slice(run: name, name: name)
  }

  /// Says that there is no run of that name, and which runs exist; nil if there is one, or if the name is a keyword for
  /// one.
  static func problem(withRun name: String, in store: Store) throws -> String? {
    guard name != "last", name != NamedBaseline.acceptedWord else { return nil }
    return problem(withRun: name, among: try runs(in: store), in: store)
  }

  private static func problem(withRun name: String, among known: [String], in store: Store) -> String? {
    guard !known.contains(name) else { return nil }
    let near = Spelling.nearest(to: name, among: known).map { "the nearest is '\($0)'; " } ?? ""
    let list = known.isEmpty ? "there are none yet" : "there are: \(known.prefix(8).joined(separator: ", "))"
    return VisibleText.visible("there is no run '\(name)' in \(store.path): \(near)\(list)")
  }

  /// Says that a run would be compared with itself; nil if not.
  static func problem(comparing slice: Slice?, with baseline: NamedBaseline?) -> String? {
    guard case .slice(let other)? = baseline, let slice, slice.run == other.run,
      slice.sinceMs == other.sinceMs, slice.untilMs == other.untilMs
    else { return nil }
    return "\(slice.name) is compared with itself: nothing can have changed, whatever the figures say"
  }

  static func runs(in store: Store) throws -> [String] {
    try StoreRows(store).table("SELECT run_id FROM run_starts ORDER BY began_ms DESC, run_id DESC", [:])
      .rows.compactMap { $0.first?.string }
  }

  /// A baseline by name: a run, or `last-accepted`.
  static func baseline(_ name: String, in store: Store) throws -> NamedBaseline {
    name == NamedBaseline.acceptedWord ? .accepted : .slice(try run(name, in: store))
  }

  /// The run last accepted, if it is the same for every SDK; throws if SDKs have different ones, or none was accepted.
  private static func accepted(in store: Store) throws -> Slice {
    let rows = try StoreRows(store).table(
      """
      SELECT run_id, group_concat(CASE sdk WHEN '' THEN 'unknown' ELSE sdk END, ', ') FROM (
        SELECT sdk, run_id, row_number() OVER (PARTITION BY sdk ORDER BY accepted_ms DESC) AS place FROM baselines)
      WHERE place = 1 GROUP BY run_id ORDER BY run_id
      """, [:]
    ).rows
    guard let run = rows.first?.first?.string else { throw nothingAccepted(in: store) }
    guard rows.count == 1 else {
      let runs = rows.map { "\($0[0].string ?? "") (\($0[1].string ?? ""))" }.joined(separator: ", ")
      throw Failure(
        .wrongCommandLine,
        "SDKs were accepted in different runs: \(VisibleText.visible(runs)); name one of them")
    }
    return Slice(run: run, name: run)
  }

  private static func nothingAccepted(in store: Store) -> Failure {
    Failure(
      .gateInconclusive,
      "no run in \(store.path) was accepted to compare with: `callqa accept RUN` makes one the baseline")
  }

  /// The calls that cannot be judged, by name; nil if there are none.
  static func unjudgeable(in store: Store) throws -> String? {
    let (count, first) = try store.unjudgeableCalls(most: 5)
    guard count > 0 else { return nil }
    let names = first.joined(separator: ", ") + (count > first.count ? " …" : "")
    return VisibleText.visible(
      "\(Plural.of(count, "call")) cannot be judged: \(names); `callqa check` says why")
  }

  /// Number of calls that are not judged yet, and what to do about it; nil if all are.
  static func unfinished(in store: Store) throws -> String? {
    let count = try store.staleCalls().count - store.unjudgeableCalls(most: 0).count
    guard count > 0 else { return nil }
    return
      "\(Plural.of(count, "call is", "calls are")) not judged yet: an import was interrupted or still runs; "
      + "the next import, of whatever file, judges them"
  }

  /// Runs code that reads definitions, queries and gate files, and turns errors in them into messages for the user.
  static func explained<Result>(in store: Store? = nil, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as NothingAccepted {
      guard let store else { throw error }
      throw nothingAccepted(in: store)
    } catch let error as VerdictVersionMismatch {
      throw Failure(.gateInconclusive, VisibleText.visible(error.description))
    } catch let error as PlacedError {
      throw Failure(.wrongCommandLine, error.description)
    } catch let error as FileFailure {
      throw Failure(error.isUnreadable ? .wrongCommandLine : .storeFailed, error.description)
    }
  }

  /// Writes a file atomically, so that readers never see a partial one.
  static func write(_ bytes: [UInt8], to path: String) throws {
    do {
      try WholeFile.write(bytes, to: path)
    } catch let error as FileFailure {
      throw Failure(.storeFailed, error.description)
    }
  }

  /// The run that a verdict can be recorded for; throws if the slice is not a run.
  @discardableResult
  static func mustBeARun(_ slice: Slice) throws -> String? {
    guard let run = slice.run, slice.sinceMs == nil, slice.untilMs == nil else {
      throw Failure(
        .wrongCommandLine,
        "--record notes the verdict on a whole run, and \(slice.name) is none: import with --run NAME")
    }
    return run
  }

  /// Stores the verdict on a run in table `runs`, for `--record`.
  static func record(_ judgement: NightJudgement, of slice: Slice, in store: Store) throws {
    guard let run = try mustBeARun(slice), let (verdict, reason) = judgement.ofRun else { return }
    try Store(path: store.path, access: .existing).setVerdict(verdict, reason: reason, ofRun: run)
  }

  /// Throws exit status 5 if no call counts, because a failed import must not look like a night without problems.
  static func mustHaveCalls(_ judgement: NightJudgement) throws {
    if let nothing = judgement.nothingRan { throw Failure(.gateInconclusive, nothing.sentence) }
    if let unfinished = onlyUnfinished(judgement) { throw Failure(.gateInconclusive, unfinished) }
  }

  /// What is not judged yet, if the run has no judged call; nil if a call counts.
  static func onlyUnfinished(_ judgement: NightJudgement) -> String? {
    judgement.comparison.candidate.ran == 0 ? judgement.comparison.unfinished : nil
  }

  /// Throws exit status 4 if a gate failed, 5 if one could not be decided.
  static func exit(by judgement: NightJudgement) throws {
    let worst = judgement.results.map(\.verdict).max() ?? .pass
    if worst == .fail { throw ExitStatus.gateFailed.exit }
    try mustHaveCalls(judgement)
    if worst == .inconclusive { throw ExitStatus.gateInconclusive.exit }
  }
}
