import CallModel
import CSQLite
import SQLite

/// Iterates over the samples of one stream in order of time, without an allocation per row.
///
/// Reads only the columns that the stream has. For one thread; must be released before the store.
public final class SampleCursor {
  private let connection: Connection
  private let stream: Int64
  private let columns: SampleColumns
  /// The current range of time.
  private var from: Double
  private let to: Double
  private var lent: BorrowedStatement?

  init(_ connection: Connection, stream: Int64, _ columns: SampleColumns, from: Double?, to: Double?) {
    self.connection = connection
    self.stream = stream
    self.columns = columns
    self.from = from ?? -.infinity
    self.to = to ?? .infinity
  }

  /// Reads the next sample; false at the end.
  public func next(into sample: inout Sample) throws -> Bool {
    let statement = try lent?.statement ?? begin()
    guard try statement.step() else { return false }
    let row = statement.handle
    sample = Sample(timeMs: sqlite3_column_double(row, 0))
    var column: Int32 = 0
    for metric in columns.metrics {
      column &+= 1
      let value = sqlite3_column_value(row, column)
      if sqlite3_value_type(value) != SQLITE_NULL { sample.set(metric, sqlite3_value_double(value)) }
    }
    return true
  }

  /// Resets the statement after a sample, to seek to it again later: SQLite goes through all open cursors whenever one
  /// is opened, which with thousands of them is most of the work.
  public func rest(after sample: borrowing Sample) {
    from = sample.timeMs.nextUp
    lent = nil
  }

  private func begin() throws -> Statement {
    let lent = try connection.lend(columns.sql)
    lent.statement.bind(1, stream)
    lent.statement.bind(2, from)
    lent.statement.bind(3, to)
    self.lent = lent
    return lent.statement
  }
}

extension Store {
  /// Calls the body with the time of each sample of a stream and the JSON object of its members without a column, nil
  /// if there is none.
  public func extras(ofStream stream: Int64, _ body: (Double, String?) -> Void) throws {
    try exclusive {
      let lent = try connection.lend(
        "SELECT t_ms, extra FROM samples WHERE stream_key = ?1 ORDER BY stream_key, t_ms")
      lent.statement.bind(1, stream)
      while try lent.statement.step() {
        body(lent.statement.optionalDouble(0) ?? 0, lent.statement.optionalText(1))
      }
    }
  }

  /// The samples of a stream in a closed range of time.
  public func samples(ofStream stream: Int64, from: Double? = nil, to: Double? = nil) throws -> SampleCursor {
    try exclusive {
      let names = try connection.first("SELECT metrics FROM streams WHERE stream_key = ?", stream)?.string
      return SampleCursor(
        connection, stream: stream, sampleColumns.columns(of: names), from: from, to: to)
    }
  }
}

/// The columns of `samples` that a stream has, and the SQL to read them.
struct SampleColumns {
  let metrics: [Metric]
  let sql: String
  /// All rows of a stream, with the members without a column.
  var withExtra: String {
    let columns = (["t_ms", "extra"] + metrics.map(\.info.column)).joined(separator: ", ")
    return "SELECT \(columns) FROM samples WHERE stream_key = ?"
  }

  init(_ metrics: [Metric]) {
    self.metrics = metrics
    let columns = (["t_ms"] + metrics.map(\.info.column)).joined(separator: ", ")
    sql = """
      SELECT \(columns) FROM samples WHERE stream_key = ?1 AND t_ms >= ?2 AND t_ms <= ?3 ORDER BY stream_key, t_ms
      """
  }

  static let all = SampleColumns(Metric.allCases)
}

/// Caches the columns by their list in table `streams`: most streams of a database share a few lists.
final class KnownSampleColumns {
  private var known: [String: SampleColumns] = [:]

  /// The columns of a list; all columns without a list.
  func columns(of list: String?) -> SampleColumns {
    guard let list else { return .all }
    if let columns = known[list] { return columns }
    if known.count >= 256 { known.removeAll() }
    let columns = SampleColumns(Metric.listed(in: list))
    known[list] = columns
    return columns
  }
}

extension Metric {
  /// The known metrics of a sample, as column names.
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
