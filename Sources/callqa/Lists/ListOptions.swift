import ArgumentParser
import CallStore

/// The call of which a command lists the rows; every call if none is named.
struct ListedCall: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "A call: its id or the beginning of it, last, worst (default: every call).", valueName: "call"))
  var name: String?
}

/// Options of the commands that list rows: where from, which, and how they are printed.
struct ListOptions: ParsableArguments {
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var scope: ScopeOptions
  @OptionGroup var rows: RowOptions

  /// Opens the database.
  func open() throws -> Store { try database.open(.read, quiet: rows.quiet) }

  /// Prints the rows of a listing, of one call if one is named. See `RowOptions.print`.
  func print(
    _ listing: Listing, ofCall call: String? = nil, table columns: [String], onlyWhere flag: String? = nil
  ) throws {
    let store = try open()
    try print(
      listing, scope.scope(rows, in: store, ofCall: call), from: store, table: columns, onlyWhere: flag)
  }

  /// Prints the rows of a listing in a scope that may have to be narrowed to the latest run.
  func print(
    _ listing: Listing, _ scope: CallScope, from store: Store, table columns: [String],
    onlyWhere flag: String? = nil
  ) throws {
    let narrowed = try self.scope.narrowed(scope, in: store, quietly: rows.quiet)
    try rows.print(listing, narrowed, from: store, table: columns, onlyWhere: flag)
  }
}
