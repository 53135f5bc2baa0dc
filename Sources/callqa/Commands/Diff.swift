import ArgumentParser
import CallModel
import CallStore
import Reporting

/// `callqa diff A B`: two calls side by side.
struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Two calls side by side, point by point.",
    discussion: """
      Example:
        callqa diff t00-clean t17-combo
        callqa diff 2026-11-20/c17 2026-11-21/c17
      """)

  @Argument(
    help: ArgumentHelp("A call: its id or the beginning of it, RUN/ID, last, worst.", valueName: "call"))
  var first: String

  @Argument(help: ArgumentHelp("The call to compare it with.", valueName: "call"))
  var second: String

  @OptionGroup var database: DatabaseOptions

  @Option(help: ArgumentHelp("Time zone, e.g. Europe/Berlin (default: local).", valueName: "zone"))
  var tz: String?

  func validate() throws { try CallViewOptions.check(zone: tz) }

  func run() throws {
    let store = try database.open(.read)
    let accounts = try [first, second].map { word in
      guard let account = try CallAccount(of: try store.call(named: word), in: store) else {
        throw Failure(.storeFailed, "the call is no longer there")
      }
      return account
    }
    let terminal = TerminalFacts.of(zone: tz.flatMap(Zone.init(named:)) ?? .local())
    let output = Output.standard()
    try output.write(DiffText(accounts[0], accounts[1], for: terminal).text)
    try output.flush()
  }
}
