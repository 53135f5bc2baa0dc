/// One step from a version of the schema to the next.
struct Migration: Sendable {
  /// The version the database has after the step.
  let version: Int
  /// Statements that turn the version before into this one.
  let sql: String

  /// Every step from an empty file on. A step that was released is never changed: what comes later is a new step.
  static let all: [Migration] = [
    Migration(
      version: 1,
      sql: [
        SourceTables.ddl, CallTables.ddl, AliasTables.inOrderOfValues, StreamTables.streams,
        StreamTables.samples, StreamTables.paths,
        JudgementTables.ddl,
      ].joined(separator: "\n")),
    // Ends of before did not know their way and system.
    Migration(
      version: 2,
      sql: "UPDATE endpoints SET "
        + EndpointTraits.assignments(key: "endpoints.endpoint_key", userAgent: "user_agent", system: "os")
        + " WHERE network_type IS NULL AND candidate_type IS NULL"),
    // Attempts of before did not say where their totals begin.
    Migration(version: 3, sql: JudgementTables.setupStarts),
    // One clock that cannot be made a run of before the oldest or the latest.
    Migration(version: 4, sql: ClockTable.ddl),
    Migration(version: 5, sql: JudgementTables.findingsOfEnds),
    // Samples of before did not say what the far end had sent.
    Migration(version: 6, sql: StreamTables.sentByTheFarEnd),
    // What told of a session alone was a call before; samples did not say how many frames a camera or a screen gave.
    Migration(version: 7, sql: CallTables.idleConnections + ";\n" + StreamTables.givenBySources),
    // Paths of before did not say when the last packet had come.
    Migration(version: 8, sql: StreamTables.lastOnPaths),
    // Ids of before lay in the order of their texts.
    Migration(version: 9, sql: AliasTables.inOrderOfConnections),
    // Calls of before have no verdict.
    Migration(version: 10, sql: CallTables.verdicts + ";\n" + JudgementTables.spans),
    // What people know of calls had no place before.
    Migration(version: 11, sql: AttributeTables.ddl),
    // What logs tell without statistics was in their events alone.
    Migration(version: 12, sql: LoggedColumns.ddl),
    // Databases of before had no view of sessions.
    Migration(version: 13, sql: SessionsView.step),
    // Views for analysts are new, and one for conditions has more columns; an upgrade makes all views anew.
    Migration(version: 14, sql: SessionsView.step),
    // Samples of before did not say when what played was captured; windows and calls knew no coding as a cause.
    Migration(version: 15, sql: StreamTables.playedOut + ";\n" + JudgementTables.picture),
    // What other machines judged had no place before.
    Migration(version: 16, sql: PartTables.ddl),
    // What telephones said of calls was in their reports alone.
    Migration(version: 17, sql: LoggedColumns.opinion),
    // A flipped bit in a stored sample could not be told.
    Migration(version: 18, sql: StreamTables.checksums),
  ]

  /// What the steps do to an empty file, each table by itself: whatever changes a table makes SQLite read all that are there
  /// again, so that they are changed while there are few. A test holds the two together.
  static let inEmptyFile: [String] = [
    JudgementTables.ddl, JudgementTables.setupStarts, JudgementTables.findingsOfEnds, JudgementTables.spans,
    StreamTables.samples, StreamTables.sentByTheFarEnd, StreamTables.givenBySources, StreamTables.playedOut,
    StreamTables.paths, StreamTables.lastOnPaths,
    CallTables.ddl, CallTables.idleConnections, CallTables.verdicts, LoggedColumns.ddl, AliasTables.ddl,
    AliasTables.triggers,
    SourceTables.ddl, StreamTables.streams, StreamTables.checksums, ClockTable.ddl,
    AttributeTables.ddl, JudgementTables.picture, PartTables.ddl, LoggedColumns.opinion,
  ]

  /// The version this callqa reads and writes.
  static var current: Int { all.last?.version ?? 0 }
}
