import ArgumentParser

/// `callqa sources`: lists what each import read, guessed and rejected.
struct Sources: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sources",
    abstract: "One row per file an import found: what was taken from it, guessed, and refused.",
    usage: "callqa sources [<options>]",
    discussion: """
      Example:
        callqa sources
        callqa sources --run 2026-11-21 --json
      """)

  @OptionGroup var list: ListOptions

  func run() throws {
    try list.print(
      .sources,
      table: [
        "path", "format", "status", "calls[]", "streams", "chosen_streams=chosen", "samples", "events",
        "rejected", "reason",
        "notes[]",
      ])
  }
}
