import CallModel
import CSQLite
import SQLite

/// Puts samples of paths into table `path_samples`, one a poll: by a statement that is kept at hand, for looking one up by its
/// text costs as much as the row.
final class PathInserter {
  private let connection: Connection
  private var statement: Statement?

  init(_ connection: Connection) { self.connection = connection }

  /// Adds a row, or adds to the row that is there.
  func insert(_ sample: TransportSample, of path: Int64) throws {
    let statement = try self.statement ?? connection.prepare(Self.sql, persistent: true)
    self.statement = statement
    statement.bind(1, path)
    statement.bind(2, sample.timeMs)
    bind(statement, 3, sample.rttMs)
    bind(statement, 4, sample.availableOutgoingBps)
    bind(statement, 5, sample.availableIncomingBps)
    bind(statement, 6, sample.bytesSent)
    bind(statement, 7, sample.bytesReceived)
    bind(statement, 8, sample.lastPacketMs)
    bind(statement, 9, sample.requestsSent)
    bind(statement, 10, sample.responsesReceived)
    bind(statement, 11, sample.requestsReceived)
    bind(statement, 12, sample.responsesSent)
    bind(statement, 13, sample.totalRttMs)
    bind(statement, 14, sample.pairChanges)
    if let extra = sample.extra { statement.bind(15, extra) } else { statement.bindNull(15) }
    try statement.run()
  }

  private func bind(_ statement: Statement, _ place: Int32, _ figure: Double?) {
    if let figure { statement.bind(place, figure) } else { statement.bindNull(place) }
  }

  private static let columns = StreamTables.pathColumns
  private static let sql = """
    INSERT INTO path_samples (path_key, t_ms, \(columns.joined(separator: ", ")))
    VALUES (?, ?\(String(repeating: ", ?", count: columns.count)))
    ON CONFLICT DO UPDATE SET \(columns.map { "\($0) = coalesce(excluded.\($0), \($0))" }.joined(separator: ", "))
    """
}
