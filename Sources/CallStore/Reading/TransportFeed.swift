import CallModel
import SQLite

/// The path samples of an end in order of time, one at a time, so that memory does not grow with the call.
///
/// For one thread; must be released before the store.
public final class TransportFeed {
  /// Up to this number, paths are merged from cursors of their own; beyond it, the database sorts.
  private static let maxTracks = 64

  /// A cursor with its next row.
  private final class Track {
    private let lent: BorrowedStatement
    var timeMs = 0.0
    var row: Statement { lent.statement }

    init(_ lent: BorrowedStatement) { self.lent = lent }

    func advance() throws -> Bool {
      guard try row.step() else { return false }
      timeMs = row.optionalDouble(1) ?? 0
      return true
    }
  }

  /// The facts of each path, by key.
  private let paths: [Int64: TransportSample]
  private var tracks: [Track] = []

  init(_ connection: Connection, endpoint: Int64, sources: Set<Int64>?) throws {
    let wanted = sources.map { "[\($0.sorted().map(String.init).joined(separator: ","))]" }
    let rows = try connection.rows(
      """
      SELECT path_key, connection_key, pair, local, remote, local_type, remote_type, protocol, relay_protocol, network_type, ice_state,
        dtls_state
      FROM paths JOIN source_views AS c USING (connection_key)
      WHERE c.endpoint_key = ?1 AND (?2 IS NULL OR c.source_id IN (SELECT value FROM json_each(?2))) ORDER BY path_key
      """, endpoint, wanted
    ) { row in
      var sample = TransportSample(timeMs: 0)
      sample.connection = row.int64(1)
      sample.pair = row.optionalText(2)
      sample.local = row.optionalText(3)
      sample.remote = row.optionalText(4)
      sample.localType = row.optionalText(5)
      sample.remoteType = row.optionalText(6)
      sample.networkProtocol = row.optionalText(7)
      sample.relayProtocol = row.optionalText(8)
      sample.networkType = row.optionalText(9)
      sample.iceState = row.optionalText(10)
      sample.dtlsState = row.optionalText(11)
      return (key: row.int64(0), sample: sample)
    }
    paths = Dictionary(rows.map { ($0.key, $0.sample) }) { first, _ in first }
    let columns = (["path_key", "t_ms"] + StreamTables.pathColumns).joined(separator: ", ")
    if rows.count <= Self.maxTracks {
      for row in rows {
        let track = Track(
          try connection.lend(
            "SELECT \(columns) FROM path_samples WHERE path_key = ?1 ORDER BY path_key, t_ms"))
        track.row.bind(1, row.key)
        try begin(track)
      }
    } else {
      let track = Track(
        try connection.lend(
          """
          SELECT \(columns) FROM paths JOIN source_views AS c USING (connection_key) JOIN path_samples USING (path_key)
          WHERE c.endpoint_key = ?1 AND (?2 IS NULL OR c.source_id IN (SELECT value FROM json_each(?2)))
          ORDER BY t_ms, path_key
          """))
      track.row.bind(1, endpoint)
      track.row.bind(2, wanted.cell)
      try begin(track)
    }
  }

  private func begin(_ track: Track) throws {
    if try track.advance() { tracks.append(track) }
  }

  /// The next sample, nil at the end; samples with equal times are in the order of the paths.
  public func next() throws -> TransportSample? {
    guard var earliest = tracks.indices.first else { return nil }
    for index in tracks.indices where tracks[index].timeMs < tracks[earliest].timeMs { earliest = index }
    let track = tracks[earliest]
    let row = track.row
    var sample = paths[row.int64(0)] ?? TransportSample(timeMs: 0)
    sample.timeMs = track.timeMs
    sample.takeFigures(of: row, from: 2)
    if try !track.advance() { tracks.remove(at: earliest) }
    return sample
  }
}

extension TransportSample {
  /// Reads the columns of a row of `path_samples`, in the order of `StreamTables.pathColumns`, from an index on.
  mutating func takeFigures(
    of row: Statement, from place: Int32, number: ((Int32) -> Double?)? = nil
  ) {
    let end = place + Int32(Self.columns.count)
    if let number {
      figures = InlineArray { number(place + Int32($0)) }
    } else {
      figures = InlineArray { row.optionalDouble(place + Int32($0)) }
    }
    extra = row.optionalText(end)
  }
}

extension Store {
  /// The path samples of an end, from all or some of its sources.
  public func transports(ofEndpoint endpoint: Int64, sources: Set<Int64>? = nil) throws -> TransportFeed {
    try exclusive { try TransportFeed(connection, endpoint: endpoint, sources: sources) }
  }

  /// The type of the local candidate of an end's first path; nil if unknown.
  public func firstLocalType(ofEndpoint endpoint: Int64, source: Int64? = nil) throws -> String? {
    try exclusive {
      try connection.rows(
        """
        SELECT (SELECT min(t_ms) FROM path_samples AS s WHERE s.path_key = p.path_key), path_key, local_type
        FROM source_views AS c CROSS JOIN paths AS p USING (connection_key)
        WHERE c.endpoint_key = ?1 AND local_type IS NOT NULL AND (?2 IS NULL OR c.source_id = ?2)
        """, endpoint, source
      ) { ($0.optionalDouble(0) ?? .infinity, $0.int64(1), $0.text(2)) }.min { $0 < $1 }?.2
    }
  }
}
