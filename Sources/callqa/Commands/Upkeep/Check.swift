import ArgumentParser
import Assessing
import CallModel
import CallStore

/// `callqa check`: checks the integrity of the database.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract:
      "Is the database sound? References, checksums of samples, and every judgement again from what it rests on.",
    usage: "callqa check [<options>]",
    discussion: """
      Prints one row per rule that is broken, and exits with 3 if there is one. Calls that are not judged yet, because an \
      import was interrupted or still runs, are named on stderr and break no rule: the next import judges them.

      Example:
        callqa check
        callqa check --quick
      """)

  @Flag(help: "Do not judge again.")
  var quick = false

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var rows: RowOptions

  func run() throws {
    let store = try database.open(.read, quiet: rows.quiet)
    // Use one snapshot, because another process may be writing.
    let problems = try store.snapshot {
      let broken = try store.check()
      let isReadable = !broken.contains { $0.rule == Store.schemaRule }
      return quick || !isReadable ? broken : broken + (try Recheck(store: store).problems())
    }
    var printer = try rows.printer(columns: ["rule", "count", "example"])
    for problem in problems {
      try printer.row([.text(problem.rule), .integer(Int64(problem.count)), .text(problem.example)])
    }
    if !problems.isEmpty || rows.rowFormat != .table { try printer.finish() }
    if quick, !rows.quiet, let unjudgeable = try Reports.unjudgeable(in: store) { Entry.warn(unjudgeable) }
    guard problems.isEmpty else {
      throw Failure(
        .storeFailed,
        "\(store.path): \(Plural.of(problems.count, "rule is", "rules are")) broken")
    }
    guard !rows.quiet else { return }
    if let unfinished = try Reports.unfinished(in: store) { Entry.warn(unfinished) }
    Entry.warn("\(store.path) is sound")
  }
}
