import CSQLite
import CallModel

/// Puts runs of samples into table `samples`: sixteen rows a statement, naming only the columns the run has.
///
/// Most of the columns of a wide row are unknown, and which ones depends on the stream, so there is a statement for each
/// set of columns met; a recording has about a dozen.
final class SampleInserter {
  private static let many = 16
  private static let shapesKept = 128

  private struct Shape: Hashable {
    var low: UInt64
    var high: UInt64
    var extra: Bool
    var rows: Int
    var upsert = false
  }

  private let connection: Connection
  private var statements: [Shape: Statement] = [:]
  /// The shape of the last row, which most often is that of the next.
  private var last: (shape: Shape, statement: Statement)?
  /// By raw value, so that no description is asked for in the loop.
  private let isInteger: [Bool] = Metric.allCases.map { $0.info.storage == .integer }

  init(_ connection: Connection) { self.connection = connection }

  /// Adds rows of one stream, from an index on, whose times are new to the table.
  func insert(_ rows: UnsafeBufferPointer<WaitingSample>, from first: Int, of stream: Int64) throws {
    var next = first
    while next < rows.count {
      let count = rows.count - next >= Self.many ? Self.many : 1
      try put(rows, next..<next + count, of: stream, upsert: false)
      next += count
    }
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
    guard let base = rows.baseAddress else { return }
    var shape = Shape(low: 0, high: 0, extra: false, rows: range.count, upsert: upsert)
    for index in range {
      let presence = rows[index].sample.presence
      shape.low |= presence.low
      shape.high |= presence.high
      shape.extra = shape.extra || rows[index].extra != nil
    }
    let statement = try statement(shape)
    let handle = statement.handle
    sqlite3_bind_int64(handle, 1, stream)
    var parameter: Int32 = 2
    for index in range {
      sqlite3_bind_double(handle, parameter, rows[index].sample.timeMs)
      parameter &+= 1
      let sample = (base + index).sample
      bind(sample, sample.presence.low, of: shape.low, from: 0, to: handle, &parameter)
      bind(sample, sample.presence.high, of: shape.high, from: 64, to: handle, &parameter)
      if shape.extra {
        if let extra = rows[index].extra {
          statement.bind(parameter, extra)
        } else {
          statement.bindNull(parameter)
        }
        parameter &+= 1
      }
    }
    try statement.run()
  }

  /// Binds what a sample knows of the metrics of a mask, and NULL for the others.
  @inline(__always)
  private func bind(
    _ sample: SampleView, _ present: UInt64, of mask: UInt64, from base: Int,
    to handle: OpaquePointer, _ parameter: inout Int32
  ) {
    var bits = mask
    while bits != 0 {
      let place = bits.trailingZeroBitCount
      bits &= bits &- 1
      let value = sample.value(base &+ place)
      if present &>> UInt64(place) & 1 == 1, value.isFinite {
        if isInteger[base &+ place], let whole = Int64(exactly: value) {
          sqlite3_bind_int64(handle, parameter, whole)
        } else {
          sqlite3_bind_double(handle, parameter, value)
        }
      } else {
        sqlite3_bind_null(handle, parameter)
      }
      parameter &+= 1
    }
  }

  private func statement(_ shape: Shape) throws -> Statement {
    if let last, last.shape == shape { return last.statement }
    if statements.count >= Self.shapesKept { statements.removeAll() }
    let statement = try statements[shape] ?? connection.prepare(sql(shape), persistent: true)
    statements[shape] = statement
    last = (shape, statement)
    return statement
  }

  private func sql(_ shape: Shape) -> String {
    var columns = Metric.allCases.filter { metric in
      let raw = UInt64(metric.rawValue)
      return (raw < 64 ? shape.low >> raw : shape.high >> (raw - 64)) & 1 == 1
    }.map(\.info.column)
    if shape.extra { columns.append("extra") }
    var next = 2
    let rows = (0..<shape.rows).map { _ in
      let parameters = (next...next + columns.count).map { "?\($0)" }
      next += parameters.count
      return "(?1, \(parameters.joined(separator: ", ")))"
    }
    let names = (["stream_key", "t_ms"] + columns).joined(separator: ", ")
    // A failure ends the whole transaction, so no statement need be undone by itself: with ABORT, the default, SQLite would
    // keep a copy of every page before each statement.
    var sql = "INSERT OR FAIL INTO samples (\(names)) VALUES \(rows.joined(separator: ", "))"
    if shape.upsert {
      let sets = columns.map { "\($0) = coalesce(excluded.\($0), \($0))" }
      sql += " ON CONFLICT DO " + (sets.isEmpty ? "NOTHING" : "UPDATE SET " + sets.joined(separator: ", "))
    }
    return sql
  }
}
