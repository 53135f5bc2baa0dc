/// One step from a version of the schema to the next.
struct Migration: Sendable {
  /// The schema version after the step.
  let version: Int
  /// Statements that migrate from the previous version.
  let sql: String

  /// All steps from the oldest version that can be upgraded, which is the first one. A released step is never changed:
  /// later changes are new steps. What a step changes is changed in `tables` too.
  static let all: [Migration] = [
    // Earlier versions only existed during development, and were never released.
    Migration(version: 20, sql: ""),
    // `connections` became a view: one row a connection, however many sources speak of it.
    Migration(
      version: 21,
      sql: """
        ALTER TABLE connections RENAME TO source_views;
        ALTER TABLE streams ADD COLUMN track_identifier TEXT;
        ALTER TABLE streams ADD COLUMN score REAL;
        """),
    Migration(
      version: 22,
      sql: """
        ALTER TABLE windows ADD COLUMN lost_silence INTEGER; ALTER TABLE windows ADD COLUMN lost_playout INTEGER;
        ALTER TABLE calls ADD COLUMN lost_silence REAL; ALTER TABLE calls ADD COLUMN lost_playout REAL;
        CREATE TABLE fates (
          fate_key INTEGER PRIMARY KEY, endpoint_key INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
          medium TEXT NOT NULL, start_ms REAL NOT NULL, end_ms REAL NOT NULL, what TEXT NOT NULL, proof TEXT,
          rule TEXT NOT NULL, witnesses TEXT NOT NULL DEFAULT '[]');
        CREATE INDEX fates_by_endpoint ON fates (endpoint_key);
        ALTER TABLE calls ADD COLUMN place TEXT; ALTER TABLE calls ADD COLUMN place_end TEXT;
        ALTER TABLE calls ADD COLUMN place_rule TEXT; ALTER TABLE calls ADD COLUMN place_why TEXT;
        CREATE TABLE impairments (
          impairment_key INTEGER PRIMARY KEY, endpoint_key INTEGER NOT NULL REFERENCES endpoints ON DELETE CASCADE,
          medium TEXT NOT NULL, start_ms REAL NOT NULL, end_ms REAL NOT NULL, what TEXT NOT NULL, figure REAL,
          points REAL NOT NULL, share REAL NOT NULL);
        CREATE INDEX impairments_by_endpoint ON impairments (endpoint_key);
        ALTER TABLE endpoints ADD COLUMN verdict TEXT; ALTER TABLE endpoints ADD COLUMN verdict_medium TEXT;
        ALTER TABLE endpoints ADD COLUMN verdict_cause TEXT
        """),
    // A person may say where a fault was; what began it; how much of a phase was waited for. The views say which calls
    // could not be judged (`stale` 2).
    Migration(
      version: 23,
      sql: """
        ALTER TABLE calls RENAME COLUMN place TO place_judged; ALTER TABLE calls RENAME COLUMN place_end TO place_end_judged;
        ALTER TABLE calls ADD COLUMN place_marked TEXT; ALTER TABLE calls ADD COLUMN place_end_marked TEXT;
        ALTER TABLE calls ADD COLUMN place_marked_why TEXT;
        ALTER TABLE calls ADD COLUMN place TEXT AS (coalesce(place_marked, place_judged)) VIRTUAL;
        ALTER TABLE calls ADD COLUMN place_end TEXT
          AS (CASE WHEN place_marked IS NULL THEN place_end_judged ELSE place_end_marked END) VIRTUAL;
        ALTER TABLE calls ADD COLUMN root_cause TEXT; ALTER TABLE calls ADD COLUMN root_end TEXT;
        ALTER TABLE calls ADD COLUMN root_from_ms REAL; ALTER TABLE calls ADD COLUMN root_until_ms REAL;
        ALTER TABLE calls ADD COLUMN root_bps REAL; ALTER TABLE calls ADD COLUMN root_before_bps REAL;
        ALTER TABLE calls ADD COLUMN root_share REAL;
        ALTER TABLE fates ADD COLUMN place TEXT; ALTER TABLE impairments ADD COLUMN place TEXT;
        ALTER TABLE phases ADD COLUMN waited_ms REAL
        """),
    // Samples may be figures of an export or a table. SQLite changes a CHECK only in the text of the schema. A trigger
    // that runs for each connection makes no temporary table.
    Migration(
      version: 24,
      sql: """
        ALTER TABLE streams ADD COLUMN interval_ms REAL; ALTER TABLE streams ADD COLUMN loss_share_mean REAL;
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'source IN (''stats'', ''capture'')',
            'source = ''stats'' OR source = ''capture'' OR source = ''figures''')
          WHERE type = 'table' AND name IN ('streams', 'windows');
        PRAGMA writable_schema = RESET;
        CREATE INDEX IF NOT EXISTS events_by_connection ON events (connection_key, t_ms);
        DROP TRIGGER connections_moved;
        \(CallTables.movedConnections)
        """),
    // The views have a call's far host.
    Migration(version: 25, sql: ""),
    // What an end without a record missed has rows too.
    Migration(version: 26, sql: "ALTER TABLE fates ADD COLUMN far_end INTEGER NOT NULL DEFAULT 0"),
  ]

  /// The version this callqa reads and writes.
  static var current: Int { all.last?.version ?? 0 }

  /// The tables of a new database, as of the current version. It does not go through the steps: to rename a table takes
  /// SQLite as long as to create them all.
  static let tables = [
    SourceTables.ddl, CallTables.ddl, ClockTable.ddl, AliasTables.ddl, AttributeTables.ddl,
    StreamTables.ddl, JudgementTables.ddl, PartTables.ddl,
  ].joined(separator: "\n")
}
