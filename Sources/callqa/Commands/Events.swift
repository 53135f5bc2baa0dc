import ArgumentParser

/// `callqa events`: lists events in order.
struct Events: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "What happened, in order, under its canonical name and its own.",
    discussion: """
      Example:
        callqa events last --csv
      """)

  @Argument(
    help: ArgumentHelp(
      "A call: its id or the beginning of it, last, worst (default: every call).", valueName: "call"))
  var call: String?

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var scope: ScopeOptions
  @OptionGroup var rows: RowOptions

  func run() throws {
    let store = try database.open(.read)
    var scope = try scope.scope(rows, in: store, ofCall: call)
    scope = try self.scope.narrowed(scope, in: store, quietly: rows.quiet)
    try rows.print(
      .events, scope, from: store,
      table: ["call_id", "endpoint", "t_ms", "event", "raw", "anomaly"])
  }
}
