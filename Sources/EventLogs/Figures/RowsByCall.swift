import CSQLite
import CallModel
import SQLite

/// The rows of a table in the order of their calls, so that what a table has of one call is stored before the next one is
/// read. SQLite sorts them: in memory if they are few, else in a temporary file that has no name.
final class RowsByCall {
  struct Row {
    /// Its place among the rows.
    var number: Int
    var line: Int?
    /// The latest local time before it was read, as `FigureClock` has it.
    var clockMs = 0.0
    var bytes: [UInt8]
  }

  private let connection: Connection
  private let insertion: Statement
  private let sink: any RecordSink

  /// Throws `SourceError` if there is no room for them, as the other members do.
  init(sink: any RecordSink) throws {
    self.sink = sink
    connection = try Connection(path: "", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;
      CREATE TABLE rows (call TEXT NOT NULL, number INTEGER NOT NULL, line INTEGER, clock_ms REAL NOT NULL, bytes BLOB NOT NULL);
      BEGIN
      """)
    insertion = try connection.prepare("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", persistent: true)
  }

  func add(_ row: Row, of call: String) throws {
    insertion.bind(1, call)
    insertion.bind(2, Int64(row.number))
    insertion.bind(3, row.line.cell)
    insertion.bind(4, row.clockMs)
    insertion.bind(5, Cell.blob(row.bytes))
    try Self.reportingRoom { try insertion.run() }
    sink.postpone()
  }

  /// Passes the rows call by call, each call's in the order of the source; `isNew` is true for the first one of a call.
  func forEach(_ body: (Row, _ isNew: Bool) throws -> Void) throws {
    let rows = try connection.prepare(
      "SELECT call, number, line, clock_ms, bytes FROM rows ORDER BY call, number")
    var last: String?
    while try Self.reportingRoom({ try rows.step() }) {
      guard case .blob(let bytes) = rows.cell(4) else { continue }
      let call = rows.text(0)
      let row = Row(
        number: Int(rows.int64(1)), line: rows.optionalInt(2), clockMs: rows.cell(3).number ?? 0, bytes: bytes
      )
      try body(row, call != last)
      last = call
    }
  }

  private static func reportingRoom<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as StoreError where error.kind == .diskFull {
      throw SourceError(
        .tooLarge, "no room to sort its rows by call: set TMPDIR to a folder with four times its size")
    }
  }
}
