import ArgumentParser
import Bytes
import CallStore
import Glibc
import Reporting

/// `callqa report NAME`: a report of `reports/NAME`, as a folder with a page, CSV files and plots.
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a report: a page, CSV files and plots in one folder.",
    discussion: """
      A report is a folder of reports/ (or any folder you name) that says in plain text which queries it asks and what
      its page shows; copy one and edit it to make your own.

      Example:
        callqa report nightly
        callqa report nightly --run 2026-11-21 --baseline 2026-11-14 --out out/nightly
        callqa report nightly --gate release.gate      exit code 4 if it fails, 5 if it cannot be decided
      """)

  @Argument(help: ArgumentHelp("A folder of reports/, or the path of one.", valueName: "name"))
  var name: String

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var scope: SliceOptions

  @Option(
    help: ArgumentHelp(
      "Compare with this run (default: the accepted one, else the run before).", valueName: "run"))
  var baseline: String?

  @Option(
    name: .customLong("gate"),
    help: ArgumentHelp(
      "Judge by this gate file instead of the report's own, and exit 4 or 5 by it.", valueName: "file"))
  var gateFile: String?

  @Option(
    name: .customLong("prometheus"),
    help: ArgumentHelp("Also write the figures for node_exporter's textfile collector.", valueName: "file"))
  var prometheus: String?

  @Option(
    name: .customLong("out"), help: ArgumentHelp("The folder to make (default: out/NAME).", valueName: "dir"))
  var folder: String?

  @Option(help: ArgumentHelp("Seed of the bootstrap: the same seed gives the same report.", valueName: "n"))
  var seed: UInt64 = 1

  @Flag(name: .customLong("keep-script"), help: "Leave the gnuplot script beside the plots.")
  var keepsScript = false

  @Flag(help: "No notes on stderr.")
  var quiet = false

  func run() throws {
    let store = try database.open(.read, quiet: quiet)
    let outcome = try Reports.explained {
      let request = try self.request(store)
      let pages = try CallPageMaker(store, zone: request.zone)
      return try ReportEngine(request, rows: StoreRows(store), callPage: pages.page).make(in: out)
    }
    for note in outcome.notes where !quiet { Entry.complain(note) }
    let output = Output.standard()
    try output.write("\(outcome.headline.line)\n\(out)/index.html\n")
    try output.flush()
    if let prometheus {
      let text = PrometheusText.document(outcome.judgement, finishedMs: outcome.lastCallMs)
      try Reports.write(Array(text.utf8), to: prometheus)
    }
    if gateFile != nil { try Reports.exit(by: outcome.judgement) }
  }

  private var out: String { folder ?? "out/\(name.split(separator: "/").last.map(String.init) ?? "report")" }

  private func request(_ store: Store) throws -> ReportRequest {
    let path = name.contains("/") ? name : ResourceFolder("reports").map { "\($0.path)/\(name)" }
    guard let path, access("\(path)/report.txt", R_OK) == 0 else {
      throw Failure(.wrongCommandLine, "there is no report '\(name)': \(Reports.known())")
    }
    var request = ReportRequest(
      definition: try ReportDefinition.read(folder: path),
      queries: ResourceFolder("queries")?.path ?? "queries", zone: scope.zone)
    request.slice = try scope.slice(in: store)
    request.baseline = try baseline.map { try Reports.run($0, in: store) }
    request.gates = try gateFile.map { try GateFile(path: $0) }
    request.seed = seed
    request.gnuplot = Gnuplot(path: getenv("PATH").map { String(cString: $0) } ?? "")
    request.keepsScript = keepsScript
    return request
  }
}
