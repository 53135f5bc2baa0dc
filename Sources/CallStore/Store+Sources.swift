import CallModel
import SQLite

/// What is known of a source that was shorter when it was imported.
public struct PreviousState: Sendable {
  public var sha256: String
  public var bytes: Int
  public var run: String?
  /// The call that a person or a manifest gave it.
  public var call: String?
  /// Whether its samples were pruned.
  public var isPruned: Bool
}

extension Store {
  /// The source of that digest, if the database has it in whatever state.
  public func source(sha256: String) throws -> StoredSource? {
    try sources("WHERE sha256 = ?", sha256).first
  }

  /// The source of that key.
  public func source(_ id: Int64) throws -> StoredSource? {
    try sources("WHERE source_id = ?", id).first
  }

  /// The digest's source if it was taken, whole or in part: importing it again changes nothing.
  public func taken(sha256: String) throws -> StoredSource? {
    guard var source = try source(sha256: sha256), [.imported, .partial].contains(source.status.word) else {
      return nil
    }
    source.unchanged = true
    return source
  }

  /// Whether a source of that size was digested: only then can a file be one that is known.
  public func hasSource(bytes: Int) throws -> Bool {
    try exclusive {
      try connection.first("SELECT 1 FROM sources WHERE bytes = ? AND sha256 IS NOT NULL LIMIT 1", bytes)
        != nil
    }
  }

  /// Sources that were met at that path when what lay there was shorter, the longest first.
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

  /// Places where something was left that could not be opened: folders, links that led nowhere.
  public func leftPlaces() throws -> Set<String> {
    try exclusive {
      Set(try connection.rows("SELECT path FROM sources WHERE \(Self.isLeft)", body: { $0.text(0) }))
    }
  }

  /// Forgets what was left at places that can be opened now.
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

  /// Takes a source by itself: whatever the body tells the writer is stored when it returns, and nothing if it throws.
  ///
  /// May be called by several threads at a time: records are buffered, and the database is taken once there are many or
  /// the body is done. A source that is already there is given back as it is, with `unchanged` set.
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

  /// Call ids of the calls a source has a part in, in order.
  public func callIDs(ofSource id: Int64) throws -> [String] {
    try exclusive {
      try connection.rows(
        """
        SELECT DISTINCT call_id FROM connections JOIN calls USING (call_key) WHERE source_id = ? ORDER BY call_id
        """, id
      ) { $0.text(0) }
    }
  }

  /// What was guessed, recomputed or dropped in a source, in words.
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
        var status = SourceStatus(SourceStatus.Word(rawValue: row.text(4)) ?? .refused)
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
