import ArgumentParser
import CallViews
import Rendering

/// `callqa find TEXT`: finds a call.
struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Which call is this: any id, ICE ufrag, SSRC, ip:port, or person a ticket names.",
    usage: "callqa find <text> [<options>]",
    discussion: """
      A person whom no id names is looked for in the arguments of events, however the name is spelled.

      Example:
        callqa find 192.0.2.2:36087
        callqa find 0x1c6db39f
        callqa find alice@example.com
      """)

  @Argument(help: ArgumentHelp("The text to look for.", valueName: "text"))
  var text: String

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var rows: RowOptions

  func run() throws {
    let store = try database.open(.read)
    let found = try CallSearch(text).rows(in: store, limit: rows.limit ?? 1000)
    let picked = rows.pick(
      from: CallSearch.columns, table: CallSearch.columns.dropLast() + ["score_mean=score@points"])
    var printer = try rows.printer(columns: picked.names)
    for row in found { try printer.row(row) }
    if !found.isEmpty || !rows.isForPeople { try printer.finish() }
    // Report through the exit code that no call was found, as for an unknown id, so that scripts can test it.
    guard found.isEmpty, rows.limit != 0 else { return }
    throw Failure(
      .wrongCommandLine,
      "no call matches '\(VisibleText.visible(text))': `callqa find --help` says what is looked for, `callqa calls --run all` lists all calls"
    )
  }
}
