import ArgumentParser
import CallStore
import Rendering

/// Selects the database: `--db`, else `CALLQA_DB`, else `callqa.sqlite` in the current folder.
struct DatabaseOptions: ParsableArguments {
  @Option(
    name: .customLong("db"),
    help: ArgumentHelp("The SQLite file (default: $CALLQA_DB, else callqa.sqlite here).", valueName: "file"))
  var path: String?

  /// The path to use.
  var resolved: String { path ?? Surroundings.variable("CALLQA_DB") ?? "callqa.sqlite" }

  /// Opens the database. It is created only for write access.
  func open(_ access: Store.Access, mode: UInt16 = 0o600, quiet: Bool = false) throws -> Store {
    try Store(
      path: resolved, access: access, mode: mode,
      onWait: { if !quiet { Entry.warn($0) } })
  }
}
