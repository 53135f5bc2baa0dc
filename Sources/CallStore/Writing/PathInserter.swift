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
    try statement.run()
  }

  private func bind(_ statement: Statement, _ place: Int32, _ figure: Double?) {
    if let figure { statement.bind(place, figure) } else { statement.bindNull(place) }
  }

  private static let sql = """
    INSERT INTO path_samples (path_key, t_ms, rtt_ms, available_out_bps, available_in_bps, bytes_sent, bytes_received,
      last_packet_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET rtt_ms = coalesce(excluded.rtt_ms, rtt_ms),
      available_out_bps = coalesce(excluded.available_out_bps, available_out_bps),
      available_in_bps = coalesce(excluded.available_in_bps, available_in_bps),
      bytes_sent = coalesce(excluded.bytes_sent, bytes_sent),
      bytes_received = coalesce(excluded.bytes_received, bytes_received),
      last_packet_ms = coalesce(excluded.last_packet_ms, last_packet_ms)
    """
}
