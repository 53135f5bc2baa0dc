/// One step from a version of the schema to the next.
struct Migration: Sendable {
  /// The version the database has after the step.
  let version: Int
  /// Statements that turn the version before into this one; the first step makes an empty file a database.
  let sql: String

  /// Every step from an empty file on. A step that was released is never changed: what comes later is a new step.
  static let all: [Migration] = [
    // Versions before this one were of callqa's development, and no release wrote them.
    Migration(
      version: 19,
      sql: [
        SourceTables.ddl, CallTables.ddl, ClockTable.ddl, AliasTables.ddl, AttributeTables.ddl,
        StreamTables.ddl, JudgementTables.ddl, PartTables.ddl,
      ].joined(separator: "\n"))
  ]

  /// The version this callqa reads and writes.
  static var current: Int { all.last?.version ?? 0 }
}
