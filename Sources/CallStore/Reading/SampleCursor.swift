import CSQLite
import CallModel

/// Goes through the samples of one stream in the order of time, without an allocation a row.
///
/// Reads only the columns that the stream has. A cursor is for one thread, and must be gone before the store.
public final class SampleCursor {
  private let statement: Statement
  /// Keeps the file open as long as the cursor is.
  private let connection: Connection
  /// The metric of each column after the time.
  private let metrics: [Metric]

  init(_ connection: Connection, stream: Int64, metrics: [Metric], from: Double?, to: Double?) throws {
    self.connection = connection
    self.metrics = metrics
    let columns = (["t_ms"] + metrics.map(\.info.column)).joined(separator: ", ")
    self.statement = try connection.prepare(
      """
      SELECT \(columns) FROM samples WHERE stream_key = ?1 AND t_ms >= ?2 AND t_ms <= ?3 ORDER BY stream_key, t_ms
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
    var column: Int32 = 0
    for metric in metrics {
      column &+= 1
      let value = sqlite3_column_value(row, column)
      if sqlite3_value_type(value) != SQLITE_NULL { sample.set(metric, sqlite3_value_double(value)) }
    }
    return true
  }
}

extension Store {
  /// The samples of a stream, from and to included.
  public func samples(ofStream stream: Int64, from: Double? = nil, to: Double? = nil) throws -> SampleCursor {
    try exclusive {
      let names = try connection.first("SELECT metrics FROM streams WHERE stream_key = ?", stream)?.string
      let metrics = names.map { Metric.listed(in: $0) } ?? Metric.allCases
      return try SampleCursor(connection, stream: stream, metrics: metrics, from: from, to: to)
    }
  }
}

extension Metric {
  /// The metrics that a sample knows, as the names of their columns.
  static func list(_ sample: borrowing Sample) -> String {
    var names: [String] = []
    for metric in allCases where sample.has(metric) { names.append(metric.info.column) }
    return names.joined(separator: " ")
  }

  /// The metrics of such a list.
  static func listed(in names: String) -> [Metric] {
    let names = Set(names.split(separator: " ").map(String.init))
    return allCases.filter { names.contains($0.info.column) }
  }
}
