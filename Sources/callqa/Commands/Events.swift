import ArgumentParser

/// `callqa events`: lists events in order.
struct Events: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "What happened, in order, under its canonical name and its own.",
    discussion: """
      Example:
        callqa events last --csv
      """)

  @OptionGroup var call: ListedCall
  @OptionGroup var list: ListOptions

  func run() throws {
    try list.print(
      .events, ofCall: call.name,
      table: ["call_id", "endpoint", "t_ms", "event", "raw", "anomaly"])
  }
}
