import CallModel
import SQLite

/// An earlier import of a source that has grown since.
public struct PreviousState: Sendable {
  public var sha256: String
  public var bytes: Int
  public var run: String?
  /// The call assigned by a person or a manifest.
  public var call: String?
  /// Whether its samples were pruned.
  public var isPruned: Bool
}

extension Store {
  /// The source with a digest, whatever its status.
  public func source(sha256: String) throws -> StoredSource? {
    try sources("WHERE sha256 = ?", sha256).first
  }

  /// The source with a key.
  public func source(_ id: Int64) throws -> StoredSource? {
    try sources("WHERE source_id = ?", id).first
  }

  /// The source with a digest if it was imported, fully or in part: importing it again changes nothing.
  public func taken(sha256: String) throws -> StoredSource? {
    guard var source = try source(sha256: sha256), [.imported, .partial].contains(source.status.value) else {
      return nil
    }
    source.unchanged = true
    return source
  }

  /// Whether there is a source of this size with a digest: otherwise a file of the size cannot be known.
  public func hasSource(bytes: Int) throws -> Bool {
    try exclusive {
      try connection.first("SELECT 1 FROM sources WHERE bytes = ? AND sha256 IS NOT NULL LIMIT 1", bytes)
        != nil
    }
  }

  /// Sources imported from a path while the file was shorter, the longest first.
  public func earlierStates(ofPath path: String, shorterThan bytes: Int) throws -> [PreviousState] {
    try exclusive {
      try connection.rows(
        """
        SELECT sha256, bytes, run_id, given_call, pruned_ms IS NOT NULL FROM sources
        WHERE path = ? AND bytes < ? AND bytes > 0 AND sha256 IS NOT NULL
        """, path, bytes
      ) { row in
        PreviousState(
          sha256: row.text(0), bytes: Int(row.int64(1)), run: row.optionalText(2), call: row.optionalText(3),
          isPruned: row.int64(4) != 0)
      }.sorted { $0.bytes > $1.bytes }
    }
  }

  private static let isLeft = "sha256 IS NULL AND bytes IS NULL AND status IN ('refused', 'skipped')"

  /// Paths that could not be opened in earlier imports: folders, and links without a target.
  public func leftPlaces() throws -> Set<String> {
    try exclusive {
      Set(try connection.rows("SELECT path FROM sources WHERE \(Self.isLeft)", body: { $0.text(0) }))
    }
  }

  /// Removes the entries of paths that can be opened now.
  public func forgetLeft(at places: [String]) throws {
    guard !places.isEmpty else { return }
    try exclusive {
      try connection.transaction {
        for place in places {
          try connection.run("DELETE FROM sources WHERE path = ? AND \(Self.isLeft)", place)
        }
      }
    }
  }

  /// Imports one source: everything that the body gives to the writer is stored when it returns, and nothing if it
  /// throws.
  ///
  /// May be called by several threads at a time: records are buffered, and the database is locked once there are many
  /// of them or the body is done. A source that is already stored is returned unchanged, with `unchanged` set.
  @discardableResult
  public func write(_ header: SourceHeader, _ body: (SourceWriter) throws -> SourceStatus) throws
    -> StoredSource
  {
    if let digest = header.sha256, let source = try taken(sha256: digest) { return source }
    let writer = SourceWriter(store: self, header: header)
    do {
      let status = try body(writer)
      try writer.settleDigest()
      return try writer.finish(status)
    } catch {
      return try known(insteadOf: error, writer)
    }
  }

  /// Sorted ids of the calls that have connections in a source.
  public func callIDs(ofSource id: Int64) throws -> [String] {
    try exclusive {
      try connection.rows(
        """
        SELECT DISTINCT call_id FROM source_views JOIN calls USING (call_key) WHERE source_id = ? ORDER BY call_id
        """, id
      ) { $0.text(0) }
    }
  }

  /// The notes of a source: what was guessed, recomputed or dropped.
  public func notes(ofSource id: Int64) throws -> [String] {
    try exclusive {
      try connection.rows("SELECT note, count FROM notes WHERE source_id = ? ORDER BY note", id) { row in
        row.int64(1) > 1 ? "\(row.text(0)) (\(row.int64(1)) times)" : row.text(0)
      }
    }
  }

  private func sources(_ condition: String, _ value: any CellConvertible) throws -> [StoredSource] {
    try exclusive {
      try connection.rows(
        """
        SELECT source_id, path, sha256, format, status, reason_code, reason, byte, line, run_id, given_call, first_ms,
          last_ms, streams, samples, events, packets, rejected FROM sources \(condition)
        """, value
      ) { row in
        var status = SourceStatus(SourceStatus.Value(rawValue: row.text(4)) ?? .refused)
        status.code = row.optionalText(5).flatMap(ReasonCode.init)
        status.reason = row.optionalText(6)
        status.byte = row.optionalInt(7)
        status.line = row.optionalInt(8)
        return StoredSource(
          id: row.int64(0), path: row.text(1), sha256: row.optionalText(2),
          format: row.optionalText(3).map(SourceFormat.init), status: status, run: row.optionalText(9),
          call: row.optionalText(10), firstMs: row.optionalDouble(11), lastMs: row.optionalDouble(12),
          streams: Int(row.int64(13)), samples: Int(row.int64(14)), events: Int(row.int64(15)),
          packets: Int(row.int64(16)), rejected: Int(row.int64(17)), unchanged: false)
      }
    }
  }
}
