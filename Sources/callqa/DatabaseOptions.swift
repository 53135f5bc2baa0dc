import ArgumentParser
import CallStore
import Glibc

/// Selects the database: `--db`, else `CALLQA_DB`, else `callqa.sqlite` in the current folder.
struct DatabaseOptions: ParsableArguments {
  @Option(
    name: .customLong("db"),
    help: ArgumentHelp("The SQLite file (default: $CALLQA_DB, else callqa.sqlite here).", valueName: "file"))
  var path: String?

  /// The path to use.
  var resolved: String {
    // An empty variable counts as unset.
    let variable = getenv("CALLQA_DB").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    return path ?? variable ?? "callqa.sqlite"
  }

  /// Opens the database. It is created only for write access.
  func open(_ access: Store.Access, mode: UInt16 = 0o600, quiet: Bool = false) throws -> Store {
    try Store(
      path: resolved, access: access, mode: mode,
      onWait: { if !quiet { Entry.warn($0) } })
  }
}
