import ArgumentParser
import CallStore
import CallViews
import Glibc
import IO
import Rendering
import Reporting

/// `callqa report NAME`: makes a report from `reports/NAME`, as a folder with a page, CSV files and plots.
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Make a report: a page, CSV files and plots in one folder.",
    discussion: """
      A report is a folder with a report.txt that says in plain text which queries it asks and what its page shows. To \
      make your own, copy one and edit it; a mistake is explained with file and line. A name is looked for in reports/ \
      here, in ~/.config/callqa/reports ($XDG_CONFIG_HOME), then among those that ship; a path is taken as it is.

      Example:
        callqa report                               lists them, with their folders
        callqa report nightly
        callqa report nightly --run 2026-11-21 --baseline 2026-11-14
        callqa report nightly --gate release.gate   exit 4: it fails, 5: too few calls

      Without any call in the database there is nothing to report: exit code 5. So it is where no call of the run or time \
      counts; the page is made then, and says so. That is also so with a --run that is not there, where --out or \
      --prometheus gives the report its place: the page of a night whose import never came must not be yesterday's. \
      Without them the name is taken for mistyped: exit code 2.
      """)

  @Argument(
    help: ArgumentHelp("A report's name, or the path of its folder (default: list them).", valueName: "name"))
  var name: String?

  @OptionGroup var database: DatabaseOptions

  @OptionGroup private var scope: SliceOptions

  @Option(
    help: ArgumentHelp(
      "Compare with this run, or with `last-accepted` (default: that, else the last before it that was not blocked).",
      valueName: "run"
    ))
  var baseline: String?

  @Option(
    name: .customLong("gate"),
    help: ArgumentHelp(
      "Judge by this gate file instead of the report's own, and exit 4 or 5 by it.", valueName: "file"))
  var gateFile: String?

  @Option(
    name: .customLong("prometheus"),
    help: ArgumentHelp(
      "Also write the figures for node_exporter's textfile collector (which may need --mode 0644).",
      valueName: "file"))
  var prometheus: String?

  @Option(
    name: .customLong("out"), help: ArgumentHelp("The folder to make (default: out/NAME).", valueName: "dir"))
  var folder: String?

  @OptionGroup var permissions: ModeOptions

  @Option(help: ArgumentHelp("Seed of the bootstrap: the same seed gives the same report.", valueName: "n"))
  var seed: UInt64 = 1

  @Flag(name: .customLong("keep-script"), help: "Leave the gnuplot script beside the plots.")
  var keepsScript = false

  @Flag(help: "Note the verdict in the database; `callqa runs` shows it.")
  var record = false

  @Flag(help: "No notes on stderr.")
  var quiet = false

  /// Whether the output goes to a fixed place where others look for tonight's report; an outdated one must not stay
  /// there.
  private var isForOthers: Bool { folder != nil || prometheus != nil }

  func validate() throws {
    guard !record || scope.since == nil && scope.until == nil else {
      throw ValidationError("--record notes the verdict on a whole run: omit --since and --until.")
    }
  }

  func run() throws {
    permissions.apply()
    guard let name else { return try list() }
    let report = try ReportFinder().find(name)
    let out = folder ?? "out/\(report.split(separator: "/").last.map(String.init) ?? "report")"
    let store = try database.open(.read, quiet: quiet)
    let outcome = try Reports.explained(in: store) {
      let request = try self.request(report, store)
      let pages = try CallPageMaker(store, zone: request.zone)
      let engine = ReportEngine(request, rows: StoreRows(store), callPage: pages.page)
      guard let slice = try engine.slice() else {
        throw Failure(.gateInconclusive, "there is no call in \(store.path) yet: import some first")
      }
      if record { try Reports.mustBeARun(slice) }
      return try engine.make(slice, in: out)
    }
    let itself = Reports.problem(
      comparing: outcome.slice, with: try baseline.map { try Reports.baseline($0, in: store) })
    let absent = try scope.runName.flatMap { try Reports.problem(withRun: $0, in: store) }
    // Skip this if the error at the end of the report says the same.
    let unfinished =
      Reports.onlyUnfinished(outcome.judgement) == nil ? outcome.judgement.comparison.unfinished : nil
    for note in outcome.notes
      + [unfinished, try Reports.unjudgeable(in: store), absent, itself].compactMap({ $0 }) where !quiet
    {
      Entry.warn(note)
    }
    let output = Output.standard()
    try output.write("\(outcome.headline.line)\n\(out)/index.html\n")
    try output.flush()
    if let prometheus {
      let text = PrometheusText.document(outcome.judgement, finishedMs: outcome.lastCallMs)
      try Reports.write(Array(text.utf8), to: prometheus)
    }
    if record, absent == nil { try Reports.record(outcome.judgement, of: outcome.slice, in: store) }
    if gateFile != nil { try Reports.exit(by: outcome.judgement) }
    try Reports.mustHaveCalls(outcome.judgement)
  }

  private func list() throws {
    var printer = RowPrinter(
      columns: ["report", "title", "folder"], as: .table, for: .of(zone: scope.zone), to: .standard())
    for report in ReportFinder().all() {
      try printer.row([.text(report.name), .text(report.title), .text(report.folder)])
    }
    try printer.finish()
  }

  private func request(_ report: String, _ store: Store) throws -> ReportRequest {
    var request = ReportRequest(
      definition: try ReportDefinition.read(folder: report),
      queries: ResourceFolder("queries")?.path ?? "queries", zone: scope.zone)
    request.slice = try scope.slice(in: store, mayBeAbsent: isForOthers)
    request.baseline = try baseline.map { try Reports.baseline($0, in: store) }
    request.gates = try gateFile.map { try GateFile(path: $0) }
    request.seed = seed
    request.gnuplot = Gnuplot(path: getenv("PATH").map { String(cString: $0) } ?? "")
    request.keepsScript = keepsScript
    return request
  }
}

/// Options that select what a report is about: a run, or the calls of a time range.
private struct SliceOptions: ParsableArguments {
  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "The run (default: the latest; without runs the latest night, noon to noon).", valueName: "name"))
  var runName: String?

  @Option(
    help: ArgumentHelp("Calls since 24h, yesterday, a date, or a time of RFC 3339.", valueName: "when"))
  var since: String?

  @Option(help: ArgumentHelp("Calls before then.", valueName: "when"))
  var until: String?

  @Option(
    help: ArgumentHelp("Time zone of the page, e.g. Europe/Berlin (default: local).", valueName: "zone"))
  var tz: String?

  func validate() throws {
    guard tz.map({ Zone(named: $0) != nil }) ?? true else {
      throw ValidationError("--tz knows no time zone '\(tz ?? "")': use a name such as Europe/Berlin or UTC.")
    }
  }

  /// The time zone in which times are shown.
  var zone: Zone { tz.flatMap(Zone.init(named:)) ?? .local() }

  /// A time as given by the user, preceded by its date if it has none.
  private func named(_ text: String, _ ms: Double?) -> String {
    guard MomentText.isClock(text), let date = ms.flatMap({ zone.dateText($0) }) else { return text }
    return "\(date) \(text)"
  }

  /// The selected slice; nil leaves the choice to the report.
  ///
  /// Throws if the run does not exist, unless `mayBeAbsent`: a run in which no call was made is also unknown.
  func slice(in store: Store, mayBeAbsent: Bool) throws -> Slice? {
    let span = MomentSpan(since: since, until: until, run: runName, zone: zone)
    let (sinceMs, untilMs) = try span.ms(in: store, quietly: true)
    let run = try runName.map { name in
      guard mayBeAbsent, try Reports.problem(withRun: name, in: store) != nil else {
        return try Reports.run(name, in: store)
      }
      return Slice(run: name, name: name)
    }
    guard sinceMs != nil || untilMs != nil else { return run }
    let words = [("since", since, sinceMs), ("until", until, untilMs)].compactMap { word, text, ms in
      text.map { "\(word) \(named($0, ms))" }
    }.joined(separator: " ")
    return Slice(
      run: run?.run, sinceMs: sinceMs, untilMs: untilMs,
      name: [run?.name, words].compactMap { $0 }.joined(separator: ", "))
  }
}

/// Finds reports: folders with a `report.txt`. The user's own take precedence over shipped ones.
private struct ReportFinder {
  /// `reports` in the current folder, `reports` in the user's configuration, and those shipped with callqa; only
  /// folders that exist.
  let folders: [String]

  init() {
    let home = Surroundings.variable("HOME").map { "\($0)/.config" }
    let personal = (Surroundings.variable("XDG_CONFIG_HOME") ?? home).map { "\($0)/callqa/reports" }
    let shipped = ResourceFolder("reports")?.path
    var met: Set<String> = []
    folders = ["reports", personal, shipped].compactMap { $0 }.filter { folder in
      guard let real = realpath(folder, nil) else { return false }
      defer { free(real) }
      return met.insert(String(cString: real)).inserted
    }
  }

  /// The folder of a report, by path or name. If there is none, the error lists the reports that exist.
  func find(_ word: String) throws -> String {
    var word = word
    for ending in ["/report.txt", "/"] where word.hasSuffix(ending) && word.count > ending.count {
      word.removeLast(ending.count)
    }
    let candidates = word.contains("/") ? [word] : folders.map { "\($0)/\(word)" }
    if let found = candidates.first(where: Self.isReport) { return found }
    if let folder = candidates.first(where: { access("\($0)/.", F_OK) == 0 }) {
      throw Failure(.wrongCommandLine, "\(folder) is no report: it has no report.txt")
    }
    let near = Self.isReport("./\(word)") ? "; for the folder here write ./\(word)" : ""
    let names = all().map(\.name)
    let list =
      names.isEmpty ? "none was found (set CALLQA_HOME)" : "there are: \(names.joined(separator: ", "))"
    throw Failure(.wrongCommandLine, "there is no report '\(word)'\(near): \(list)")
  }

  /// All reports with their titles. If several have the same name, the first is used. If a definition has an error, the
  /// error replaces the title.
  func all() -> [(name: String, title: String, folder: String)] {
    var met: Set<String> = []
    return folders.flatMap { parent in
      OutputFolder.folders(in: parent).map { (name: $0, folder: "\(parent)/\($0)") }
    }
    .filter { Self.isReport($0.folder) && met.insert($0.name).inserted }
    .map { name, folder in
      do {
        return (name, try ReportDefinition.read(folder: folder).title, folder)
      } catch {
        return (name, "\(error)", folder)
      }
    }
  }

  private static func isReport(_ folder: String) -> Bool { access("\(folder)/report.txt", R_OK) == 0 }
}
