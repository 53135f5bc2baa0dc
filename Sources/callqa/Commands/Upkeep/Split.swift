import ArgumentParser
import Assessing
import CallModel
import IO

/// `callqa split CALL ENDPOINT`: separates an end that belongs to another call.
struct Split: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Say that an end does not belong to a call; survives a re-import.",
    discussion: """
      Example:
        callqa split c-1a2b callee
      """)

  @Argument(help: ArgumentHelp("A call: its id or the beginning of it, last, worst.", valueName: "call"))
  var call: String

  @Argument(help: ArgumentHelp("The end that is to leave it.", valueName: "endpoint"))
  var endpoint: String

  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let store = try database.open(.existing)
    let key = try store.call(named: call, latest: false)
    let ends = try store.endpoints(ofCall: key).map(\.name)
    guard ends.contains(endpoint), ends.count > 1 else {
      throw Failure(
        .wrongCommandLine,
        ends.contains(endpoint)
          ? "'\(endpoint)' is the only end of that call"
          : "that call has no end '\(endpoint)', but \(ends.joined(separator: ", "))")
    }
    let calls = try store.split(key, endpoint: endpoint, atMs: WallClock.nowMs)
    try Assessor(store: store).assessStale()
    let names = try calls.compactMap { try store.call($0)?.id }
    Entry.warn("now \(Plural.of(names.count, "call")): \(names.joined(separator: ", "))")
  }
}
