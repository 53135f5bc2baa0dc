import ArgumentParser
import IO
import Rendering
import Reporting

/// `callqa compare BASELINE CANDIDATE`: shows how two runs differ, with intervals, and evaluates the gates.
struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Two runs with intervals: what moved, how sure that is, and whether a gate lets it pass.",
    discussion: """
      Calls are paired by SDK and scenario where both runs have them; intervals are a seeded bootstrap over calls, \
      corrected for the number of SDKs. A gate file has lines such as `score.mean >= baseline - 3`.

      Example:
        callqa compare 2026-11-20 2026-11-21
        callqa compare 2026-11-20 last --gate release.gate --junit callqa.xml
        callqa compare v1 v2 --by video_codec --markdown

      Exit code 4 says that a gate failed, 5 that one could not be decided.
      """)

  @Argument(
    help: ArgumentHelp(
      "The run to compare with; `last-accepted` is the one each SDK was last accepted in.",
      valueName: "baseline"))
  var baseline: String

  @Argument(help: ArgumentHelp("The run to judge; `last` is the latest.", valueName: "candidate"))
  var candidate: String

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var rows: RowOptions

  @Option(
    name: .customLong("by"),
    help: ArgumentHelp(
      "Divide the calls by sdk, scenario, video_codec, network_type …, or by an attribute or label: trunk, site …",
      valueName: "trait"))
  var trait = "sdk"

  @Option(name: .customLong("gate"), help: ArgumentHelp("Judge by this gate file.", valueName: "file"))
  var gateFile: String?

  @Option(name: .customLong("junit"), help: ArgumentHelp("Also write JUnit XML for CI.", valueName: "file"))
  var junit: String?

  @OptionGroup var permissions: ModeOptions

  @Flag(help: "Markdown for a merge request instead of a table.")
  var markdown = false

  @Flag(help: "Note the verdict in the database; `callqa runs` shows it.")
  var record = false

  @Option(
    help: ArgumentHelp("Seed of the bootstrap: the same seed gives the same intervals.", valueName: "n"))
  var seed: UInt64 = 1

  func validate() throws {
    guard !record || gateFile != nil else {
      throw ValidationError("--record takes a --gate: without one nothing is judged.")
    }
  }

  func run() throws {
    permissions.apply()
    let store = try database.open(.read, quiet: rows.quiet)
    guard let queries = ResourceFolder("queries") else {
      throw Failure(
        .storeFailed, "the folder of queries is not beside callqa; set CALLQA_HOME to where it is")
    }
    let comparison = RunComparison(rows: StoreRows(store), queries: queries.path, by: trait)
    let slice = try Reports.run(candidate, in: store)
    let base = try Reports.baseline(baseline, in: store)
    let judgement = try Reports.explained(in: store) {
      let gates = try gateFile.map { try GateFile(path: $0).gates } ?? []
      return try comparison.judge(slice, against: base, gates: gates, seed: seed)
    }
    if !rows.quiet, let itself = Reports.problem(comparing: slice, with: base) { Entry.warn(itself) }
    if !rows.quiet, let unfinished = judgement.comparison.unfinished { Entry.warn(unfinished) }
    if let junit {
      try Reports.write(
        JUnit.document(judgement, expectations: try comparison.expectations(of: slice)), to: junit)
    }
    if markdown {
      try write(ComparisonMarkdown.document(judgement))
    } else if rows.rowFormat == .table {
      let terminal = TerminalFacts.of(zone: rows.zone)
      try write(terminal.displayable(ComparisonText(judgement, for: terminal).text))
    } else {
      try print(judgement.figureChanges)
    }
    if record { try Reports.record(judgement, of: slice, in: store) }
    if gateFile != nil { try Reports.exit(by: judgement) }
  }

  private func write(_ text: String) throws {
    let output = Output.standard()
    try output.write(text)
    try output.flush()
  }

  private func print(_ table: Table) throws {
    var printer = try rows.printer(columns: table.columns)
    for row in table.rows { try printer.row(row) }
    try printer.finish()
  }
}
