import ArgumentParser
import CallStore

/// `callqa setup`: where the setup time went.
struct Setup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Where the setup time of each end went.",
    discussion: """
      Example:
        callqa setup last
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
    var scope = try scope.scope(zone: rows.zone)
    scope.calls = try call.map { [try store.call(named: $0)] }
    try rows.print(
      .setup, scope, from: store,
      table: [
        "call_id", "endpoint", "attempt", "direction", "outcome", "setup_ms", "setup_wall_ms",
        "post_dial_delay_ms",
      ])
  }
}
