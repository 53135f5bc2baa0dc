import ArgumentParser
import CallStore

/// `callqa mark CALL`: leave a call out of what counts, or call its failure known.
struct Mark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Leave a call out of what is counted, or mark its failure as known.",
    usage: "callqa mark <call> [<options>]",
    discussion: """
      An excluded call counts nowhere. A known failure is shown, and blocks nothing.

      Example:
        callqa mark 3f2a --exclude "rig fault: no microphone"
        callqa mark 3f2a --known BUG-1234
        callqa mark 3f2a --clear
      """)

  @Argument(help: ArgumentHelp("A call: its id or the beginning of it, last, worst.", valueName: "call"))
  var call: String

  @Option(help: ArgumentHelp("Why the call does not count.", valueName: "reason"))
  var exclude: String?

  @Option(help: ArgumentHelp("The ticket of a failure that is known.", valueName: "ticket"))
  var known: String?

  @Flag(help: "Take both marks away.")
  var clear = false

  @OptionGroup var database: DatabaseOptions

  func validate() throws {
    guard clear != (exclude != nil || known != nil) else {
      throw ValidationError("Say one of --exclude REASON, --known TICKET (or both), and --clear.")
    }
    guard exclude?.isEmpty != true, known?.isEmpty != true else {
      throw ValidationError("A reason and a ticket must not be empty.")
    }
  }

  func run() throws {
    let store = try database.open(.existing)
    let key = try store.call(named: call)
    try store.transaction {
      if exclude != nil || clear { try store.exclude(call: key, reason: exclude) }
      if known != nil || clear { try store.markKnown(call: key, ticket: known) }
    }
  }
}
