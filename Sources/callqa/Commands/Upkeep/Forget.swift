import ArgumentParser
import CallModel
import CallStore
import CallViews
import Rendering

/// `callqa forget PERSON`: removes a person from the database.
struct Forget: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove a person: name, ids and addresses, wherever the database has them. The figures stay.",
    discussion: """
      The name is found however it is spelled: in capitals, with %40, with a URI's scheme, a number with its separators. \
      Whole words and numbers are compared: `forget Ann` leaves Anna alone, and also removes "Ann Lee". Give the name in \
      full, and look at --dry-run first: only importing the files again brings back what was removed.

      The files that were imported are not touched: delete them too, or importing them again brings the person back. Exit \
      code 1 says that `callqa find` still finds something of that name.

      Example:
        callqa forget alice@example.com --dry-run
        callqa forget alice@example.com
      """)

  @Argument(
    help: ArgumentHelp("User id, display name, phone number or SIP URI, in full.", valueName: "person"))
  var person: String

  @Flag(
    name: .customLong("dry-run"),
    help: "Remove nothing; print whose names would be removed, and from how much.")
  var isTrial = false

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
    let forgotten = try store.forget(person: person, trial: isTrial)
    if isTrial {
      let output = Output.standard()
      try output.write(Self.words(forgotten, "would be removed") + "\n")
      return try output.flush()
    }
    if !quiet { Entry.warn(Self.words(forgotten, "removed")) }
    let left = try CallSearch(person).rows(in: store, limit: 1000)
    guard !left.isEmpty else { return }
    throw Failure(
      .someRefused,
      "`callqa find` still finds '\(VisibleText.visible(person))' in \(Plural.of(left.count, "place")), within longer "
        + "names or numbers: forget those too if they are the same person's")
  }

  /// Maximum number of names listed individually.
  private static let most = 20

  /// `removed from 2 calls and 5 other texts: 'Ann', 'Ann Lee'`.
  private static func words(_ forgotten: ForgetResult, _ what: String) -> String {
    guard !forgotten.isNothing else { return "no person of that name is known" }
    let names = forgotten.names.prefix(most).map { "'\(VisibleText.visible($0))'" }
    let more = forgotten.names.count - names.count
    let list = (names + (more > 0 ? ["\(more) more"] : [])).joined(separator: ", ")
    return
      "\(what) from \(Plural.of(forgotten.calls, "call")) and \(Plural.of(forgotten.texts, "other text"))"
      + (list.isEmpty ? "" : ": \(list)")
  }
}
