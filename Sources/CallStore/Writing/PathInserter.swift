import CallModel
import CSQLite
import SQLite

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
