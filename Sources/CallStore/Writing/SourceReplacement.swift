import SQLite

/// Replaces earlier versions of a source: a log imported while it was still being written, an export that was
/// corrected.
struct SourceReplacement {
  let connection: Connection

  /// The sources with these digests.
  func sources(ofDigests digests: [String]) throws -> [Int64] {
    try digests.compactMap {
      try connection.first("SELECT source_id FROM sources WHERE sha256 = ?", $0)?.integer
    }
  }

  /// Deletes sources; their calls and manual marks go to the new source. Part of the transaction that wrote it, before
  /// its connections are grouped into calls.
  func replace(_ sources: [Int64], by new: Int64) throws {
    for old in sources {
      let calls = try connection.rows(
        "SELECT DISTINCT call_key FROM connections WHERE source_id = ? AND call_key IS NOT NULL", old,
        body: { $0.int64(0) })
      try handOver(from: old, to: new)
      try remove(old)
      try CallAssignment(connection: connection, run: nil).removeEmptied(Set(calls))
    }
  }

  /// Connections with the same name in both are the same: calls keep their rows with all marks, and corrections their
  /// parts. Connections with new names go to the only call, if there was just one.
  private func handOver(from old: Int64, to new: Int64) throws {
    try connection.run(
      """
      UPDATE connections SET call_key = coalesce(
        (SELECT o.call_key FROM connections AS o
          WHERE o.source_id = ?1 AND coalesce(o.name, '') = coalesce(connections.name, '') AND o.whole = connections.whole
          ORDER BY o.connection_key LIMIT 1),
        (SELECT min(o.call_key) FROM connections AS o WHERE o.source_id = ?1 HAVING count(DISTINCT o.call_key) = 1),
        call_key)
      WHERE source_id = ?2
      """, old, new)
    for side in ["left_sha256", "right_sha256"] {
      try connection.run(
        """
        UPDATE OR REPLACE corrections SET \(side) = (SELECT sha256 FROM sources WHERE source_id = ?2)
        WHERE \(side) = (SELECT sha256 FROM sources WHERE source_id = ?1)
        """, old, new)
    }
  }

  /// Deletes a source with all of its data. Sources are written with foreign keys off, so nothing cascades.
  private func remove(_ source: Int64) throws {
    let parts = "(SELECT connection_key FROM connections WHERE source_id = ?1)"
    let streams = "(SELECT stream_key FROM streams WHERE connection_key IN \(parts))"
    let paths = "(SELECT path_key FROM paths WHERE connection_key IN \(parts))"
    for statement in [
      "DELETE FROM samples WHERE stream_key IN \(streams)",
      "DELETE FROM path_samples WHERE path_key IN \(paths)",
      "DELETE FROM streams WHERE connection_key IN \(parts)",
      "DELETE FROM paths WHERE connection_key IN \(parts)",
      "DELETE FROM events WHERE connection_key IN \(parts)",
      "DELETE FROM aliases WHERE connection_key IN \(parts)",
      "DELETE FROM connections WHERE source_id = ?1",
      "DELETE FROM rejects WHERE source_id = ?1",
      "DELETE FROM notes WHERE source_id = ?1",
      "DELETE FROM sources WHERE source_id = ?1",
    ] { try connection.run(statement, source) }
  }
}
