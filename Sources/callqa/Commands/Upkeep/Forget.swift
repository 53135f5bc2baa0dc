import ArgumentParser
import CallViews
import Rendering
import Reporting

/// `callqa forget PERSON`: remove someone.
struct Forget: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove a person: name, ids and addresses, wherever the database has them. The figures stay.",
    discussion: """
      The name is found however it is spelled: in capitals, with %40, with a URI's scheme, a number with its separators. \
      Whole words and numbers are compared: `forget Ann` leaves Anna alone, and also removes "Ann Lee". Give the name in \
      full: only importing the files again brings back what was removed.

      The files that were imported are not touched: delete them too, or importing them again brings the person back. Exit \
      code 1 says that `callqa find` still finds something of that name.

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
    let store = try database.open(.existing, quiet: quiet)
    let forgotten = try store.forget(person: person)
    if !quiet {
      Entry.complain(
        forgotten.isNothing
          ? "nobody of that name is known"
          : "removed from \(forgotten.calls) \(forgotten.calls == 1 ? "call" : "calls") and \(forgotten.texts) "
            + "other \(forgotten.texts == 1 ? "text" : "texts")")
    }
    let left = try CallSearch(person).rows(in: store, limit: 1000)
    guard !left.isEmpty else { return }
    throw Failure(
      .someRefused,
      "`callqa find` still finds '\(VisibleText.visible(person))' in \(left.count) \(left.count == 1 ? "place" : "places"), within longer "
        + "names or numbers: forget those too if they are the same person's")
  }
}
