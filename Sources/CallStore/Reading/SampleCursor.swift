import CSQLite
import CallModel

/// Goes through the samples of one stream in the order of time, without an allocation a row.
///
/// A cursor is for one thread, and must be gone before the store.
public final class SampleCursor {
  private let statement: Statement
  /// Keeps the file open as long as the cursor is.
  private let connection: Connection

  init(_ connection: Connection, stream: Int64, from: Double?, to: Double?) throws {
    let columns = Metric.allCases.map(\.info.column).joined(separator: ", ")
    self.connection = connection
    self.statement = try connection.prepare(
      """
      SELECT t_ms, \(columns) FROM samples WHERE stream_key = ?1 AND t_ms >= ?2 AND t_ms <= ?3
      ORDER BY stream_key, t_ms
      """)
    statement.bind(1, stream)
    statement.bind(2, from ?? -.infinity)
    statement.bind(3, to ?? .infinity)
  }

  /// Reads the next sample; false at the end.
  public func next(into sample: inout Sample) throws -> Bool {
    guard try statement.step() else { return false }
    let row = statement.handle
    sample = Sample(timeMs: sqlite3_column_double(row, 0))
    for metric in Metric.allCases {
      let column = Int32(metric.rawValue) &+ 1
      if sqlite3_column_type(row, column) != SQLITE_NULL {
        sample.set(metric, sqlite3_column_double(row, column))
      }
    }
    return true
  }
}

extension Store {
  /// The samples of a stream, from and to included.
  public func samples(ofStream stream: Int64, from: Double? = nil, to: Double? = nil) throws -> SampleCursor {
    try exclusive { try SampleCursor(connection, stream: stream, from: from, to: to) }
  }
}
