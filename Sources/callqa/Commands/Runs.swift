import ArgumentParser
import CallStore

/// `callqa runs`: a row a run.
struct Runs: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "A row a run: how many calls came, were missing, broke, and for which SDKs it is the baseline.",
    discussion: """
      Example:
        callqa runs
        callqa accept last
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var rows: RowOptions

  func run() throws {
    try rows.print(
      .runs, CallScope(), from: database.open(.read, quiet: rows.quiet),
      table: [
        "run", "started_ms", "calls", "missing", "excluded", "broken", "score_mean=score", "verdict",
        "accepted[]",
      ])
  }
}
