import ArgumentParser
import CallModel
import CallStore
import Concurrency
import Glibc
import Importing
import Pipeline
import Rendering
import Reporting

/// `callqa show FILE…`: shows the result for a few files, without a database.
struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Read files and print the call that they record; no database.",
    usage: "callqa show <file> ... [<options>]",
    discussion: """
      `callqa FILE` means the same. Several files of one call are joined; files of several calls give a list. On a \
      terminal the answer comes first and the rest by options; to a file or a pipe everything is written.

      Example:
        callqa show stats.json
        callqa show calls/t17/ --html call.html --open
        callqa show --follow logs/
        zcat stats.jsonl.gz | callqa show -
      """)

  @Argument(help: ArgumentHelp("Files and folders; - is standard input.", valueName: "file"))
  var paths: [String]

  @Option(help: ArgumentHelp("Of several calls the nth of the list.", valueName: "n"))
  var pick: Int?

  @Flag(help: "Read on while the files grow, and print each window as soon as it has ended.")
  var follow = false

  @Option(
    name: .customLong("until-idle"),
    help: ArgumentHelp("With --follow: end when nothing has changed for so long.", valueName: "seconds"))
  var untilIdle: Double?

  @OptionGroup var view: CallViewOptions

  @OptionGroup var format: FormatOptions

  @OptionGroup var limits: LimitOptions

  @Option(
    help: ArgumentHelp(
      "Queue, carrier, site, role and more of the calls or subnets: a CSV file (see `callqa attributes --help`).",
      valueName: "file"))
  var attributes: String?

  func validate() throws {
    guard untilIdle == nil || follow, untilIdle.map({ $0 > 0 }) ?? true else {
      throw ValidationError("--until-idle is a time in seconds, with --follow.")
    }
    if follow {
      guard !paths.contains("-") else {
        throw ValidationError("--follow reads files and folders: standard input is read to its end as it is.")
      }
      guard pick == nil, !view.writesFiles, !view.markdown, view.at == nil else {
        throw ValidationError(
          "--follow prints windows, as text or --json: ask for a view of the call when it is over.")
      }
    }
    guard pick.map({ $0 > 0 }) ?? true else { throw ValidationError("--pick counts from 1.") }
  }

  func run() throws {
    Interruption.listen()
    let attributes = try attributes.map(AttributesFile.init)
    if follow { return try followed(attributes) }
    var view = view
    // Output to a file or another program is not shortened, as in lists.
    if isatty(1) != 1 { view.whole = .all }
    let (store, outcome) = try read(attributes)
    if Interruption.isAsked { throw ExitStatus.interrupted.exit }
    let calls = try store.query("SELECT call_key FROM calls ORDER BY started_ms, call_key").rows
      .compactMap { row -> Int64? in if case .integer(let key)? = row.first { key } else { nil } }
    let report = try ImportReport(outcome, calls: store.countCalls(of: outcome.sources))
    try report.printWords(quiet: true)
    if let pick, !calls.indices.contains(pick - 1) {
      throw Failure(.wrongCommandLine, "--pick \(pick): the files hold \(Plural.of(calls.count, "call"))")
    }
    if let call = pick.map({ calls[$0 - 1] }) ?? (calls.count == 1 ? calls.first : nil) {
      try view.show(call, in: store, given: paths)
    } else if calls.count > 1, view.writesFiles {
      throw Failure(
        .wrongCommandLine,
        "the files hold \(calls.count) calls, and a page is of one: choose one with --pick, show the files of one call, or import them and `callqa call ID`"
      )
    } else if view.json {
      for call in calls { try view.show(call, in: store) }
    } else if !calls.isEmpty {
      try list(store)
    } else {
      try explain(store)
    }
    if report.anythingLost { throw ExitStatus.someRefused.exit }
  }

  /// Imports the files into a store in memory and judges their calls.
  private func read(_ attributes: AttributesFile?) throws -> (Store, ImportOutcome) {
    let store = try Store(path: "memory", access: .memory)
    var request = ImportRequest(paths: paths)
    request.jobs = Cores.count
    format.apply(to: &request)
    limits.apply(to: &request)
    var pipeline = Pipeline(request)
    pipeline.isInterrupted = { Interruption.isAsked }
    let outcome = try pipeline.run(into: store) { _ in try attributes?.apply(to: store, quiet: false) }
    return (store, outcome)
  }

  /// Prints the windows of growing files until the user interrupts or they stop growing.
  private func followed(_ attributes: AttributesFile?) throws {
    var strip = LiveStrip(isJSON: view.json, zone: view.tz.flatMap(Zone.init(named:)) ?? .local())
    var watched = Follow(paths)
    var last: Store?
    try watched.run(untilIdle: untilIdle) {
      let (store, _) = try read(attributes)
      if Interruption.isAsked { return }
      try strip.printNew(store, isOver: false)
      last = store
    }
    guard let last else {
      throw Failure(.someRefused, "nothing was there to follow: \(paths.joined(separator: ", "))")
    }
    try strip.printNew(last, isOver: true)
  }

  /// Explains what files without a call contain instead.
  private func explain(_ store: Store) throws {
    for row in try store.query("SELECT DISTINCT note FROM notes ORDER BY note").rows {
      if case .text(let note)? = row.first { Entry.warn(note) }
    }
  }

  /// The columns for people if the calls have only a log.
  private static let loggedTable = [
    "call_id", "started_ms", "duration_ms=lasted@clock", "outcome", "end_code=code", "end_reason=reason",
    "reported.mean=rated@points", "network_out_ms=out@ms", "setup_ms=setup@ms",
  ]

  /// Lists several calls, and says how to show one of them.
  private func list(_ store: Store) throws {
    let rows = try RowOptions.parse(view.tz.map { ["--tz", $0] } ?? [])
    let scored = try store.query("SELECT 1 FROM calls WHERE score_mean IS NOT NULL LIMIT 1")
    try rows.print(
      .calls, CallScope(), from: store, table: scored.rows.isEmpty ? Self.loggedTable : Calls.table)
    Entry.warn(
      "several calls: --pick n shows the nth; or show one file or folder of them, or `callqa import` them and `callqa call ID`"
    )
  }
}
