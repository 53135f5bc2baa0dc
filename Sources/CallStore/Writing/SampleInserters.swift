import CSQLite
import CallModel
import SQLite

/// Inserts runs of samples into table `samples`: one statement per run, which names only the columns that it has.
///
/// Most columns of a wide row are unknown, and which ones depends on the stream, so there is a statement for each set
/// of columns; a recording has about a dozen.
final class SampleInserter {
  private static let shapesKept = 128

  private struct Shape: Hashable {
    var low: UInt64 = 0
    var high: UInt64 = 0
    var extra = false
    var upsert = false
  }

  private let connection: Connection
  private var feed: SampleFeed?
  private var statements: [Shape: Statement] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// Inserts rows of one stream, from an index on, whose times are new to the table.
  func insert(_ rows: UnsafeBufferPointer<QueuedSample>, from first: Int, of stream: Int64) throws {
    guard first < rows.count else { return }
    try put(rows, first..<rows.count, of: stream, upsert: false)
  }

  /// Inserts a row, or merges it into the existing one; returns whether it was new.
  func merge(_ rows: UnsafeBufferPointer<QueuedSample>, _ index: Int, into stream: Int64) throws -> Bool {
    let known = try connection.first(
      "SELECT 1 FROM samples WHERE stream_key = ? AND t_ms = ?", stream, rows[index].sample.timeMs)
    try put(rows, index..<index + 1, of: stream, upsert: known != nil)
    return known == nil
  }

  private func put(
    _ rows: UnsafeBufferPointer<QueuedSample>, _ range: Range<Int>, of stream: Int64, upsert: Bool
  ) throws {
    var shape = Shape(upsert: upsert)
    guard let base = rows.baseAddress else { return }
    for row in base + range.lowerBound..<base + range.upperBound {
      let presence = row.sample.presence
      shape.low |= presence.low
      shape.high |= presence.high
      shape.extra = shape.extra || row.extra != nil
    }
    let feed = try self.feed ?? SampleFeed(connection)
    self.feed = feed
    let statement = try statement(shape)
    try feed.giving(rows, range, of: stream) { try statement.run() }
  }

  private func statement(_ shape: Shape) throws -> Statement {
    if let statement = statements[shape] { return statement }
    if statements.count >= Self.shapesKept { statements.removeAll() }
    let statement = try connection.prepare(sql(shape), persistent: true)
    statements[shape] = statement
    return statement
  }

  private func sql(_ shape: Shape) -> String {
    let metrics = Metric.allCases.filter { metric in
      let raw = UInt64(metric.rawValue)
      return (raw < 64 ? shape.low >> raw : shape.high >> (raw - 64)) & 1 == 1
    }
    let columns = metrics.map(\.info.column) + (shape.extra ? ["extra"] : [])
    let values = metrics.map(SampleFeed.column) + (shape.extra ? ["extra"] : [])
    // An error ends the whole transaction, so single statements need no rollback: with ABORT, the default, SQLite would
    // copy each page before each statement.
    var sql = """
      INSERT OR FAIL INTO samples (\((["stream_key", "t_ms"] + columns).joined(separator: ", ")))
      SELECT \((["stream_key", "t_ms"] + values).joined(separator: ", ")) FROM \(SampleFeed.name)
      """
    if shape.upsert {
      let sets = columns.map { "\($0) = coalesce(excluded.\($0), \($0))" }
      sql +=
        " WHERE true ON CONFLICT DO "
        + (sets.isEmpty ? "NOTHING" : "UPDATE SET " + sets.joined(separator: ", "))
    }
    return sql
  }
}

/// A virtual table, `sample_feed`, with samples in memory as its rows: SQLite reads only the columns named in a
/// statement. Binding each value as a parameter takes a third longer.
///
/// Its columns are `m0`, `m1` …, the metrics by raw value, then `stream_key`, `t_ms` and `extra`.
private struct SampleFeed {
  static let name = "sample_feed"

  /// The source of the table's rows: none, while no statement runs.
  private struct Source {
    var rows: UnsafePointer<QueuedSample>?
    var count = 0
    var stream: Int64 = 0
    /// By raw value, so that the loop needs no metric descriptions.
    var isInteger: (low: UInt64, high: UInt64) = (0, 0)
  }

  private struct Table {
    var base = sqlite3_vtab()
    var source: UnsafeMutablePointer<Source>
  }

  private struct Cursor {
    var base = sqlite3_vtab_cursor()
    var source: UnsafeMutablePointer<Source>
    var place = 0
  }

  // Columns after those of the metrics.
  private static let stream = Int32(Sample.capacity)
  private static let time = stream + 1
  private static let extra = stream + 2

  private let source: UnsafeMutablePointer<Source>

  /// Registers the table with a connection, which owns its data until it is closed.
  init(_ connection: Connection) throws {
    source = .allocate(capacity: 1)
    source.initialize(to: Source())
    for metric in Metric.allCases where metric.info.storage == .integer {
      let raw = UInt64(metric.rawValue)
      if raw < 64 {
        source.pointee.isInteger.low |= 1 << raw
      } else {
        source.pointee.isInteger.high |= 1 << (raw - 64)
      }
    }
    // SQLite releases the source itself, even if this fails.
    let code = sqlite3_create_module_v2(connection.handle, Self.name, Self.module, source) {
      $0?.assumingMemoryBound(to: Source.self).deallocate()
    }
    guard code == SQLITE_OK else { throw connection.error(code) }
  }

  /// Gives the table the rows of a stream, from an index on, while the body runs.
  func giving<Result>(
    _ rows: UnsafeBufferPointer<QueuedSample>, _ range: Range<Int>, of stream: Int64,
    _ body: () throws -> Result
  ) rethrows -> Result {
    source.pointee.rows = rows.baseAddress.map { $0 + range.lowerBound }
    source.pointee.count = rows.baseAddress == nil ? 0 : range.count
    source.pointee.stream = stream
    defer {
      source.pointee.rows = nil
      source.pointee.count = 0
    }
    return try body()
  }

  /// The column name of a metric in statements.
  static func column(_ metric: Metric) -> String { "m\(metric.rawValue)" }

  // MARK: Callbacks of SQLite

  /// Never changed or freed, as a connection may be closed at any time.
  private nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
    var module = sqlite3_module()
    module.xConnect = { connection, source, _, _, table, _ in
      guard let source, let table else { return SQLITE_MISUSE }
      let metrics = (0..<Sample.capacity).map { "m\($0)" }.joined(separator: ", ")
      let code = sqlite3_declare_vtab(connection, "CREATE TABLE x (\(metrics), stream_key, t_ms, extra)")
      guard code == SQLITE_OK else { return code }
      let made = UnsafeMutablePointer<Table>.allocate(capacity: 1)
      made.initialize(to: Table(source: source.assumingMemoryBound(to: Source.self)))
      table.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.xDisconnect = { table in
      UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self).deallocate()
      return SQLITE_OK
    }
    module.xBestIndex = { _, plan in
      plan?.pointee.estimatedCost = 1
      return SQLITE_OK
    }
    module.xOpen = { table, cursor in
      guard let table = UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self), let cursor else {
        return SQLITE_MISUSE
      }
      let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
      made.initialize(to: Cursor(source: table.pointee.source))
      cursor.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.xClose = { cursor in
      SampleFeed.cursor(cursor)?.deallocate()
      return SQLITE_OK
    }
    module.xFilter = { cursor, _, _, _, _ in
      SampleFeed.cursor(cursor)?.pointee.place = 0
      return SQLITE_OK
    }
    module.xNext = { cursor in
      SampleFeed.cursor(cursor)?.pointee.place += 1
      return SQLITE_OK
    }
    module.xEof = { cursor in
      guard let cursor = SampleFeed.cursor(cursor) else { return 1 }
      return cursor.pointee.place < cursor.pointee.source.pointee.count ? 0 : 1
    }
    module.xColumn = { cursor, context, column in
      guard let cursor = SampleFeed.cursor(cursor) else { return SQLITE_MISUSE }
      SampleFeed.setResult(column, of: cursor.pointee.place, cursor.pointee.source, to: context)
      return SQLITE_OK
    }
    module.xRowid = { cursor, row in
      row?.pointee = Int64(SampleFeed.cursor(cursor)?.pointee.place ?? 0)
      return SQLITE_OK
    }
    let kept = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    kept.initialize(to: module)
    return UnsafePointer(kept)
  }()

  @inline(__always)
  private static func cursor(_ base: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<
    Cursor
  >? {
    UnsafeMutableRawPointer(base)?.assumingMemoryBound(to: Cursor.self)
  }

  /// Returns a value to SQLite; nil is NULL.
  @inline(__always)
  private static func setResult(
    _ column: Int32, of place: Int, _ source: UnsafeMutablePointer<Source>, to context: OpaquePointer?
  ) {
    guard place < source.pointee.count, let row = source.pointee.rows.map({ $0 + place }) else { return }
    let sample = row.sample
    guard column < Self.stream else {
      switch column {
      case Self.stream: sqlite3_result_int64(context, source.pointee.stream)
      case Self.time: sqlite3_result_double(context, sample.timeMs)
      default:
        guard var extra = row.pointee.extra else { return }
        extra.withUTF8 { cqa_result_text(context, $0.baseAddress, Int32(clamping: $0.count)) }
      }
      return
    }
    let (bit, isLow) = (UInt64(column & 63), column < 64)
    let presence = sample.presence
    guard (isLow ? presence.low : presence.high) &>> bit & 1 == 1 else { return }
    let value = sample.value(Int(column))
    let isInteger = (isLow ? source.pointee.isInteger.low : source.pointee.isInteger.high) &>> bit & 1 == 1
    // Not `Int64(exactly:)`, which calls a function of the C library.
    if isInteger, value.magnitude < 0x1p62, Double(Int64(value)) == value {
      sqlite3_result_int64(context, Int64(value))
    } else if value.isFinite {
      sqlite3_result_double(context, value)
    }
  }
}

/// Inserts path samples into table `path_samples`, one per poll, with a prepared statement: looking it up by its text
/// would cost as much as the row.
final class PathInserter {
  private let connection: Connection
  private var statement: Statement?

  init(_ connection: Connection) { self.connection = connection }

  /// Inserts a row, or merges it into the existing one.
  func insert(_ sample: TransportSample, of path: Int64) throws {
    let statement = try self.statement ?? connection.prepare(Self.sql, persistent: true)
    self.statement = statement
    statement.bind(1, path)
    statement.bind(2, sample.timeMs)
    var place: Int32 = 3
    let figures = sample.figures
    for index in figures.indices {
      if let figure = figures[index] { statement.bind(place, figure) } else { statement.bindNull(place) }
      place += 1
    }
    if let extra = sample.extra { statement.bind(place, extra) } else { statement.bindNull(place) }
    try statement.run()
  }

  private static let columns = StreamTables.pathColumns
  private static let sql = """
    INSERT INTO path_samples (path_key, t_ms, \(columns.joined(separator: ", ")))
    VALUES (?, ?\(String(repeating: ", ?", count: columns.count)))
    ON CONFLICT DO UPDATE SET \(columns.map { "\($0) = coalesce(excluded.\($0), \($0))" }.joined(separator: ", "))
    """
}
