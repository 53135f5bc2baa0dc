import ArgumentParser
import IO

/// `callqa accept RUN`: makes a run the baseline.
struct Accept: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Make a run the baseline that later ones are compared with.",
    discussion: """
      The latest accepted run of each SDK is its baseline, `last-accepted`.

      Example:
        callqa accept 2026-11-20
        callqa accept last --sdk pexip --sdk rebtel
      """)

  @Argument(help: ArgumentHelp("A run, or `last`.", valueName: "run"))
  var name: String

  @Option(
    help: ArgumentHelp("Only for this SDK; may be repeated (default: all of the run's).", valueName: "sdk"))
  var sdk: [String] = []

  @Flag(help: "Take the acceptance back.")
  var undo = false

  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let store = try database.open(.existing)
    guard let run = try Reports.run(name, in: store).run else { return }
    if undo { return try store.unaccept(run: run) }
    let accepted = try store.accept(run: run, sdks: sdk.isEmpty ? nil : sdk, atMs: WallClock.nowMs)
    guard !accepted.isEmpty else {
      throw Failure(
        .wrongCommandLine,
        "run '\(run)' has no calls\(sdk.isEmpty ? "" : " of \(sdk.joined(separator: ", "))")")
    }
    let names = accepted.map { $0.isEmpty ? "calls of unknown SDK" : $0 }.joined(separator: ", ")
    Entry.warn("\(run) is now the baseline for \(names)")
  }
}
