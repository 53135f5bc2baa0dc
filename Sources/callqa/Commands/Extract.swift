import ArgumentParser
import Bytes
import CallModel
import CallStore
import Importing
import IO
import Pipeline
import Rendering

/// `callqa extract PATH…`: converts files to JSON Lines without a database.
struct Extract: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "The readers and the score as a filter: files in, JSON Lines out, no database.",
    usage: "callqa extract <path> ... [<options>]",
    discussion: """
      For an engine that runs many of these side by side. Every line has a type: call, stream, window, setup, event, \
      finding or source; the other members are those of the command of that name with --json. With --files-from, \
      --judgements or --rejects-ok the last line is of type end, with counts: what has none was cut short. The lines do not depend on the order of files, on the machine or on the time.

      Example:
        callqa extract night/*/stats.jsonl.gz --only calls --only score
        callqa extract --files-from files.txt --judgements --group g7 > g7.jsonl
      """)

  /// An output layer: the raw value is the name of the corresponding command and of the `type` in its lines.
  enum Layer: String, CaseIterable, ExpressibleByArgument {
    case calls, streams, score, setup, events, findings, sources, identities

    /// Nil for identities.
    var listing: Listing? { Listing.all.first { $0.name == rawValue } }

    var type: String {
      self == .score
        ? "window" : self == .setup ? "setup" : self == .identities ? "identity" : String(rawValue.dropLast())
    }
  }

  @Argument(help: ArgumentHelp("Files and folders; - is standard input.", valueName: "path"))
  var paths: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only this layer (\(Layer.allCases.map(\.rawValue).joined(separator: ", "))); may be repeated.",
      valueName: "layer"))
  var only: [Layer] = []

  @Option(
    name: .customLong("files-from"),
    help: ArgumentHelp("A file with one path per line; - is standard input.", valueName: "file"))
  var filesFrom: String?

  @Flag(help: "Rows for `callqa gather` instead: all that reports need, without samples.")
  var judgements = false

  @Option(help: ArgumentHelp("With --judgements: the name of the group of calls.", valueName: "name"))
  var group: String?

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp("The run the calls belong to (default: what run.json says).", valueName: "name"))
  var runName: String?

  @Flag(
    name: .customLong("rejects-ok"),
    help: "Exit 0 where some input was refused: the output names what was refused.")
  var rejectsOK = false

  @OptionGroup var format: FormatOptions

  @OptionGroup var limits: LimitOptions

  @OptionGroup var keep: KeepOptions

  func validate() throws {
    guard !paths.isEmpty || filesFrom != nil else {
      throw ValidationError("Name files, or a list of them with --files-from.")
    }
    guard !judgements || only.isEmpty else {
      throw ValidationError("--judgements and --only exclude each other.")
    }
    guard judgements == (group != nil) else {
      throw ValidationError("--judgements and --group belong together.")
    }
  }

  func run() throws {
    Interruption.listen()
    let store = try Store(path: "memory", access: .memory)
    let given = try paths + (filesFrom.map(Self.list) ?? [])
    var request = ImportRequest(paths: given)
    request.run = runName
    format.apply(to: &request)
    limits.apply(to: &request)
    keep.apply(to: &request)
    try store.ignoreCurrentFolder(for: given)
    var pipeline = Pipeline(request)
    pipeline.isInterrupted = { Interruption.isAsked }
    let outcome = try pipeline.run(into: store)
    // What is printed without the rest of the files would look whole.
    if Interruption.isAsked { throw ExitStatus.interrupted.exit }
    try store.nameSources(asGiven: given)
    let output = Output.standard()
    let calls = try store.countCalls(of: outcome.sources)
    let report = ImportReport(outcome, calls: calls)
    let lines =
      judgements ? try writeJudgements(of: store, to: output) : try writeLayers(of: store, to: output)
    // Engines need an end marker; someone who reads one layer of a few files gets just its lines.
    if judgements || filesFrom != nil || rejectsOK {
      let counts = [
        ("files", outcome.files), ("calls", calls), ("refused", outcome.counts[.refused] ?? 0),
        ("partial", outcome.counts[.partial] ?? 0), ("rows", lines),
      ].map { ",\"\($0.0)\":\($0.1)" }.joined()
      try output.write("{\"type\":\"end\"\(counts)}\n")
    }
    try output.flush()
    report.warn()
    if report.anythingLost, !rejectsOK { throw ExitStatus.someRefused.exit }
  }

  /// Reads a list of paths from a file, one per line.
  private static func list(_ path: String) throws -> [String] {
    let names = try lines(ofFile: path, of: "--files-from")
    guard !names.isEmpty else { throw Failure(.wrongCommandLine, "--files-from \(path): no path is in it") }
    return names
  }

  private func writeLayers(of store: Store, to output: Output) throws -> Int {
    var lines = 0
    for layer in only.isEmpty ? [.sources, .calls, .setup, .streams, .score, .events, .findings] : only {
      var printer: RowPrinter?
      func begin(_ columns: [String]) {
        printer = RowPrinter(columns: ["type"] + columns, as: .json, for: TerminalFacts(), to: output)
      }
      func add(_ cells: [Cell]) throws {
        lines += 1
        try printer?.row([.text(layer.type)] + cells)
      }
      if let listing = layer.listing {
        try store.list(listing, columns: begin, row: add)
      } else {
        try store.identities(columns: begin, row: add)
      }
      try printer?.finish()
    }
    return lines
  }

  /// Writes the head of the part, then one line per row; each table's columns come before its rows.
  private func writeJudgements(of store: Store, to output: Output) throws -> Int {
    var line: [UInt8] = Array("{\"type\":\"part\",\"version\":\(PartTables.version),\"group\":".utf8)
    JSONBytes.append(group ?? "", to: &line)
    line += Array("}\n".utf8)
    try output.write(line)
    var (table, rows) = ("", 0)
    try store.partRows { row in
      if row.table != table {
        table = row.table
        var head: [UInt8] = Array("{\"type\":\"table\",\"table\":\"\(table)\",\"columns\":[".utf8)
        for (place, column) in row.columns.enumerated() {
          if place > 0 { head.append(UInt8(ascii: ",")) }
          JSONBytes.append(column, to: &head)
        }
        try output.write(head + Array("]}\n".utf8))
      }
      var line: [UInt8] = Array("{\"type\":\"row\",\"table\":\"\(table)\",\"cells\":[".utf8)
      for (place, cell) in row.cells.enumerated() {
        if place > 0 { line.append(UInt8(ascii: ",")) }
        JSONBytes.append(cell, to: &line)
      }
      rows += 1
      try output.write(line + Array("]}\n".utf8))
    }
    return rows
  }
}
