import CallModel
import CSQLite
import Glibc

/// An open SQLite file. Must not be used by two threads at a time, which `Store` ensures.
package final class Connection {
  package let handle: OpaquePointer
  package let path: String
  private var cache: [String: Statement] = [:]
  /// Cached statements by the address of their last SQL literal.
  private var byPlace: [UInt: Statement] = [:]
  private static let maxPlaces = 512
  private var idle: [String: [Statement]] = [:]
  private var patience: BusyHandler?
  /// The highest call and endpoint keys before the import: calls and ends up to these keep their names.
  package var lastBefore: (call: Int64, end: Int64) = (0, 0)
  /// A folder after which no call is named, nor after one above it.
  package var folderWithoutNames: String?

  /// Makes the table or view that a statement asks for and that is not there; returns false if it knows none of that
  /// name.
  package var makeMissing: ((String) throws -> Bool)?

  /// Called after closing.
  package var whenClosed: (() -> Void)?

  private static let isConfigured = cqa_configure() == SQLITE_OK

  /// Opens a file with the flags of `sqlite3_open_v2`; `name` is a URI where the flags say so.
  package init(path: String, name: String? = nil, flags: Int32) throws {
    // Fails if SQLite is already in use in the process, which does no harm.
    _ = Self.isConfigured
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(
      name ?? path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle else {
      let error = StoreError.of(code, path: path, handle: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    self.path = path
    let defined = Quantiles.define(on: handle)
    guard defined == SQLITE_OK else { throw error(defined) }
  }

  deinit {
    cache.removeAll()
    byPlace.removeAll()
    idle.removeAll()
    sqlite3_close_v2(handle)
    whenClosed?()
  }

  /// How long to wait for locks of other processes, and whom to inform once if it takes long.
  package func wait(seconds: Double, onWait: (@Sendable (String) -> Void)?) {
    let patience = BusyHandler(seconds: seconds, path: path, onWait: onWait)
    self.patience = patience
    sqlite3_busy_handler(
      handle, { context, tries in BusyHandler.from(context)?.wait(again: tries) == true ? 1 : 0 },
      Unmanaged.passUnretained(patience).toOpaque())
  }

  /// Switches to WAL mode, so that others can read while this connection writes; does nothing in WAL mode.
  package func keepLog() throws {
    // This changes only two bytes of the file, which holds the same rows with or without the change: no need to sync.
    try execute("PRAGMA synchronous = OFF")
    defer { try? execute("PRAGMA synchronous = NORMAL") }
    var tries: Int32 = 0
    while true {
      // SQLite does not call the busy handler before it changes the journal mode.
      do { return try execute("PRAGMA journal_mode = WAL") } catch let error as StoreError
        where error.kind == .busy
      {
        guard patience?.wait(again: tries) == true else { throw error }
        tries &+= 1
      }
    }
  }

  /// Whether the file is in WAL mode.
  package func keepsLog() throws -> Bool { try first("PRAGMA journal_mode")?.string == "wal" }

  /// Whether a transaction that was cut off must be rolled back first, which a read-only connection cannot do.
  package func needsRollBack() throws -> Bool {
    let code = sqlite3_exec(handle, "SELECT 1 FROM sqlite_schema LIMIT 1", nil, nil, nil)
    if code == cqa_readonly_rollback { return true }
    guard code == SQLITE_OK else { throw error(code) }
    return false
  }

  /// The error that SQLite just reported.
  package func error(_ code: Int32, doing sql: String? = nil) -> StoreError {
    StoreError.of(code, path: path, handle: handle, doing: sql)
  }

  /// Compiles a statement; the SQL may end with blanks and comments, but not with a second statement.
  package func prepare(_ sql: String, persistent: Bool = false) throws -> Statement {
    while true {
      do { return try compile(sql, persistent: persistent) } catch let error as StoreError {
        guard let makeMissing, let name = missingTable(), try makeMissing(name) else { throw error }
      }
    }
  }

  /// The table that the last error says is not there.
  private func missingTable() -> String? {
    let beginning = "no such table: "
    let message = String(cString: sqlite3_errmsg(handle))
    guard message.hasPrefix(beginning) else { return nil }
    // Within a view, SQLite names the database too.
    let name = message.dropFirst(beginning.count)
    return String(name.hasPrefix("main.") ? name.dropFirst(5) : name)
  }

  private func compile(_ sql: String, persistent: Bool) throws -> Statement {
    var statement: OpaquePointer?
    var rest = ""
    let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(handle, text, -1, flags, &statement, &tail)
      rest = tail.map { String(cString: $0) } ?? ""
      return code
    }
    guard code == SQLITE_OK else { throw error(code, doing: sql) }
    guard let statement else { throw StoreError(.sql, path: path, "there is no SQL in it") }
    let compiled = Statement(statement, of: self)
    guard try !hasStatement(rest) else {
      throw StoreError(
        .sql, path: path, "one statement at a time", remedy: "remove what follows the first `;`")
    }
    return compiled
  }

  /// The compiled statement of a text, from the cache.
  package func cached(_ sql: String) throws -> Statement {
    // Most texts are literals at fixed addresses: comparing the address takes less time than hashing.
    let place = sql.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) } ?? 0
    if let statement = byPlace[place], statement.isMade(of: sql) { return statement }
    let statement = try cache[sql] ?? prepare(sql, persistent: true)
    cache[sql] = statement
    if byPlace.count == Self.maxPlaces { byPlace.removeAll() }
    if place != 0 { byPlace[place] = statement }
    return statement
  }

  /// The cached statement of a name, whose SQL is only built when it is compiled.
  package func cached(named name: String, _ sql: () -> String) throws -> Statement {
    if let statement = cache[name] { return statement }
    let statement = try prepare(sql(), persistent: true)
    cache[name] = statement
    return statement
  }

  /// A statement for one caller alone, as others may iterate over the same SQL at the same time.
  package func lend(_ sql: String) throws -> BorrowedStatement {
    let statement = try idle[sql]?.popLast() ?? prepare(sql, persistent: true)
    return BorrowedStatement(statement, sql: sql, of: self)
  }

  fileprivate func takeBack(_ statement: Statement, _ sql: String) {
    statement.clear()
    // Hostile sources could produce any number of texts.
    if idle.count >= 256 { idle.removeAll() }
    idle[sql, default: []].append(statement)
  }

  /// Runs any number of statements that take no parameters.
  package func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, doing: sql) }
  }

  /// Runs a cached statement with parameters.
  package func run(_ sql: String, _ values: any CellConvertible...) throws {
    try bound(sql, values).run()
  }

  /// The first column of the first row; nil without rows.
  package func first(_ sql: String, _ values: any CellConvertible...) throws -> Cell? {
    let statement = try bound(sql, values)
    defer { statement.clear() }
    return try statement.step() ? statement.cell(0) : nil
  }

  /// Every row, converted by the body.
  package func rows<Row>(_ sql: String, _ values: any CellConvertible..., body: (Statement) throws -> Row)
    throws
    -> [Row]
  {
    let statement = try bound(sql, values)
    defer { statement.clear() }
    var rows: [Row] = []
    while try statement.step() { rows.append(try body(statement)) }
    return rows
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs the body in a transaction: commits when it returns, rolls back when it throws.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    if isInTransaction { return try body() }
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Rolls back the transaction, unless SQLite has already done so.
  package func rollBack() {
    if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  /// Rows changed since the connection was opened, including cascades.
  package var changes: Int { Int(sqlite3_total_changes64(handle)) }

  package var lastInsertedKey: Int64 { sqlite3_last_insert_rowid(handle) }

  private func bound(_ sql: String, _ values: [any CellConvertible]) throws -> Statement {
    let statement = try cached(sql)
    statement.clear()
    for (index, value) in values.enumerated() { statement.bind(Int32(index + 1), value.cell) }
    return statement
  }

  private func hasStatement(_ sql: String) throws -> Bool {
    guard sql.contains(where: { !$0.isWhitespace && $0 != ";" }) else { return false }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    return code != SQLITE_OK || statement != nil
  }
}

/// A statement in exclusive use; it goes back to the cache when released.
package final class BorrowedStatement {
  package let statement: Statement
  private let sql: String
  /// Keeps the file open while rows may follow.
  private let connection: Connection

  fileprivate init(_ statement: Statement, sql: String, of connection: Connection) {
    self.statement = statement
    self.sql = sql
    self.connection = connection
  }

  deinit { connection.takeBack(statement, sql) }
}

extension Connection {
  /// Defines an SQL function of one text; NULL if the argument is not text or the body returns nil.
  package func define(_ name: String, _ body: @escaping (UnsafeBufferPointer<UInt8>) -> Cell?) throws {
    let code = sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      Unmanaged.passRetained(TextFunction(body)).toOpaque(),
      { context, _, values in
        guard let function = TextFunction.from(sqlite3_user_data(context)), let value = values?[0],
          sqlite3_value_type(value) == SQLITE_TEXT, let text = sqlite3_value_text(value)
        else { return sqlite3_result_null(context) }
        let count = Int(sqlite3_value_bytes(value))
        switch function.body(UnsafeBufferPointer(start: text, count: count)) {
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(let result):
          // SQLite keeps a copy.
          let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
          sqlite3_result_text(context, result, Int32(clamping: result.utf8.count), transient)
        case .blob, .null, nil: sqlite3_result_null(context)
        }
      }, nil, nil, { TextFunction.release($0) })
    guard code == SQLITE_OK else { throw error(code) }
  }

  private final class TextFunction {
    package let body: (UnsafeBufferPointer<UInt8>) -> Cell?

    package init(_ body: @escaping (UnsafeBufferPointer<UInt8>) -> Cell?) { self.body = body }

    package static func from(_ context: UnsafeMutableRawPointer?) -> TextFunction? {
      context.map { Unmanaged<TextFunction>.fromOpaque($0).takeUnretainedValue() }
    }

    package static func release(_ context: UnsafeMutableRawPointer?) {
      context.map { Unmanaged<TextFunction>.fromOpaque($0).release() }
    }
  }
}

/// Waits for a lock of another process with increasing delays, one message, and a limit.
final class BusyHandler {
  private let seconds: Double
  private let path: String
  private let onWait: (@Sendable (String) -> Void)?
  private var waited = 0.0
  private var hasReported = false

  package init(seconds: Double, path: String, onWait: (@Sendable (String) -> Void)?) {
    self.seconds = seconds
    self.path = path
    self.onWait = onWait
  }

  package static func from(_ context: UnsafeMutableRawPointer?) -> BusyHandler? {
    context.map { Unmanaged<BusyHandler>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Sleeps, then returns whether to try again; `tries` counts the waits for one lock from 0.
  package func wait(again tries: Int32) -> Bool {
    if tries == 0 { waited = 0 }
    guard waited < seconds else { return false }
    let nap = min(0.001 * Double(1 &+ min(tries, 49)), 0.05)
    usleep(UInt32(nap * 1_000_000))
    waited += nap
    if waited > 1, !hasReported {
      hasReported = true
      onWait?("\(path) is in use by another process; waiting")
    }
    return true
  }
}
