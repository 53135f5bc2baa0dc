import ArgumentParser

/// `callqa sessions`: lists logins and similar attempts with their results.
struct Sessions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "Logins, registrations, tokens and pushes: one row per attempt, even if no call followed.",
    discussion: """
      Example:
        callqa sessions
        callqa sessions --run 2026-11-21 --json
      """)

  @Argument(
    help: ArgumentHelp(
      "A call: its id or the beginning of it, last, worst (default: every source).", valueName: "call"))
  var call: String?

  @OptionGroup var list: ListOptions

  func run() throws {
    try list.print(
      .sessions, ofCall: call,
      table: ["started_ms=when@moment", "kind", "outcome", "duration_ms=took@ms", "code", "call_id"])
  }
}
