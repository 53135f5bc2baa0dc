import ArgumentParser
import CallModel
import CallStore
import CallViews
import Concurrency
import Glibc
import Importing
import Pipeline
import Rendering

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

  @OptionGroup var keep: KeepOptions

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
    if isatty(Surroundings.current.output) != 1 { view.whole = .all }
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
    keep.apply(to: &request)
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
    // Figures of whole calls give a verdict and no score.
    let judged = try store.query(
      "SELECT 1 FROM calls WHERE score_mean IS NOT NULL UNION ALL SELECT 1 FROM sources WHERE format = 'figures' LIMIT 1"
    )
    try rows.print(
      .calls, CallScope(), from: store, table: judged.rows.isEmpty ? Self.loggedTable : Calls.table)
    Entry.warn(
      "several calls: --pick n shows the nth; or show one file or folder of them, or `callqa import` them and `callqa call ID`"
    )
  }
}

/// Prints the windows of calls that are being followed, one line each as soon as they end.
private struct LiveStrip {
  private let isJSON: Bool
  private let zone: Zone
  private var printed: Set<End> = []
  private static let bars = Array("▁▂▃▄▅▆▇█")

  init(isJSON: Bool, zone: Zone) {
    self.isJSON = isJSON
    self.zone = zone
  }

  /// Identifies an end of a call.
  private struct End: Hashable {
    var call: String
    var endpoint: String
    var window: Double?
  }

  /// Prints windows that have not been printed. Windows that no report has passed yet may still change, so they wait
  /// unless `isOver`. Throws errors of the store and the output.
  mutating func printNew(_ store: Store, isOver: Bool) throws {
    let reached = try lastReports(store)
    let several = Set(reached.keys.map(\.call)).count > 1
    let output = Output.standard()
    var windows = try store.list(.score)
    // Rows are grouped by end; sort them by time.
    if let start = windows.columns.firstIndex(of: "start_ms") {
      windows.rows.sort { ($0[start].number ?? 0) < ($1[start].number ?? 0) }
    }
    let objects = JSONObjects(columns: windows.columns)
    for row in windows.rows {
      let window = Row(windows.columns, row)
      var key = End(call: window["call_id"].string ?? "", endpoint: window["endpoint"].string ?? "")
      let last = reached[key] ?? -.infinity
      key.window = window["window_index"].number
      guard !printed.contains(key), let end = window["end_ms"].number, isOver || end <= last else { continue }
      printed.insert(key)
      if isJSON {
        try output.write(objects.bytes(of: row) + [UInt8(ascii: "\n")])
      } else {
        try output.write(line(window, withCall: several) + "\n")
      }
    }
    try output.flush()
  }

  private struct Row {
    private let columns: [String]
    private let cells: [Cell]
    init(_ columns: [String], _ cells: [Cell]) { (self.columns, self.cells) = (columns, cells) }
    subscript(_ name: String) -> Cell { columns.firstIndex(of: name).map { cells[$0] } ?? .null }
  }

  private func lastReports(_ store: Store) throws -> [End: Double] {
    let rows = try store.query(
      """
      SELECT k.call_id, n.endpoint, max(s.last_ms) FROM calls AS k JOIN endpoints AS n USING (call_key)
        JOIN source_views AS c USING (endpoint_key) JOIN streams AS s USING (connection_key)
      GROUP BY n.endpoint_key
      """
    ).rows
    let ends = rows.map {
      (End(call: $0[0].string ?? "", endpoint: $0[1].string ?? ""), $0[2].number ?? -.infinity)
    }
    return Dictionary(ends) { max($0, $1) }
  }

  private func line(_ window: Row, withCall: Bool) -> String {
    var parts = [window["start_ms"].number.flatMap { zone.clockText($0) } ?? ""]
    if withCall { parts.append(VisibleText.visible(window["call_id"].string ?? "")) }
    parts.append(VisibleText.visible(window["endpoint"].string ?? ""))
    let state = window["state"].string ?? ""
    if let score = window["score"].number.map({ Int($0) }) {
      let bar = state == "stalled" ? "×" : String(Self.bars[min(7, max(0, score * 8 / 101))])
      let number = String(score)
      parts.append("\(bar) \(String(repeating: " ", count: 3 - number.count))\(number)")
      let lost = Cause.allCases.compactMap { cause -> (Cause, Double)? in
        window["points_lost.\(cause.rawValue)"].number.map { (cause, $0) }
      }
      let worst = lost.filter { $0.1 >= 1 }.sorted { $0.1 > $1.1 }.prefix(3)
      parts.append(worst.map { "\($0.0.rawValue) -\(Int($0.1))" }.joined(separator: ", "))
    } else {
      parts.append("·   –")
      parts.append(state)
    }
    while parts.last?.isEmpty == true { parts.removeLast() }
    return parts.joined(separator: "  ")
  }
}
