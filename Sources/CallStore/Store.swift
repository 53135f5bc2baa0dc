import CallModel
import Concurrency
import CSQLite
import Glibc
import SQLite

/// The SQLite file. Opening checks and upgrades it; `write` imports sources, other methods read and judge.
///
/// Thread-safe: each call locks the store until it returns, `write` only once it has something to write.
public final class Store: @unchecked Sendable {
  /// How the file is opened.
  public enum Access: Sendable {
    /// Reads only: creates and changes nothing.
    case read
    /// Reads and writes: creates the file if it is missing.
    case write
    /// Reads and writes an existing file.
    case existing
    /// An in-memory database that ends with the store; the path only occurs in messages.
    case memory
  }

  /// The path it was opened with.
  public let path: String
  /// How it was opened.
  public let access: Access
  let connection: Connection
  /// Kept from source to source, with their compiled statements.
  let sampleInserter: SampleInserter
  let pathInserter: PathInserter
  let sampleColumns = KnownSampleColumns()
  private var checkpointer: Checkpointer?
  private let lock = RecursiveLock()
  private var checksForeignKeys = true
  /// Sources waiting to be grouped into calls.
  var pace = RegroupingSchedule()
  /// Whether others can read while this store writes: a new file is filled without that.
  let isShared: Locked<Bool>

  /// Opens the file at a path.
  ///
  /// - Parameters:
  ///   - mode: permissions of a new file, for the database and its `-wal` and `-shm`.
  ///   - patience: seconds to wait for another process.
  ///   - onWait: called once with a sentence if waiting takes more than a second.
  public init(
    path: String, access: Access, mode: UInt16 = 0o600, patience: Double = Double(Limit.patience.value),
    onWait: (@Sendable (String) -> Void)? = nil
  ) throws {
    self.path = path
    self.access = access
    let file = StoreFile(path: path, mode: mode, patience: patience, onWait: onWait)
    self.connection = try file.open(access)
    if [.write, .existing].contains(access) {
      self.checkpointer = Checkpointer(of: connection) { try file.openForCheckpoints() }
    }
    if access != .read { connection.lastBefore = try Self.lastKeys(connection) }
    self.sampleInserter = SampleInserter(connection)
    self.pathInserter = PathInserter(connection)
    self.isShared = Locked(try [.read, .memory].contains(access) || connection.keepsLog())
  }

  deinit {
    // Before its connection.
    checkpointer = nil
  }

  /// Cancels queries running on another thread; they throw `StoreError.Kind.interrupted`.
  public func interrupt() { sqlite3_interrupt(connection.handle) }

  /// Makes several changes in one transaction.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try exclusive {
      try checkForeignKeys(true)
      return try connection.transaction(body)
    }
  }

  /// Runs several queries on one snapshot: writes of others in between are not visible.
  public func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try exclusive {
      guard !connection.isInTransaction else { return try body() }
      try connection.execute("BEGIN")
      defer { connection.rollBack() }
      return try body()
    }
  }

  /// Whether SQLite enforces foreign keys: it then looks up the parent of each row, and deletes the children of a
  /// deleted one.
  ///
  /// Changing it makes SQLite recompile all cached statements, so an import changes it once rather than for each
  /// source. It cannot be changed inside a transaction.
  func checkForeignKeys(_ wanted: Bool) throws {
    guard wanted != checksForeignKeys, !connection.isInTransaction else { return }
    try connection.execute("PRAGMA foreign_keys = \(wanted ? "ON" : "OFF")")
    checksForeignKeys = wanted
  }

  /// Corrects what earlier versions left; call it at the beginning of an import.
  public func beginImport() throws {
    try exclusive {
      let statistics = PlannerStatistics(connection: connection)
      if try statistics.haveSmallTables { try transaction { try statistics.raise() } }
    }
  }

  /// Creates the indices needed by reports but not by imports; call it at the end of an import.
  public func finishImport() throws {
    // A small change goes to the log, which needs no sync before it ends.
    try shareFile()
    try exclusive {
      try checkForeignKeys(true)
      // In an immediate transaction: PRAGMA optimize reads first, and would otherwise fail instead of waiting for
      // another import.
      try connection.transaction {
        try ContestedNames(connection: connection).settle()
        // A file that could not be read once, but was imported in the meantime.
        try connection.execute(
          """
          DELETE FROM sources WHERE sha256 IS NULL AND status IN ('refused', 'skipped') AND EXISTS (
            SELECT 1 FROM sources AS s WHERE s.path = sources.path AND s.status IN ('imported', 'partial'))
          """)
        try makeIndices()
      }
      connection.lastBefore = try Self.lastKeys(connection)
    }
  }

  /// Creates the indices left out during the first bulk load, and updates the planner's statistics. Part of a
  /// transaction.
  private func makeIndices() throws {
    try connection.execute(Indices.deferred)
    try PlannerStatistics(connection: connection).update()
  }

  /// Creates the indices needed by reports and lists; call it after gathering parts.
  public func finishGathering() throws {
    try transaction {
      try makeIndices()
      try PlannerStatistics(connection: connection).makeIfMissing()
      // Each part only has the times of its own calls.
      try connection.run("UPDATE runs SET \(ClockTable.times)")
    }
  }

  private static func lastKeys(_ connection: Connection) throws -> (call: Int64, end: Int64) {
    (
      try connection.first("SELECT max(call_key) FROM calls")?.integer ?? 0,
      try connection.first("SELECT max(endpoint_key) FROM endpoints")?.integer ?? 0
    )
  }

  /// Runs with the store locked; calls may nest.
  func exclusive<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  func lockForWriter() { lock.lock() }
  func unlockForWriter() { lock.unlock() }
}

extension Store {
  /// The SQL of a table or view, with comments; nil for all tables and views.
  public func schema(of name: String? = nil) throws -> [(name: String, sql: String)] {
    try exclusive {
      if access == .memory { try Schema().createMissingViews(connection) }
      return try connection.rows(
        """
        SELECT name, sql FROM sqlite_schema
        WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' AND (?1 IS NULL OR name = ?1) ORDER BY rowid
        """, name
      ) { ($0.text(0), $0.text(1)) }
    }
  }
}

extension Store {
  /// Inserts rows into a table in one transaction, for rows that come from no source (manifests, simulated fleets).
  ///
  /// Names are checked against the schema; values are bound.
  public func insert(into table: String, columns: [String], rows: [[Cell]]) throws {
    guard !rows.isEmpty else { return }
    try exclusive {
      let known = try connection.rows("SELECT name FROM pragma_table_info(?)", table) { $0.text(0) }
      guard !known.isEmpty, columns.allSatisfy(known.contains) else {
        throw StoreError(
          .sql, path: path, "there is no table \(table) with the columns \(columns.joined(separator: ", "))")
      }
      let marks = columns.map { _ in "?" }.joined(separator: ", ")
      let statement = try connection.cached(
        "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))")
      try connection.transaction {
        for row in rows {
          statement.clear()
          for (index, cell) in row.enumerated() { statement.bind(Int32(clamping: index + 1), cell) }
          try statement.run()
        }
      }
    }
  }
}

/// The time of a run, from its judged calls.
extension Store {
  /// Records whether the clock of a call is implausible.
  func noteClock(ofCall call: Int64, startedMs: Double?) throws {
    try connection.run("DELETE FROM odd_clocks WHERE call_key = ?", call)
    try connection.run(Self.noteOddClock, call, startedMs)
  }

  private static let noteOddClock =
    "INSERT INTO odd_clocks SELECT ?1 WHERE \(ClockTable.isOdd("?2", of: "?1"))"

  /// The runs with calls to be judged.
  public func staleRuns() throws -> [String] {
    try exclusive {
      try connection.rows("SELECT DISTINCT run_id FROM calls WHERE stale AND run_id IS NOT NULL ORDER BY 1") {
        $0.text(0)
      }
    }
  }

  /// Updates the start and end of runs; call it after judging their calls.
  public func dateRuns(_ runs: [String]) throws {
    try transaction {
      for run in runs { try connection.run("UPDATE runs SET \(ClockTable.times) WHERE run_id = ?", run) }
    }
  }

  /// How many calls of the sources have an implausible clock, and the first of their ids.
  public func oddClocks(of sources: SourceKeys, most: Int) throws -> (count: Int, first: [String]) {
    try exclusive {
      let odd = "\(SourceKeys.connections) JOIN odd_clocks AS o ON o.call_key = c.call_key"
      let count = try connection.first("SELECT count(DISTINCT c.call_key) FROM \(odd)", sources.json)
      let first = try connection.rows(
        "SELECT DISTINCT k.call_id FROM \(odd) JOIN calls AS k ON k.call_key = c.call_key ORDER BY 1 LIMIT ?2",
        sources.json, most, body: { $0.text(0) })
      return (Int(count?.integer ?? 0), first)
    }
  }
}

/// A recursive mutex.
final class RecursiveLock {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }
}
