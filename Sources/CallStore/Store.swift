import CallModel
import Concurrency
import CSQLite
import Glibc
import IO
import SQLite

/// The SQLite file. Opening checks and upgrades it; `write` takes sources in, the rest reads and judges.
///
/// A store may be shared by threads: each call holds it until it returns, `write` only once it has something to write.
public final class Store: @unchecked Sendable {
  /// What the file is opened for.
  public enum Access: Sendable {
    /// Reading only: creates nothing, changes nothing.
    case read
    /// Reading and writing: creates the file where it is absent.
    case write
    /// Reading and writing a file that is there: creates none.
    case existing
    /// A database in memory that goes away with the store; the path only names it in messages.
    case memory
  }

  /// The path it was opened with.
  public let path: String
  /// What it was opened for.
  public let access: Access
  let connection: Connection
  /// Kept with their statements from source to source.
  let sampleInserter: SampleInserter
  let pathInserter: PathInserter
  let sampleColumns = KnownSampleColumns()
  private var checkpointer: Checkpointer?
  private let lock = RecursiveLock()
  private var checksForeignKeys = true
  /// What waits to be sorted into calls.
  var pace = RegroupingSchedule()
  /// Whether others can read while this one writes: a new file is filled without them.
  let isShared: Locked<Bool>

  /// Opens the file at a path.
  ///
  /// - Parameters:
  ///   - mode: permissions of a file that is created, for the database and its `-wal` and `-shm`.
  ///   - patience: seconds to wait for another process.
  ///   - telling: called once with a sentence when waiting takes more than a second.
  public init(
    path: String, access: Access, mode: UInt16 = 0o600, patience: Double = 600,
    telling: (@Sendable (String) -> Void)? = nil
  ) throws {
    self.path = path
    self.access = access
    let file = StoreFile(path: path, mode: mode, patience: patience, telling: telling)
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
    // Before the connection that it is of.
    checkpointer = nil
  }

  /// Version of the schema that this callqa writes.
  public static var schemaVersion: Int { Migration.current }

  /// Stops what runs in another thread or was interrupted by a signal; it throws `StoreError.Kind.interrupted`.
  public func interrupt() { sqlite3_interrupt(connection.handle) }

  /// Several changes as one: all of them happen, or none.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try exclusive {
      try checkForeignKeys(true)
      return try connection.transaction(body)
    }
  }

  /// Several questions of one moment: what others write meanwhile is not seen.
  public func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try exclusive {
      guard !connection.isInTransaction else { return try body() }
      try connection.execute("BEGIN")
      defer { connection.rollBack() }
      return try body()
    }
  }

  /// Whether SQLite looks up the parent of every row, and takes the children of a removed one along.
  ///
  /// Turning it makes SQLite compile every kept statement anew, so an import turns it once and not for each source. It
  /// cannot be turned inside a transaction.
  func checkForeignKeys(_ wanted: Bool) throws {
    guard wanted != checksForeignKeys, !connection.isInTransaction else { return }
    try connection.execute("PRAGMA foreign_keys = \(wanted ? "ON" : "OFF")")
    checksForeignKeys = wanted
  }

  /// Makes the indices that reports want and imports do not; call it when an import ends.
  public func finishImport() throws {
    // What is few goes into the log, which needs no wait for the disk before its end.
    try shareFile()
    try exclusive {
      try checkForeignKeys(true)
      // As one transaction that means to write: PRAGMA optimize reads first, and would not wait for another import.
      try connection.transaction {
        try ContestedNames(connection: connection).settle()
        // A file that could not be read once, and is here all the same, was read at another time.
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

  /// Makes the indices that a first bulk load leaves out, and has SQLite count what it plans by. Part of a transaction.
  private func makeIndices() throws {
    // Looking at a thousand rows of an index tells as much as looking at millions.
    try connection.execute("\(Indices.deferred) PRAGMA analysis_limit = 1000; PRAGMA optimize")
  }

  /// Makes the indices that reports and lists want; call it when parts were gathered.
  public func finishGathering() throws {
    try transaction {
      try makeIndices()
      // PRAGMA optimize looks at what this connection asked for: nothing, where a gathering was cut off and all its parts are known.
      if try connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'") == nil {
        try connection.execute("ANALYZE")
      }
      // Each part says of a run what its own calls do.
      try connection.run("UPDATE runs SET \(ClockTable.times)")
    }
  }

  private static func lastKeys(_ connection: Connection) throws -> (call: Int64, end: Int64) {
    (
      try connection.first("SELECT max(call_key) FROM calls")?.integer ?? 0,
      try connection.first("SELECT max(endpoint_key) FROM endpoints")?.integer ?? 0
    )
  }

  /// Runs with the store to itself; calls may nest.
  func exclusive<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  func lockForWriter() { lock.lock() }
  func unlockForWriter() { lock.unlock() }
}

extension Store {
  /// The statements that made a table or view, with their comments; nil for every table and view.
  public func schema(of name: String? = nil) throws -> [(name: String, sql: String)] {
    try exclusive {
      try connection.rows(
        """
        SELECT name, sql FROM sqlite_schema
        WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' AND (?1 IS NULL OR name = ?1) ORDER BY rowid
        """, name
      ) { ($0.text(0), $0.text(1)) }
    }
  }
}

extension Store {
  /// Puts rows into a table as they are, in one transaction: for what no source brings (manifests, simulated fleets).
  ///
  /// Names are checked against the schema; the values are bound, never part of the SQL.
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

/// When runs took place, by the calls that were judged.
extension Store {
  /// Notes whether the clock of a call can be.
  func noteClock(ofCall call: Int64, startedMs: Double?) throws {
    try connection.run("DELETE FROM odd_clocks WHERE call_key = ?", call)
    try connection.run(Self.noteOddClock, call, startedMs)
  }

  private static let noteOddClock =
    "INSERT INTO odd_clocks SELECT ?1 WHERE \(ClockTable.isOdd("?2", of: "?1"))"

  /// The runs that have calls which are to be judged.
  public func staleRuns() throws -> [String] {
    try exclusive {
      try connection.rows("SELECT DISTINCT run_id FROM calls WHERE stale AND run_id IS NOT NULL ORDER BY 1") {
        $0.text(0)
      }
    }
  }

  /// Says anew when runs began and ended; call it when their calls were judged.
  public func dateRuns(_ runs: [String]) throws {
    try transaction {
      for run in runs { try connection.run("UPDATE runs SET \(ClockTable.times) WHERE run_id = ?", run) }
    }
  }

  /// How many calls of the sources have a clock that cannot be, and the first of their ids.
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

extension Store {
  /// The windows of an end by a model, in their order, by kind of source.
  public func windows(ofEndpoint endpoint: Int64, model: String) throws -> [StreamSource: [Window]] {
    let lost = Cause.allCases.map { "lost_\($0.rawValue)" }.joined(separator: ", ")
    let rows = try exclusive {
      try connection.rows(
        """
        SELECT source, window_index, start_ms, end_ms, state, score, audio_cq, audio_lq, video, client_score, confidence,
          changed, loss_share, concealed_share, delay_ms, rtt_ms, freeze_share, frame_rate, height, bitrate_bps,
          mouth_to_ear_ms, glass_to_glass_ms, audio_minus_video_ms, delay_source, frame_quality, \(lost)
        FROM windows WHERE endpoint_key = ? AND model = ? ORDER BY source, window_index
        """, endpoint, model
      ) { row in (StreamSource(rawValue: row.text(0)) ?? .stats, Self.window(row)) }
    }
    return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
  }

  private static func window(_ row: Statement) -> Window {
    var window = Window(
      index: Int(row.int64(1)), startMs: row.optionalDouble(2) ?? 0, endMs: row.optionalDouble(3) ?? 0,
      state: WindowState(rawValue: row.text(4)) ?? .unscored)
    window.score = row.optionalInt(5)
    window.audioCQ = row.optionalDouble(6)
    window.audioLQ = row.optionalDouble(7)
    window.video = row.optionalDouble(8)
    window.clientScore = row.optionalDouble(9)
    window.confidence = row.optionalDouble(10)
    window.changed = row.int64(11) != 0
    window.inputs.lossShare = row.optionalDouble(12)
    window.inputs.concealedShare = row.optionalDouble(13)
    window.inputs.delayMs = row.optionalDouble(14)
    window.inputs.rttMs = row.optionalDouble(15)
    window.inputs.freezeShare = row.optionalDouble(16)
    window.inputs.frameRate = row.optionalDouble(17)
    window.inputs.height = row.optionalDouble(18)
    window.inputs.bitrateBps = row.optionalDouble(19)
    window.inputs.mouthToEarMs = row.optionalDouble(20)
    window.inputs.glassToGlassMs = row.optionalDouble(21)
    window.inputs.audioMinusVideoMs = row.optionalDouble(22)
    window.inputs.delaySource = row.isNull(23) ? nil : DelaySource(rawValue: row.text(23))
    window.inputs.frameQuality = row.optionalDouble(24)
    if !row.isNull(25) {
      var points = ByCause<Int>()
      for (place, cause) in Cause.allCases.enumerated() { points[cause] = Int(row.int64(Int32(25 + place))) }
      window.pointsLost = points
    }
    return window
  }
}

/// A lock that the thread which holds it may take again.
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
