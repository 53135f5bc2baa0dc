/// One step from a version of the schema to the next.
struct Migration: Sendable {
  /// The schema version after the step.
  let version: Int
  /// Statements that migrate from the previous version; the first step creates the database in an empty file.
  let sql: String

  /// All steps, starting from an empty file. A released step is never changed: later changes are new steps.
  static let all: [Migration] = [
    // Earlier versions only existed during development, and were never released.
    Migration(
      version: 20,
      sql: [
        SourceTables.ddl, CallTables.ddl, ClockTable.ddl, AliasTables.ddl, AttributeTables.ddl,
        StreamTables.ddl, JudgementTables.ddl, PartTables.ddl,
      ].joined(separator: "\n"))
  ]

  /// The version this callqa reads and writes.
  static var current: Int { all.last?.version ?? 0 }
}
