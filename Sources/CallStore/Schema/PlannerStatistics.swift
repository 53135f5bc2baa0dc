import SQLite

/// What SQLite's planner knows of the sizes of tables.
///
/// A table with few rows is read as a whole wherever a row of it is looked for. A plan is made once for an import, which
/// may turn one call into a hundred thousand: so no table is counted as having fewer rows than `fewest`.
struct PlannerStatistics {
  let connection: Connection

  private static let fewest = 1000

  /// Counts again what has grown. Part of a transaction.
  func update() throws {
    // Sampling a thousand rows of an index is as good as reading millions.
    try connection.execute("PRAGMA analysis_limit = 1000; PRAGMA optimize")
    try raise()
  }

  /// Counts everything if nothing was counted yet. Part of a transaction.
  ///
  /// `PRAGMA optimize` only considers tables that this connection has queried: none, if an earlier gathering was cut off
  /// and all of its parts are known.
  func makeIfMissing() throws {
    guard try !areMade else { return }
    try connection.execute("ANALYZE")
    try raise()
  }

  /// Whether a table is counted as having fewer rows, as earlier versions left it.
  var haveSmallTables: Bool {
    get throws {
      try areMade && connection.first("SELECT 1 FROM sqlite_stat1 WHERE \(Self.isSmall) LIMIT 1") != nil
    }
  }

  /// Counts tables of fewer rows as having `fewest`.
  func raise() throws {
    guard try haveSmallTables else { return }
    try connection.execute(
      """
      UPDATE sqlite_stat1 SET stat = '\(Self.fewest)' || substr(stat, instr(stat || ' ', ' ')) WHERE \(Self.isSmall);
      ANALYZE sqlite_schema
      """)
  }

  // The number of rows comes first.
  private static let isSmall = "CAST(stat AS INTEGER) < \(fewest)"

  private var areMade: Bool {
    get throws { try connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'") != nil }
  }
}
