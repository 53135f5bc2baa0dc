import ArgumentParser

/// `callqa call ID`: shows one call in words and figures.
struct Call: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "One call: what happened in words, setup, score with causes, findings, events.",
    usage: "callqa call <call> [<options>]",
    discussion: """
      Example:
        callqa call worst
        callqa call last --html call.html --open
        callqa call t17 --at 14:03:10   what held then; +0:42 is from the start
      """)

  @Argument(help: ArgumentHelp("The call: its id or the beginning of it, last, worst.", valueName: "call"))
  var call: String

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var view: CallViewOptions

  func run() throws {
    let store = try database.open(.read)
    try view.show(try store.call(named: call), in: store)
  }
}
