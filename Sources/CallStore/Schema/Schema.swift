import SQLite

/// Creates and upgrades the tables of a database.
///
/// CHECK constraints use OR: for IN with more than two values, SQLite builds a temporary table for each checked row,
/// which costs more than inserting the row.
struct Schema {
  /// `CQA1`, in the file header: marks the SQLite database as one of callqa's.
  static let applicationID: Int64 = 0x4351_4131

  private let migrations: [Migration]

  /// The schema after these steps.
  init(migrations: [Migration] = Migration.all) { self.migrations = migrations }

  /// The state of a file.
  enum State: Equatable {
    case empty, current, foreign
    case older(Int)
    /// A version from which there is no migration.
    case tooOld(Int)
    case newer(Int)
  }

  /// Reads the header of a file; throws if it is not an SQLite database.
  func state(of connection: Connection) throws -> State {
    // Reads all three values in one query, or an import that is just creating the tables would look like another
    // program's file.
    let header = try connection.rows(
      """
      SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
        (SELECT count(*) FROM sqlite_schema)
      """
    ) { ($0.int64(0), $0.int64(1), $0.int64(2)) }
    guard let (application, version, tables) = header.first else { return .foreign }
    if application != Self.applicationID { return application == 0 && tables == 0 ? .empty : .foreign }
    let current = Int64(migrations.last?.version ?? 0)
    if version > current { return .newer(Int(version)) }
    if version < Int64(migrations.first?.version ?? 0) { return .tooOld(Int(version)) }
    return version == current ? .current : .older(Int(version))
  }

  /// Creates the tables of a database that goes with its connection. A view is made when a statement first asks for it:
  /// one file is shown with few of them, and to compile them all took as long as to read a short capture.
  func createInMemory(_ connection: Connection) throws {
    try connection.transaction { try connection.execute(Migration.tables) }
    connection.makeMissing = { [unowned connection] name in
      guard let view = Views.all.first(where: { $0.name == name }) else { return false }
      try connection.execute(view.sql)
      return true
    }
  }

  /// Makes the views of a database in memory that no statement has asked for.
  func createMissingViews(_ connection: Connection) throws {
    let known = Set(try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'view'") { $0.text(0) })
    for view in Views.all where !known.contains(view.name) { try connection.execute(view.sql) }
  }

  /// Upgrades a file to the current version in one transaction; does nothing if it is current.
  func upgrade(_ connection: Connection) throws {
    switch try state(of: connection) {
    case .current: return
    case .newer(let version): throw newer(connection.path, version)
    case .tooOld(let version): throw tooOld(connection.path, version)
    case .foreign: throw StoreError.notADatabase(connection.path)
    case .empty:
      // Only has an effect before the first table is created.
      try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    case .older: break
    }
    // A step may rebuild a table that others reference.
    try connection.execute("PRAGMA foreign_keys = OFF")
    try connection.transaction {
      // Another process may have upgraded it in the meantime.
      let from: Int
      switch try state(of: connection) {
      case .current: return
      case .newer(let version): throw newer(connection.path, version)
      case .tooOld(let version): throw tooOld(connection.path, version)
      case .foreign: throw StoreError.notADatabase(connection.path)
      case .empty: from = 0
      case .older(let version): from = version
      }
      try steps(after: from, on: connection)
    }
    try connection.execute("PRAGMA foreign_keys = ON")
  }

  private func steps(after version: Int, on connection: Connection) throws {
    let views = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'view'") { $0.text(0) }
    for view in views { try connection.execute("DROP VIEW \"\(view.replacing("\"", with: "\"\""))\"") }
    if version == 0 { try connection.execute(Migration.tables) }
    let from = version == 0 ? Migration.current : version
    for step in migrations where step.version > from { try connection.execute(step.sql) }
    for view in Views.all { try connection.execute(view.sql) }
    guard try version == 0 || !connection.prepare("PRAGMA foreign_key_check").step() else {
      throw StoreError(
        .damaged, path: connection.path, "it cannot be upgraded: rows refer to rows that are not there",
        remedy: "import the sources into a new database")
    }
    try connection.execute(
      "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(migrations.last?.version ?? 0)")
  }

  private func tooOld(_ path: String, _ version: Int) -> StoreError {
    StoreError(
      .older, path: path,
      "it was made by a callqa too old to be upgraded from (schema \(version); upgrades begin at \(migrations.first?.version ?? 0))",
      remedy: "import its sources into a new database")
  }

  private func newer(_ path: String, _ version: Int) -> StoreError {
    StoreError(
      .newer, path: path,
      "it was made by a newer callqa (schema \(version), this one knows \(migrations.last?.version ?? 0))",
      remedy: "upgrade callqa, or name another file with --db")
  }
}
