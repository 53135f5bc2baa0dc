import CallModel
import CSQLite
import Glibc

/// One open SQLite file. Not to be used by two threads at a time: `Store` sees to that.
package final class Connection {
  package let handle: OpaquePointer
  package let path: String
  private var cache: [String: Statement] = [:]
  /// Those of them whose text was met last at an address.
  private var byPlace: [UInt: Statement] = [:]
  private static let maxPlaces = 512
  private var idle: [String: [Statement]] = [:]
  private var patience: BusyHandler?
  /// The last call and the last end that were there before the import: they and those before them keep their names.
  package var lastBefore: (call: Int64, end: Int64) = (0, 0)

  /// Called once it is closed.
  package var whenClosed: (() -> Void)?

  private static let isConfigured = cqa_configure() == SQLITE_OK

  /// Opens a file with the flags of `sqlite3_open_v2`; `name` is a URI where the flags say so.
  package init(path: String, name: String? = nil, flags: Int32) throws {
    // Refused where somebody else uses SQLite already, which does no harm.
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

  /// How long to wait for another process, and whom to tell once that it takes a while.
  package func wait(seconds: Double, telling: (@Sendable (String) -> Void)?) {
    let patience = BusyHandler(seconds: seconds, path: path, telling: telling)
    self.patience = patience
    sqlite3_busy_handler(
      handle, { context, tries in BusyHandler.from(context)?.wait(again: tries) == true ? 1 : 0 },
      Unmanaged.passUnretained(patience).toOpaque())
  }

  /// Writes into a log beside the file from now on, so that others read while this one writes; nothing where it does so
  /// already.
  package func keepLog() throws {
    // Of the file two bytes change, with which it holds the same rows as without: that need not wait for the disk.
    try execute("PRAGMA synchronous = OFF")
    defer { try? execute("PRAGMA synchronous = NORMAL") }
    var tries: Int32 = 0
    while true {
      // SQLite asks no busy handler before it changes the journal's mode.
      do { return try execute("PRAGMA journal_mode = WAL") } catch let error as StoreError
        where error.kind == .busy
      {
        guard patience?.wait(again: tries) == true else { throw error }
        tries &+= 1
      }
    }
  }

  /// Whether others can read while this one writes.
  package func keepsLog() throws -> Bool { try first("PRAGMA journal_mode")?.string == "wal" }

  /// Whether what was cut off must be taken back first, which a connection that only reads cannot do.
  package func needsRollBack() throws -> Bool {
    let code = sqlite3_exec(handle, "SELECT 1 FROM sqlite_schema LIMIT 1", nil, nil, nil)
    if code == cqa_readonly_rollback { return true }
    guard code == SQLITE_OK else { throw error(code) }
    return false
  }

  /// The failure that SQLite just reported.
  package func error(_ code: Int32, doing sql: String? = nil) -> StoreError {
    StoreError.of(code, path: path, handle: handle, doing: sql)
  }

  /// Compiles one statement; the SQL may have blanks and comments after it, but no second statement.
  package func prepare(_ sql: String, persistent: Bool = false) throws -> Statement {
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

  /// The statement of that text, compiled once and kept.
  package func cached(_ sql: String) throws -> Statement {
    // Most texts are literals, which lie where they lay before: a look at one takes less time than a hash of it.
    let place = sql.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) } ?? 0
    if let statement = byPlace[place], statement.isMade(of: sql) { return statement }
    let statement = try cache[sql] ?? prepare(sql, persistent: true)
    cache[sql] = statement
    if byPlace.count == Self.maxPlaces { byPlace.removeAll() }
    if place != 0 { byPlace[place] = statement }
    return statement
  }

  /// The kept statement of a name, whose text is only made when it is compiled.
  package func cached(named name: String, _ sql: () -> String) throws -> Statement {
    if let statement = cache[name] { return statement }
    let statement = try prepare(sql(), persistent: true)
    cache[name] = statement
    return statement
  }

  /// A statement of that text for one who goes through its rows while others do so too.
  package func lend(_ sql: String) throws -> BorrowedStatement {
    let statement = try idle[sql]?.popLast() ?? prepare(sql, persistent: true)
    return BorrowedStatement(statement, sql: sql, of: self)
  }

  fileprivate func takeBack(_ statement: Statement, _ sql: String) {
    statement.clear()
    // Hostile sources could think of any number of texts.
    if idle.count >= 256 { idle.removeAll() }
    idle[sql, default: []].append(statement)
  }

  /// Runs any number of statements that take no parameters.
  package func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, doing: sql) }
  }

  /// Runs one statement that is kept, with its parameters.
  package func run(_ sql: String, _ values: any CellConvertible...) throws {
    try bound(sql, values).run()
  }

  /// The first column of the first row, or nil without a row.
  package func first(_ sql: String, _ values: any CellConvertible...) throws -> Cell? {
    let statement = try bound(sql, values)
    defer { statement.clear() }
    return try statement.step() ? statement.cell(0) : nil
  }

  /// Every row, as the body makes it.
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

  /// All of it or nothing: commits when the body returns, rolls back when it throws.
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

  /// Ends a transaction as if it had never begun; SQLite may already have done so by itself.
  package func rollBack() {
    if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  /// Rows changed since the connection was opened, what cascades along included.
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

/// A statement that one has to himself; the next one has it when it is let go.
package final class BorrowedStatement {
  package let statement: Statement
  private let sql: String
  /// Keeps the file open as long as there are rows to come.
  private let connection: Connection

  fileprivate init(_ statement: Statement, sql: String, of connection: Connection) {
    self.statement = statement
    self.sql = sql
    self.connection = connection
  }

  deinit { connection.takeBack(statement, sql) }
}

extension Connection {
  /// A function of one text that SQL may call by its name; nil is NULL, and so is the function of anything but a text.
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

/// Waits for a lock that another process holds: longer and longer naps, one message, and an end.
final class BusyHandler {
  private let seconds: Double
  private let path: String
  private let telling: (@Sendable (String) -> Void)?
  private var waited = 0.0
  private var told = false

  package init(seconds: Double, path: String, telling: (@Sendable (String) -> Void)?) {
    self.seconds = seconds
    self.path = path
    self.telling = telling
  }

  package static func from(_ context: UnsafeMutableRawPointer?) -> BusyHandler? {
    context.map { Unmanaged<BusyHandler>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Naps, then says whether to try again; `tries` counts the naps for one lock from 0.
  package func wait(again tries: Int32) -> Bool {
    if tries == 0 { waited = 0 }
    guard waited < seconds else { return false }
    let nap = min(0.001 * Double(1 &+ min(tries, 49)), 0.05)
    usleep(UInt32(nap * 1_000_000))
    waited += nap
    if waited > 1, !told {
      told = true
      telling?("\(path) is in use by another process; waiting")
    }
    return true
  }
}
