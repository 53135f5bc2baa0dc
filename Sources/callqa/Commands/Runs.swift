import ArgumentParser
import CallStore

/// `callqa runs`: lists runs, one row each.
struct Runs: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract:
      "One row per run: how many calls came, never came or broke, and for which SDKs it is the baseline.",
    usage: "callqa runs [<options>]",
    discussion: """
      Example:
        callqa runs
        callqa accept last
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var rows: RowOptions

  func run() throws {
    let store = try database.open(.read, quiet: rows.quiet)
    try rows.print(
      .runs, CallScope(), from: store,
      table: [
        "run", "started_ms", "calls", "missing", "excluded", "broken", "score_mean=score@points",
        "gate_result=gate",
        "accepted[]",
      ])
    if !rows.quiet, let unfinished = try Reports.unfinished(in: store) { Entry.warn(unfinished) }
  }
}
