import ArgumentParser
import CallModel
import CallStore
import Concurrency
import Glibc
import IO
import Importing
import Pipeline
import Rendering

/// `callqa import PATH…`: imports files and folders into the database.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take files and folders into the database.",
    discussion: """
      Each file is recognised by its content, plain or compressed (gzip, zstd, brotli). Importing the same file again \
      changes nothing; one that has grown since, or was corrected, takes the place of what it was.

      Example:
        callqa import calls/ --run 2026-11-21 --label build=1234
        zcat stats.jsonl.gz | callqa import -
        callqa import --follow /var/log/calls/          while calls are going on

      Exit code 1 says that some input was refused or taken only in part; the rest was imported.
      """)

  @Argument(help: ArgumentHelp("Files and folders; - is standard input.", valueName: "path"))
  var paths: [String]

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var format: FormatOptions

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp("The run the calls belong to (default: what run.json says).", valueName: "name"))
  var runName: String?

  @Option(
    name: .customLong("label"),
    help: ArgumentHelp("A label of the run, e.g. build=1234; may be repeated.", valueName: "key=value"))
  var labels: [String] = []

  @Option(help: ArgumentHelp("The call that all of these files belong to.", valueName: "id"))
  var call: String?

  @Option(
    help: ArgumentHelp(
      "What the video of these calls is held against: a JSON file with render_width, render_height, frame_rate, "
        + "target_bps.", valueName: "file"))
  var references: String?

  @Option(
    help: ArgumentHelp(
      "Queue, carrier, site, role and more of calls or subnets: a CSV file (see `callqa attributes --help`).",
      valueName: "file"))
  var attributes: String?

  @Option(help: ArgumentHelp("Files read at a time (default: one a core).", valueName: "n"))
  var jobs: Int?

  @Option(help: ArgumentHelp("Permissions of a database that is created, e.g. 0640.", valueName: "octal"))
  var mode: String = "0600"

  @OptionGroup var pseudonyms: PseudonymOptions

  @OptionGroup var limits: LimitOptions

  @OptionGroup var keep: KeepOptions

  @Flag(help: "Go on reading files and folders while they grow; Ctrl-C ends it.")
  var follow = false

  @Option(
    name: .customLong("until-idle"),
    help: ArgumentHelp("With --follow: end when nothing has changed for so long.", valueName: "seconds"))
  var untilIdle: Double?

  @Flag(help: "One JSON object per file, and a summary.")
  var json = false

  @Flag(help: "No progress and no notes on stderr.")
  var quiet = false

  func validate() throws {
    guard jobs.map({ $0 > 0 }) ?? true else { throw ValidationError("--jobs must be at least 1.") }
    try ModeOptions.check(mode)
    guard untilIdle == nil || follow, untilIdle.map({ $0 > 0 }) ?? true else {
      throw ValidationError("--until-idle is a time in seconds, with --follow.")
    }
    if follow, paths.contains("-") {
      throw ValidationError("--follow reads files and folders: standard input is read to its end as it is.")
    }
    if let runName, let problem = Manifest.problem(withRun: runName) {
      throw ValidationError("--run \(problem).")
    }
    for label in labels where !label.contains("=") || label.hasPrefix("=") {
      throw ValidationError("--label takes key=value, not '\(label)'.")
    }
  }

  func run() throws {
    Interruption.listen()
    let pseudonymizer = try pseudonyms.pseudonymizer()
    let references = try references.map { try Self.read(references: $0) }
    let attributes = try attributes.map(AttributesFile.init)
    let request = request(pseudonymizer)
    let first = FirstFile(of: request)
    let store = try open()
    guard follow else {
      let done = try pass(request, first, references, attributes, into: store)
      return try printResult(done, in: store)
    }
    var watched = Follow(paths)
    var last: Done?
    try watched.run(untilIdle: untilIdle) {
      last = try pass(request, FirstFile(of: request), references, attributes, into: store)
      if !quiet, let last {
        let calls = try store.countCalls(of: last.outcome.sources)
        Entry.warn(
          "\(Plural.of(last.outcome.files, "file")), \(Plural.of(calls, "call"))", prefixed: false)
      }
    }
    guard let last else {
      throw Failure(.someRefused, "nothing was there to follow: \(paths.joined(separator: ", "))")
    }
    try printResult(last, in: store, isFollowed: true)
  }

  /// Opens the database. If neither the paths nor the database exist, none is created, because the path is most likely
  /// misspelled.
  private func open() throws -> Store {
    let isThere = follow || paths.contains { $0 == "-" || access($0, F_OK) == 0 }
    guard isThere || access(database.resolved, F_OK) == 0 else {
      return try Store(path: database.resolved, access: .memory)
    }
    return try database.open(.write, mode: UInt16(mode, radix: 8) ?? 0o600, quiet: quiet)
  }

  /// The result of an import.
  private struct Done {
    let outcome: ImportOutcome
    let report: ImportReport
  }

  /// Imports all files that are new or have changed, and judges their calls.
  private func pass(
    _ request: ImportRequest, _ first: FirstFile?, _ references: String?, _ attributes: AttributesFile?,
    into store: Store
  ) throws -> Done {
    let progress = ImportProgress(isShown: !quiet && !json && !follow)
    var pipeline = Pipeline(request)
    pipeline.jobs = jobs ?? Cores.count
    pipeline.isInterrupted = { Interruption.isAsked }
    pipeline.progress = progress.update
    let outcome = try pipeline.run(into: store, first: first) { outcome in
      progress.finish()
      if let references {
        try store.hold(calls: store.calls(of: outcome.sources), run: runName, against: references)
      }
      try attributes?.apply(to: store, quiet: quiet || follow)
    }
    return Done(
      outcome: outcome, report: try ImportReport(outcome, calls: store.countCalls(of: outcome.sources)))
  }

  /// Prints the result. Throws an exit code if something was rejected or left undone.
  private func printResult(_ done: Done, in store: Store, isFollowed: Bool = false) throws {
    let (outcome, report) = (done.outcome, done.report)
    try json ? report.printJSON() : report.printWords(quiet: quiet)
    if !quiet {
      try warnOfLabels(outcome, in: store)
      try warnOfClocks(outcome, in: store)
      try warnOfSharedNames(outcome, in: store)
      warnOfEndsElsewhere(outcome)
    }
    // With --follow an interruption is the normal end.
    if Interruption.isAsked, !isFollowed {
      let unjudged = try store.staleCalls().count
      Entry.warn(
        "interrupted: \(Plural.of(outcome.files, "file is", "files are")) done and kept; "
          + (unjudged > 0 ? "\(Plural.of(unjudged, "call is", "calls are")) not judged yet; " : "")
          + "run the same import again to go on")
      throw ExitStatus.interrupted.exit
    }
    if report.anythingLost { throw ExitStatus.someRefused.exit }
  }

  /// Warns about labels without a run: labels belong to runs, so they have no effect here.
  private func warnOfLabels(_ outcome: ImportOutcome, in store: Store) throws {
    guard !labels.isEmpty, runName == nil else { return }
    let loose = try store.calls(of: outcome.sources).count { try store.call($0)?.run == nil }
    guard loose > 0 else { return }
    Entry.warn(
      "--label is kept with a run, and \(Plural.of(loose, "call belongs", "calls belong")) to none: "
        + "name one with --run when they are imported")
  }

  /// Warns about calls with the same name. They are stored separately, but should be renamed at the source.
  private func warnOfSharedNames(_ outcome: ImportOutcome, in store: Store) throws {
    for (given, id) in try store.callsSharingName(of: outcome.sources, most: 5) {
      Entry.warn(
        VisibleText.visible(
          "two calls of one run were given the name \(given), and lie apart in evidence and time: one of them is \(id); "
            + "give each a call_id of its own"))
    }
  }

  /// Warns about ends that arrived in a later run and became separate calls. Their files should be imported in the same
  /// run as the others.
  private func warnOfEndsElsewhere(_ outcome: ImportOutcome) {
    for end in outcome.endsInOtherRuns.prefix(5) {
      let (here, there) = (
        end.run.map { "run \($0)" } ?? "no run", end.otherRun.map { "run \($0)" } ?? "no run"
      )
      Entry.warn(
        VisibleText.visible(
          "the other end of call \(end.call) of \(here) came in \(there), as \(end.other): files of two runs are two "
            + "calls, and each counts"))
    }
    let more = outcome.endsInOtherRuns.count - 5
    if more > 0 {
      Entry.warn(
        "\(Plural.of(more, "more call has its", "more calls have their")) other end in another run: `callqa sources` names \(Plural.word(more, "it", "them"))"
      )
    }
  }

  /// Warns about implausible clocks. They cannot order runs and should be corrected on the recording machine.
  private func warnOfClocks(_ outcome: ImportOutcome, in store: Store) throws {
    let odd = try store.oddClocks(of: outcome.sources, most: 5)
    guard odd.count > 0 else { return }
    let names = odd.first.joined(separator: ", ") + (odd.count > odd.first.count ? " …" : "")
    Entry.warn(
      "\(Plural.of(odd.count, "call says it", "calls say they")) began before 2000, or over a day after this "
        + "import: \(VisibleText.visible(names)); such a clock dates no run")
  }

  private static func read(references path: String) throws -> String {
    do {
      let (json, notes) = try Manifest.references(ofFile: path)
      if let note = notes.first {
        throw Failure(.wrongCommandLine, VisibleText.visible("--references \(path): \(note)"))
      }
      return json
    } catch let error as SourceError {
      throw Failure(.wrongCommandLine, error.reason)
    }
  }

  private func request(_ pseudonyms: Pseudonymizer?) -> ImportRequest {
    var request = ImportRequest(paths: paths)
    format.apply(to: &request)
    request.run = runName
    request.call = call
    request.pseudonyms = pseudonyms
    request.jobs = jobs ?? Cores.count
    limits.apply(to: &request)
    keep.apply(to: &request)
    for label in labels {
      let parts = label.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      request.labels[String(parts[0])] = String(parts[1])
    }
    return request
  }
}

/// A line on stderr that counts files, on a terminal only.
final class ImportProgress: Sendable {
  private let isShown: Bool
  private let lastShown = Locked(0.0)

  init(isShown: Bool) {
    self.isShown = isShown && isatty(Surroundings.current.errors) == 1
  }

  /// Updates the count, at most ten times per second.
  var update: @Sendable (Int, Int) -> Void {
    { [self] done, all in
      guard isShown else { return }
      let now = MonotonicClock.nowSeconds
      let isDue = lastShown.withLock { last in
        guard now - last > 0.1 || done == all else { return false }
        last = now
        return true
      }
      if isDue { show("\rimporting \(done) of \(Plural.of(all, "file"))") }
    }
  }

  /// Clears the line.
  func finish() {
    if isShown { show("\r\u{1B}[K") }
  }

  private func show(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write(Surroundings.current.errors, $0.baseAddress, $0.count) }
  }
}
