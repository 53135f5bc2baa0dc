/// The result of pruning.
public struct PruneResult: Sendable, Equatable {
  public var calls = 0
  public var samples = 0
  /// Bytes freed in the file.
  public var bytes = 0
}

extension Store {
  /// Deletes the samples of calls that started before a time; scores, phases, findings and stream totals stay.
  ///
  /// - Parameters:
  /// - keepWorst: share (0-1) of the calls with samples, including pruned ones, whose samples are kept, the worst calls
  /// first.
  /// - isInterrupted: asked between batches; completed batches stay.
  public func prune(
    samplesBefore instantMs: Double, keepWorst: Double = 0, isInterrupted: () -> Bool = { false }
  ) throws -> PruneResult {
    try exclusive {
      try checkForeignKeys(true)
      let pages = try pageCount()
      let old = try callsWorstFirst(before: instantMs)
      let kept = Int((Double(old.count) * min(max(keepWorst, 0), 1)).rounded(.up))
      var pruned = PruneResult()
      let pending = old.filter { !$0.isPruned }.dropFirst(kept).map(\.key)
      for start in stride(from: 0, to: pending.count, by: Self.batch) {
        if isInterrupted() { break }
        let batch = pending.dropFirst(start).prefix(Self.batch)
        try connection.transaction {
          for call in batch { pruned.samples += try pruneSamples(ofCall: call, instantMs) }
        }
        pruned.calls += batch.count
      }
      try connection.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
      pruned.bytes =
        max(0, pages - (try pageCount())) * Int(try connection.first("PRAGMA page_size")?.integer ?? 0)
      return pruned
    }
  }

  private static let batch = 200

  /// Calls with samples, including pruned ones: broken calls first, then by the share of poor windows and the mean, as
  /// in `worst-calls`. Calls from logs alone have nothing to keep.
  private func callsWorstFirst(before instantMs: Double) throws -> [(key: Int64, isPruned: Bool)] {
    try connection.rows(
      """
      SELECT call_key, EXISTS (SELECT 1 FROM source_views AS one JOIN sources USING (source_id)
        WHERE one.call_key = call.call_key AND sources.pruned_ms IS NOT NULL)
      FROM judged_calls AS call WHERE started_ms IS NOT NULL AND night_ms < ?
      AND (pruned_ms IS NOT NULL OR EXISTS (SELECT 1 FROM source_views AS one WHERE one.call_key = call.call_key AND (
        EXISTS (SELECT 1 FROM streams JOIN samples USING (stream_key) WHERE streams.connection_key = one.connection_key)
        OR EXISTS (SELECT 1 FROM paths JOIN path_samples USING (path_key) WHERE paths.connection_key = one.connection_key))))
      ORDER BY broken DESC, score_mean IS NULL, coalesce(poor_share, 0) DESC, score_mean, call_key
      """, instantMs
    ) { ($0.int64(0), $0.int64(1) != 0) }
  }

  private func pruneSamples(ofCall call: Int64, _ instantMs: Double) throws -> Int {
    let parts = "SELECT connection_key FROM source_views WHERE call_key = ?"
    let before = connection.changes
    try connection.run(
      "DELETE FROM samples WHERE stream_key IN (SELECT stream_key FROM streams WHERE connection_key IN (\(parts)))",
      call)
    let samples = connection.changes - before
    try connection.run(
      "DELETE FROM path_samples WHERE path_key IN (SELECT path_key FROM paths WHERE connection_key IN (\(parts)))",
      call)
    for table in ["streams", "paths"] {
      try connection.run(
        "UPDATE \(table) SET sample_checksum = NULL WHERE connection_key IN (\(parts))", call)
    }
    try connection.run("UPDATE calls SET pruned_ms = ? WHERE call_key = ?", instantMs, call)
    try connection.run(
      "UPDATE sources SET pruned_ms = ? WHERE source_id IN (SELECT source_id FROM source_views WHERE call_key = ?)",
      instantMs, call)
    return samples
  }

  private func pageCount() throws -> Int { Int(try connection.first("PRAGMA page_count")?.integer ?? 0) }
}
