import ArgumentParser

/// `callqa findings`: lists problems other than a low score.
struct Findings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "What is wrong beside the score, with its evidence.",
    discussion: """
      Example:
        callqa findings worst
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
      .findings, scope, from: store,
      table: ["call_id", "endpoint", "severity", "code", "start_ms", "text"])
  }
}
