import ArgumentParser
import CallViews
import Rendering

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

  @OptionGroup var call: ListedCall
  @OptionGroup var list: ListOptions

  func run() throws {
    let store = try list.open()
    let scope = try list.scope.scope(list.rows, in: store, ofCall: call.name)
    if call.name != nil, list.rows.rowFormat == .table, let key = scope.calls?.first,
      let account = try CallAccount(of: key, in: store)
    {
      return try draw(account)
    }
    try list.print(
      .setup, scope, from: store,
      table: [
        "call_id", "endpoint", "attempt", "direction", "outcome", "setup_ms=setup@ms",
        "setup_wall_ms=wall@ms",
        "post_dial_delay_ms=post_dial@ms",
      ])
  }

  private func draw(_ account: CallAccount) throws {
    let output = Output.standard()
    let terminal = TerminalFacts.of(zone: list.rows.zone)
    try output.write(terminal.displayable(CallText(account, for: terminal).setupText))
    try output.flush()
  }
}
