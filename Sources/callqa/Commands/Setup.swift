import ArgumentParser
import CallViews
import Rendering
import Reporting

/// `callqa setup`: shows how the setup time is divided into phases.
struct Setup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Where the setup time of each end went.",
    discussion: """
      Example:
        callqa setup last            the waterfall of one call
        callqa setup --json          every call, every phase
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
    if call != nil, rows.rowFormat == .table, let key = scope.calls?.first,
      let account = try CallAccount(of: key, in: store)
    {
      return try draw(account)
    }
    scope = try self.scope.narrowed(scope, in: store, quietly: rows.quiet)
    try rows.print(
      .setup, scope, from: store,
      table: [
        "call_id", "endpoint", "attempt", "direction", "outcome", "setup_ms=setup@ms",
        "setup_wall_ms=wall@ms",
        "post_dial_delay_ms=post_dial@ms",
      ])
  }

  private func draw(_ account: CallAccount) throws {
    let output = Output.standard()
    let terminal = TerminalFacts.of(zone: rows.zone)
    try output.write(terminal.displayable(CallText(account, for: terminal).setupText))
    try output.flush()
  }
}
