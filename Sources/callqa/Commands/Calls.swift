import ArgumentParser
import CallStore
import SQLite

/// `callqa calls`: lists calls, one row each.
struct Calls: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calls",
    abstract: "One row per call: when, how it ended, how good it was, and what cost it points.",
    usage: "callqa calls [<options>]",
    discussion: """
      Example:
        callqa calls --worst 5
        callqa calls --run 2026-11-21 --broken --json
        callqa calls --verdict silent,no-picture
        callqa calls --codec H264 --sdk pexip --finding no-picture
        callqa calls --where "setup_ms > 3000"

      Without --run, --since or --until they are those of the latest run.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var scope: ScopeOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The n calls with the lowest mean score, the lowest first; calls without one, such as failed calls, come last. (The order of a report's \"Open these first\" is another: what is new that night, then one call of each kind.)",
      valueName: "n"))
  var worst: Int?

  @Flag(help: "Only calls that did not end as they should have.")
  var broken = false

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "A condition in SQL on the columns of table calls, on attributes (role, queue, …) and traits (video_codec, network_type, …).",
      valueName: "sql"))
  var condition: String?

  @OptionGroup var rows: RowOptions

  /// The columns shown to people.
  static let table = [
    "started_ms=when@moment", "call_id", "duration_ms=lasted@clock", "verdict", "score_mean=score@points",
    "setup_ms=setup@ms", "worst_problem",
  ]

  func validate() throws {
    guard worst.map({ $0 >= 0 }) ?? true else { throw ValidationError("--worst must not be negative.") }
  }

  func run() throws {
    let store = try database.open(.read)
    var scope = try scope.scope(rows, in: store)
    scope.worst = worst
    scope.broken = broken
    scope.sql = condition
    scope = try self.scope.narrowed(scope, in: store, quietly: rows.quiet)
    try condition.map { try Self.mustBeSQL($0, in: store) }
    // Ids may be ambiguous across runs, so show the run.
    let isMixed = try scope.run == nil && scope.latestRun == nil && Reports.runs(in: store).count > 1
    try rows.print(.calls, scope, from: store, table: (isMixed ? ["run"] : []) + Self.table)
    if worst != nil, rows.isForPeople, !rows.quiet {
      Entry.warn(
        "lowest mean score first; --broken lists calls that failed, which have none", prefixed: false)
    }
  }

  /// Checks the condition by itself, so that an error refers to it and not to the statement it becomes part of.
  private static func mustBeSQL(_ condition: String, in store: Store) throws {
    do {
      _ = try store.query("SELECT call_key FROM attributed_calls WHERE (\(condition)\n) LIMIT 0")
    } catch let error as StoreError where error.kind == .sql {
      throw Failure(
        .wrongCommandLine,
        "--where \(condition): \(error.what); `callqa schema` names the columns of view attributed_calls")
    }
  }
}
