import CSQLite
import CallModel

/// Puts runs of samples into table `samples`: a run a statement, naming only the columns that it has.
///
/// Most of the columns of a wide row are unknown, and which ones depends on the stream, so there is a statement for each
/// set of columns met; a recording has about a dozen.
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

  /// Adds rows of one stream, from an index on, whose times are new to the table.
  func insert(_ rows: UnsafeBufferPointer<WaitingSample>, from first: Int, of stream: Int64) throws {
    guard first < rows.count else { return }
    try put(rows, first..<rows.count, of: stream, upsert: false)
  }

  /// Adds a row, or adds to the row that is there; returns whether it was new.
  func merge(_ rows: UnsafeBufferPointer<WaitingSample>, _ index: Int, into stream: Int64) throws -> Bool {
    let known = try connection.first(
      "SELECT 1 FROM samples WHERE stream_key = ? AND t_ms = ?", stream, rows[index].sample.timeMs)
    try put(rows, index..<index + 1, of: stream, upsert: known != nil)
    return known == nil
  }

  private func put(
    _ rows: UnsafeBufferPointer<WaitingSample>, _ range: Range<Int>, of stream: Int64, upsert: Bool
  ) throws {
    var shape = Shape(upsert: upsert)
    for index in range {
      let presence = rows[index].sample.presence
      shape.low |= presence.low
      shape.high |= presence.high
      shape.extra = shape.extra || rows[index].extra != nil
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
    // A failure ends the whole transaction, so no statement need be undone by itself: with ABORT, the default, SQLite would
    // keep a copy of every page before each statement.
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
