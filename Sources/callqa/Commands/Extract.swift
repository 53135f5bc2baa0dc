import ArgumentParser
import Assessing
import CallStore
import Importing
import Reporting

/// `callqa extract PATH…`: files in, JSON Lines out, no database.
struct Extract: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "The readers and the score as a filter: files in, JSON Lines out, no database.",
    usage: "callqa extract <path> ... [<options>]",
    discussion: """
      For an engine that runs many of these side by side. Every line has a type: call, stream, window, setup, event, \
      finding or source; the other members are those of the command of that name with --json.

      Example:
        callqa extract night/*/stats.jsonl.gz --only calls --only score
      """)

  /// A layer that can be asked for: the word of its command, and the type of its lines.
  enum Layer: String, CaseIterable, ExpressibleByArgument {
    case calls, streams, score, setup, events, findings, sources

    var listing: Listing {
      switch self {
      case .calls: .calls
      case .streams: .streams
      case .score: .score
      case .setup: .setup
      case .events: .events
      case .findings: .findings
      case .sources: .sources
      }
    }

    var type: String { self == .score ? "window" : self == .setup ? "setup" : String(rawValue.dropLast()) }
  }

  @Argument(help: ArgumentHelp("Files and folders; - is standard input.", valueName: "path"))
  var paths: [String]

  @Option(
    help: ArgumentHelp(
      "Only this layer (\(Layer.allCases.map(\.rawValue).joined(separator: ", "))); may be repeated.",
      valueName: "layer"))
  var only: [Layer] = []

  @OptionGroup var format: FormatOptions

  @OptionGroup var limits: LimitOptions

  func run() throws {
    let store = try Store(path: "memory", access: .memory)
    var request = ImportRequest(paths: paths)
    format.apply(to: &request)
    limits.apply(to: &request)
    let outcome = try Importer(store: store, request: request).run()
    try Assessor(store: store).assessStale()
    let output = Output.standard()
    for layer in only.isEmpty ? [.sources, .calls, .setup, .streams, .score, .events, .findings] : only {
      var printer: RowPrinter?
      try store.list(
        layer.listing,
        columns: {
          printer = RowPrinter(columns: ["type"] + $0, as: .json, for: TerminalFacts(), to: output)
        },
        row: { try printer?.row([.text(layer.type)] + $0) })
      try printer?.finish()
    }
    let report = try ImportReport(outcome, calls: store.countCalls(of: outcome.sources))
    report.complain()
    if report.anythingLost { throw ExitStatus.someRefused.exit }
  }
}
