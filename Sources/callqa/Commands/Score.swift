import ArgumentParser
import Assessing
import CallModel
import CallStore
import Scoring

/// `callqa score`: a row a window.
struct Score: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The 0–100 score, a row for every 5 s, with the points each cause took.",
    discussion: """
      Windows are anchored at the first remote media. Silent and unscored ones have no score; a stalled one scores 0.

      Example:
        callqa score worst
        callqa score last --changes          what a client's callback would have reported
        callqa score last --source all --json
      """)

  /// Whose windows.
  enum Source: String, CaseIterable, ExpressibleByArgument {
    case stats, capture, all
  }

  @Argument(
    help: ArgumentHelp(
      "A call: its id or the beginning of it, last, worst (default: every call).", valueName: "call"))
  var call: String?

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var scope: ScopeOptions

  @Option(
    help: "Windows from statistics, from a capture, or both (default: the source that judges each end).")
  var source: Source?

  @Flag(help: "Only where the integer changed: what a client's callback would have reported.")
  var changes = false

  @OptionGroup var rows: RowOptions

  func run() throws {
    let store = try database.open(.read)
    var scope = try scope.scope(zone: rows.zone)
    scope.calls = try call.map { [try store.call(named: $0)] }
    scope.changes = changes
    scope.source = source.flatMap { StreamSource(rawValue: $0.rawValue) }
    scope.allWindows = source == .all
    try rows.print(
      .score, scope, from: store,
      table: [
        "call_id", "endpoint", "start_ms", "state", "score", "points_lost.loss=loss",
        "points_lost.jitter=jitter",
        "points_lost.delay=delay", "points_lost.freeze=freeze", "points_lost.framerate=fps",
        "points_lost.resolution=px", "points_lost.bitrate=rate",
      ])
  }
}
