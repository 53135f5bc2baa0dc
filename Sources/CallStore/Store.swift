import Bytes
import CSQLite
import Glibc

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
  var pace = SortingPace()
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
    if access != .read { connection.lastCallBefore = try Self.lastCall(connection) }
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
        try connection.execute(Indices.deferred)
        // A file that could not be read once, and is here all the same, was read at another time.
        try connection.execute(
          """
          DELETE FROM sources WHERE sha256 IS NULL AND status IN ('refused', 'skipped') AND EXISTS (
            SELECT 1 FROM sources AS s WHERE s.path = sources.path AND s.status IN ('imported', 'partial'))
          """)
        // Looking at a thousand rows of an index tells as much as looking at millions.
        try connection.execute("PRAGMA analysis_limit = 1000; PRAGMA optimize")
      }
      connection.lastCallBefore = try Self.lastCall(connection)
    }
  }

  private static func lastCall(_ connection: Connection) throws -> Int64 {
    try connection.first("SELECT max(call_key) FROM calls")?.integer ?? 0
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
