import ArgumentParser

/// `callqa findings`: lists problems other than a low score.
struct Findings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "What is wrong beside the score, with its evidence.",
    discussion: """
      Example:
        callqa findings worst
      """)

  @OptionGroup var call: ListedCall
  @OptionGroup var list: ListOptions

  func run() throws {
    try list.print(
      .findings, ofCall: call.name,
      table: ["call_id", "endpoint", "severity", "code", "start_ms", "text"])
  }
}
