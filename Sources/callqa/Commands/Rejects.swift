import ArgumentParser

/// `callqa rejects`: lists every line, record or packet that was not imported.
struct Rejects: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rejects",
    abstract: "One row per line, record or packet that was not taken: where it was, and why.",
    usage: "callqa rejects [<options>]",
    discussion: """
      What a line held is stored only by `import --keep-unknown`, without secrets.

      Example:
        callqa rejects --run 2026-11-21
      """)

  @OptionGroup var list: ListOptions

  func run() throws {
    try list.print(
      .rejects,
      table: ["source", "line", "frame", "byte", "reason", "count", "excerpt"])
  }
}
