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

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var scope: ScopeOptions
  @OptionGroup var rows: RowOptions

  func run() throws {
    let store = try database.open(.read, quiet: rows.quiet)
    let scope = try scope.narrowed(scope.scope(rows, in: store), in: store, quietly: rows.quiet)
    try rows.print(
      .rejects, scope, from: store,
      table: ["source", "line", "frame", "byte", "reason", "count", "excerpt"])
  }
}
