import CSQLite
import Glibc
import SQLite

/// A path to be opened as a database: whether it exists, who may read it, and which flags to use.
struct StoreFile {
  let path: String
  let mode: UInt16
  let patience: Double
  let onWait: (@Sendable (String) -> Void)?
  var schema = Schema()

  func open(_ access: Store.Access) throws -> Connection {
    switch access {
    case .read: return try openForReading()
    case .write:
      try create()
      return try openForWriting()
    case .existing:
      guard Glibc.access(path, F_OK) == 0 else { throw missing() }
      try mustBeAFile()
      return try openForWriting()
    case .memory:
      let connection = try connect(
        name: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      try settle(connection)
      try schema.createInMemory(connection)
      return connection
    }
  }

  func connect(name: String, flags: Int32) throws -> Connection {
    let connection = try Connection(path: path, name: name, flags: flags)
    try Aliases.define(on: connection)
    return connection
  }

  private func openForReading() throws -> Connection {
    guard access(path, F_OK) == 0 else { throw missing() }
    try mustBeAFile()
    var connection: Connection
    do {
      connection = try recovered()
      switch try schema.state(of: connection) {
      case .current: break
      case .older(let version): connection = try upgraded(from: version)
      case .newer, .tooOld: try schema.upgrade(connection)  // says so
      case .empty, .foreign: throw StoreError.notADatabase(path)
      }
    } catch let error as StoreError where error.kind == .cannotOpen || error.kind == .readOnly {
      // A WAL database in a place where its -shm cannot be created: open it as immutable.
      guard access(path, R_OK) == 0 else { throw error }
      connection = try readOnly(immutable: true)
      guard try schema.state(of: connection) == .current else { throw error }
    }
    try connection.execute("PRAGMA query_only = ON")
    connection.whenClosed = takeLogAway
    return connection
  }

  /// Removes the empty `-wal` and the `-shm` left behind by reading a database.
  ///
  /// A read-only connection creates them and cannot remove them. A writable connection removes them on closing, unless
  /// another process has the file open.
  private func takeLogAway() {
    var status = stat()
    guard stat(path + "-wal", &status) == 0, status.st_size == 0, access(path, W_OK) == 0 else { return }
    let last = try? Connection(path: path, name: name, flags: SQLITE_OPEN_READWRITE)
    _ = try? last?.first("SELECT count(*) FROM sqlite_schema")
  }

  /// A read-only connection; a first import that was cut off is rolled back before.
  private func recovered() throws -> Connection {
    let connection = try readOnly(immutable: false)
    guard try connection.needsRollBack() else { return connection }
    return try afterWriting(
      StoreError(
        .damaged, path: path, "an import was cut off, and what it left cannot be taken back here",
        remedy: "copy it, with the -journal beside it, to where it can be written")
    ) { _ = try schema.state(of: $0) }
  }

  /// Reading an older file upgrades it, as writing does; throws if that is not possible.
  private func upgraded(from version: Int) throws -> Connection {
    try afterWriting(
      StoreError(
        .older, path: path,
        "it was made by an older callqa (schema \(version)) and cannot be upgraded in place",
        remedy: "copy it to where it can be written")
    ) {
      try settle($0)
      try schema.upgrade($0)
    }
  }

  /// A read-only connection to a file that a writable one has to repair first; `trouble` is the error if that is not
  /// possible.
  private func afterWriting(_ trouble: StoreError, _ mend: (Connection) throws -> Void) throws -> Connection {
    do {
      let writing = try connect(name: name, flags: SQLITE_OPEN_READWRITE)
      writing.wait(seconds: min(patience, 30), onWait: onWait)
      try mend(writing)
    } catch let error as StoreError {
      throw StoreError(trouble.kind, path: path, "\(trouble.what): \(error.what)", remedy: trouble.remedy)
    }
    return try readOnly(immutable: false)
  }

  private func readOnly(immutable: Bool) throws -> Connection {
    let connection: Connection
    if immutable {
      connection = try connect(
        name: "file:\(percentEncoded)?immutable=1", flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    } else {
      connection = try connect(name: name, flags: SQLITE_OPEN_READONLY)
    }
    connection.wait(seconds: min(patience, 30), onWait: onWait)
    // Temporary tables are kept in memory, unless the database is so large that they might not fit.
    let bytes = try connection.first(
      "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?.integer
    let temporary = bytes ?? 0 > Self.largeBytes ? "FILE" : "MEMORY"
    try connection.execute("PRAGMA cache_size = -16384; PRAGMA temp_store = \(temporary)")
    return connection
  }

  /// A database of some 500,000 judged calls, or of a few thousand with samples.
  private static let largeBytes: Int64 = 512 << 20

  private func openForWriting() throws -> Connection {
    let connection = try connect(name: name, flags: SQLITE_OPEN_READWRITE)
    try settle(connection)
    // SQLite silently opens a file without write permission as read-only.
    if sqlite3_db_readonly(connection.handle, "main") == 1 {
      throw StoreError.of(SQLITE_READONLY, path: path, handle: nil)
    }
    guard try schema.state(of: connection) == .empty else {
      try schema.upgrade(connection)
      return connection
    }
    // The tables of a new file hold nothing that could be lost: they are synced with the first rows.
    try connection.execute("PRAGMA synchronous = OFF")
    try schema.upgrade(connection)
    try connection.execute("PRAGMA synchronous = NORMAL")
    return connection
  }

  /// Another connection to a file that is open for writing, to checkpoint its log.
  func openForCheckpoints() throws -> Connection {
    let connection = try connect(name: name, flags: SQLITE_OPEN_READWRITE)
    try connection.execute("PRAGMA synchronous = NORMAL")
    return connection
  }

  /// The settings of a writable connection.
  private func settle(_ connection: Connection) throws {
    connection.wait(seconds: patience, onWait: onWait)
    // With a log, every page is written twice. During the first import nobody reads a new file, so it does without
    // until `Store.shareFile`.
    if try schema.state(of: connection) != .empty { try connection.keepLog() }
    // Pages of twice the usual size are written with half as many calls. An import hardly ever reads its pages again,
    // so writing them out as it goes on is better than all at its end.
    try connection.execute(
      """
      PRAGMA page_size = 8192;
      PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -4096;
      PRAGMA journal_size_limit = 134217728;
      PRAGMA foreign_keys = ON;
      """)
  }

  /// Creates an empty file with its final permissions, so that other processes never see it with more.
  private func create() throws {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
    if descriptor >= 0 {
      fchmod(descriptor, mode_t(mode))
      close(descriptor)
    } else if errno == EEXIST {
      try mustBeAFile()
    } else {
      throw cannotOpen(errno)
    }
  }

  private func mustBeAFile() throws {
    var status = stat()
    guard stat(path, &status) == 0 else { throw cannotOpen(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(
        .cannotOpen, path: path,
        status.st_mode & S_IFMT == S_IFDIR ? "this is a folder" : "this is not a file",
        remedy: "name a file with --db")
    }
  }

  private func missing() -> StoreError {
    StoreError(
      .missing, path: path, "there is no such database",
      remedy: "make one with `callqa import PATH…`, or name another with --db")
  }

  private func cannotOpen(_ code: Int32) -> StoreError {
    if code == ENOENT || code == ENOTDIR {
      return StoreError(.cannotOpen, path: path, "its folder does not exist", remedy: "make the folder first")
    }
    if code == EROFS || code == EACCES {
      return StoreError(
        .readOnly, path: path, "cannot open the database (\(String(cString: strerror(code))))",
        remedy: "check the permissions of the file and its folder")
    }
    if [ENOSPC, EDQUOT].contains(code) { return StoreError.full(path) }
    return StoreError(
      .cannotOpen, path: path, "cannot open the database (\(String(cString: strerror(code))))")
  }

  /// The path as passed to SQLite, where a leading `:` or `file:` has a special meaning.
  private var name: String { path.hasPrefix(":") || path.hasPrefix("file:") ? "./" + path : path }

  private var percentEncoded: String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-".utf8)
    return name.utf8.map { byte in
      if plain.contains(byte) { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }
}

extension StoreFile {
  /// Whether a path exists.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Removes an unfinished new database.
  static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }
}
