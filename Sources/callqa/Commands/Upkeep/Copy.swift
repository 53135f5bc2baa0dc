import ArgumentParser
import CallModel
import CallStore
import Glibc

/// `callqa copy CALL… --to FILE`: copies calls into a separate database, e.g. for a ticket.
struct Copy: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy calls, with all they rest on, into a database of their own.",
    usage: "callqa copy <call> ... --to <file> [<options>]",
    discussion: """
      Example:
        callqa copy worst --to ticket-1234.sqlite
        callqa call worst --db ticket-1234.sqlite
      """)

  @Argument(help: ArgumentHelp("Calls: ids or their beginnings, last, worst.", valueName: "call"))
  var calls: [String]

  @Option(name: .customLong("to"), help: ArgumentHelp("The file to make.", valueName: "file"))
  var target: String

  @Option(help: ArgumentHelp("Permissions of the file, e.g. 0640.", valueName: "octal"))
  var mode: String = "0600"

  @Flag(
    name: .customLong("hide-people"), help: "Leave people and addresses behind, for what leaves this machine."
  )
  var hidesPeople = false

  @OptionGroup var database: DatabaseOptions

  @Flag(help: "No notes on stderr.")
  var quiet = false

  func validate() throws {
    try ModeOptions.check(mode)
  }

  func run() throws {
    guard access(target, F_OK) != 0 else {
      throw Failure(.wrongCommandLine, "\(target) is there already; calls are copied into a new database")
    }
    let store = try database.open(.read, quiet: quiet)
    let keys = try calls.map { try store.call(named: $0, latest: false) }
    let count = try store.copy(calls: keys, to: target, mode: UInt16(mode, radix: 8) ?? 0o600)
    if hidesPeople {
      let copy = try Store(path: target, access: .existing)
      _ = try copy.prune(peopleBefore: .greatestFiniteMagnitude)
    }
    if !quiet { Entry.warn("\(target): \(Plural.of(count, "call"))") }
  }
}
