import ArgumentParser
import Assessing
import IO
import Rendering

/// `callqa link CALL CALL`: merges two calls that are one.
struct Link: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Say that two calls of a run are one; survives a re-import.",
    discussion: """
      Example:
        callqa link c-1a2b c-9f8e
      """)

  @Argument(help: ArgumentHelp("A call: its id or the beginning of it, last, worst.", valueName: "call"))
  var first: String

  @Argument(help: ArgumentHelp("The other one.", valueName: "call"))
  var second: String

  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let store = try database.open(.existing)
    let (left, right) = (
      try store.call(named: first, latest: false), try store.call(named: second, latest: false)
    )
    guard left != right else {
      // A previous link may have been killed after merging, before the call was judged.
      try Assessor(store: store).assessStale()
      throw Failure(.wrongCommandLine, "'\(first)' and '\(second)' are one call already")
    }
    let runs = try [left, right].map { try store.call($0)?.run }
    guard runs[0] == runs[1] else {
      let names = runs.map { $0.map { "run '\(VisibleText.visible($0))'" } ?? "no run" }
      throw Failure(
        .wrongCommandLine,
        "'\(first)' is of \(names[0]) and '\(second)' of \(names[1]), and a call is of one run: import the files of both "
          + "with the same --run, into a new database")
    }
    guard let call = try store.link(left, right, atMs: WallClock.nowMs) else {
      throw Failure(.wrongCommandLine, "one of the two calls has no sources: there is nothing to link")
    }
    try Assessor(store: store).assessStale()
    Entry.warn("they are one call now: \(try store.call(call)?.id ?? "?")")
  }
}
