import ArgumentParser

/// `callqa sessions`: lists logins and similar attempts with their results.
struct Sessions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "Logins, registrations, tokens and pushes: one row per attempt, even if no call followed.",
    discussion: """
      Example:
        callqa sessions
        callqa sessions --run 2026-11-21 --json
      """)

  @Argument(
    help: ArgumentHelp(
      "A call: its id or the beginning of it, last, worst (default: every source).", valueName: "call"))
  var call: String?

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var scope: ScopeOptions
  @OptionGroup var rows: RowOptions

  func run() throws {
    let store = try database.open(.read, quiet: rows.quiet)
    var scope = try scope.scope(rows, in: store, ofCall: call)
    scope = try self.scope.narrowed(scope, in: store, quietly: rows.quiet)
    try rows.print(
      .sessions, scope, from: store,
      table: ["started_ms=when@moment", "kind", "outcome", "duration_ms=took@ms", "code", "call_id"])
  }
}
