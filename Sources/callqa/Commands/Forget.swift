import ArgumentParser
import CallStore

/// `callqa forget PERSON`: remove someone.
struct Forget: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove a person: name, ids and addresses, wherever the database has them. The figures stay.",
    discussion: """
      The files that were imported are not touched: delete them too, or importing them again brings the person back.

      Example:
        callqa forget alice@example.com
      """)

  @Argument(
    help: ArgumentHelp("User id, display name, phone number or SIP URI, in full.", valueName: "person"))
  var person: String

  @OptionGroup var database: DatabaseOptions

  @Flag(help: "No notes on stderr.")
  var quiet = false

  func validate() throws {
    guard person.utf8.count >= 3 else {
      throw ValidationError("'\(person)' is too short: it would be removed from within other words.")
    }
  }

  func run() throws {
    let forgotten = try database.open(.existing, quiet: quiet).forget(person: person)
    guard !quiet else { return }
    Entry.complain(
      forgotten.isNothing
        ? "nobody of that name is known"
        : "removed from \(forgotten.calls) calls and \(forgotten.texts) texts besides")
  }
}
