import ArgumentParser
import CallViews
import Rendering

/// `callqa diff A B`: shows two calls side by side.
struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Two calls side by side, point by point.",
    usage: "callqa diff <call> <call> [<options>]",
    discussion: """
      Example:
        callqa diff t00-clean t17-combo
        callqa diff 2026-11-20/c17 2026-11-21/c17
        callqa diff healthy bad --json   one line per point, numbers as measured
      """)

  @Argument(
    help: ArgumentHelp("A call: its id or the beginning of it, RUN/ID, last, worst.", valueName: "call"))
  var first: String

  @Argument(help: ArgumentHelp("The call to compare it with.", valueName: "call"))
  var second: String

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var rows: RowOptions

  func run() throws {
    let store = try database.open(.read)
    let accounts = try [first, second].map { word in
      guard let account = try CallAccount(of: try store.call(named: word), in: store) else {
        throw Failure(.storeFailed, "the call is no longer there")
      }
      return account
    }
    let points = DiffPoints(accounts[0], accounts[1]).all.prefix(rows.limit ?? .max)
    guard rows.rowFormat == .table else {
      var printer = try rows.printer(columns: DiffPoint.columns)
      for point in points { try printer.row(point.cells) }
      return try printer.finish()
    }
    let output = Output.standard()
    let terminal = TerminalFacts.of(zone: rows.zone)
    let text = DiffText(Array(points), of: accounts.map(\.call.id), for: terminal)
    try output.write(terminal.displayable(text.text))
    try output.flush()
  }
}
