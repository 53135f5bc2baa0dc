import ArgumentParser
import CallStore

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
    try view.show(try key(in: store), in: store)
  }

  /// The call, or an error that names no more people than the call would.
  private func key(in store: Store) throws -> Int64 {
    do {
      return try store.call(named: call)
    } catch let failure as Failure where view.hidesPeople {
      throw Failure(failure.status, try PeopleMask(of: store).applied(to: failure.message))
    }
  }
}
