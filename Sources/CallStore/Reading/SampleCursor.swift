import CallModel
import CSQLite
import SQLite

/// Goes through the samples of one stream in the order of time, without an allocation a row.
///
/// Reads only the columns that the stream has. A cursor is for one thread, and must be gone before the store.
public final class SampleCursor {
  private let connection: Connection
  private let stream: Int64
  private let columns: SampleColumns
  /// Where it goes on, and ends.
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

  /// Lets go of its place in the file after a sample that it gave, to look it up again: SQLite goes through all places
  /// that are kept whenever one is taken, which with thousands of them is most of the work.
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
  /// Gives the time of each sample of a stream with the JSON object of its members that have no column, nil where it has none.
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

  /// The samples of a stream, from and to included.
  public func samples(ofStream stream: Int64, from: Double? = nil, to: Double? = nil) throws -> SampleCursor {
    try exclusive {
      let names = try connection.first("SELECT metrics FROM streams WHERE stream_key = ?", stream)?.string
      return SampleCursor(
        connection, stream: stream, sampleColumns.columns(of: names), from: from, to: to)
    }
  }
}

/// The columns of `samples` that a stream has, and how they are asked for.
struct SampleColumns {
  let metrics: [Metric]
  let sql: String
  /// All rows of a stream, with the members that have no column.
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

/// The columns by their list in table `streams`: most streams of a database have one of a few lists.
final class KnownSampleColumns {
  private var known: [String: SampleColumns] = [:]

  /// The columns of a list; all of them where there is none.
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
