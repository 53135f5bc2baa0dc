import ArgumentParser
import CallModel
import CallStore

/// `callqa calls`: a row a call.
struct Calls: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calls",
    abstract: "A row a call: when, how it ended, how good it was, why not better.",
    discussion: """
      Example:
        callqa calls --worst 5
        callqa calls --run 2026-11-21 --broken --json
        callqa calls --verdict silent,no-picture
        callqa calls --where "setup_ms > 3000"
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var scope: ScopeOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The n calls with the lowest mean score.", valueName: "n"))
  var worst: Int?

  @Option(
    help: ArgumentHelp(
      "Only calls of this verdict (\(Verdict.Word.allCases.map(\.rawValue).joined(separator: ", "))), or of several (a,b); may be repeated.",
      valueName: "word"))
  var verdict: [VerdictChoice] = []

  @Flag(help: "Only calls that did not end as they should have.")
  var broken = false

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "A condition in SQL on the columns of table calls, and on attributes (role, queue, …).",
      valueName: "sql"))
  var condition: String?

  @OptionGroup var rows: RowOptions

  /// What people see of a call in a list.
  static let table = [
    "call_id", "started_ms", "duration_ms=lasted@clock", "verdict", "outcome", "score_mean=score@points",
    "score_p10=p10@points", "top_cause=cause", "setup_ms=setup@ms",
  ]

  func validate() throws {
    guard worst.map({ $0 >= 0 }) ?? true else { throw ValidationError("--worst must not be negative.") }
  }

  func run() throws {
    var scope = try scope.scope(zone: rows.zone)
    scope.worst = worst
    scope.verdicts = verdict.flatMap(\.words)
    scope.broken = broken
    scope.sql = condition
    let store = try database.open(.read)
    try condition.map { try Self.mustBeSQL($0, in: store) }
    try rows.print(.calls, scope, from: store, table: Self.table)
  }

  /// A mistake in the condition is shown in it, and not in the statement it becomes a part of.
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

extension Verdict.Word: ExpressibleByArgument {}

/// One verdict on the command line, or several with commas between them.
struct VerdictChoice: ExpressibleByArgument {
  let words: [Verdict.Word]

  /// Nil where one of them is none.
  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    words = parts.compactMap { Verdict.Word(rawValue: String($0)) }
    guard words.count == parts.count else { return nil }
  }
}
