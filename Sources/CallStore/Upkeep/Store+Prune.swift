import CallModel

/// The result of pruning.
public struct PruneResult: Sendable, Equatable {
  public var calls = 0
  public var samples = 0
  public var events = 0
  public var runs = 0
  /// Bytes freed in the file.
  public var bytes = 0
}

/// What old calls lose beside their samples.
public struct PruneRequest: Sendable {
  /// Samples of calls that started before then, ms since the epoch; nil: none. Likewise below.
  public var samplesBefore: Double?
  /// Share (0-1) of the calls with samples, including pruned ones, whose samples are kept, the worst calls first.
  public var keepWorst = 0.0
  /// Of samples: all but one every 10 s, where nothing was poor.
  public var thinBefore: Double?
  /// Events that are neither milestones of a call nor tries to get into a service.
  public var eventsBefore: Double?
  /// Runs that took place before then, with all that is known of their calls; never an accepted baseline.
  public var runsBefore: Double?

  /// Nothing.
  public init() {}
}

extension Store {
  /// Removes what is asked for; scores, phases, findings and stream totals of the runs that are left stay.
  ///
  /// - Parameter isInterrupted: asked between batches; completed batches stay.
  public func prune(_ request: PruneRequest, isInterrupted: () -> Bool = { false }) throws -> PruneResult {
    try exclusive {
      try checkForeignKeys(true)
      let pages = try pageCount()
      var pruned = PruneResult()
      func each(_ keys: [Int64], _ body: (Int64) throws -> Void) throws {
        for start in stride(from: 0, to: keys.count, by: Self.batch) where !isInterrupted() {
          try connection.transaction {
            for key in keys.dropFirst(start).prefix(Self.batch) { try body(key) }
          }
        }
      }
      if let instantMs = request.runsBefore {
        for run in try runs(before: instantMs) where !isInterrupted() {
          try connection.transaction { try remove(run: run) }
          pruned.runs += 1
        }
      }
      if let instantMs = request.samplesBefore {
        let old = try callsWorstFirst(before: instantMs)
        let kept = Int((Double(old.count) * min(max(request.keepWorst, 0), 1)).rounded(.up))
        try each(old.dropFirst(kept).filter(\.hasSamples).map(\.key)) { call in
          pruned.samples += try pruneSamples(ofCall: call, instantMs)
          pruned.calls += 1
        }
      }
      if let instantMs = request.thinBefore {
        let old = try callsWorstFirst(before: instantMs)
        try each(old.filter { $0.hasSamples && !$0.isPruned }.map(\.key)) { call in
          pruned.samples += try thinSamples(ofCall: call, instantMs)
          pruned.calls += 1
        }
      }
      if let instantMs = request.eventsBefore {
        try each(try callsWithEvents(before: instantMs)) { call in
          let before = connection.changes
          try connection.run(
            "DELETE FROM events WHERE connection_key IN (\(Self.parts)) AND \(Self.isDetail)", call)
          pruned.events += connection.changes - before
          try mark(call, prunedBefore: instantMs)
        }
      }
      try connection.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
      pruned.bytes =
        max(0, pages - (try pageCount())) * Int(try connection.first("PRAGMA page_size")?.integer ?? 0)
      return pruned
    }
  }

  private static let batch = 200

  /// The connections of a call.
  private static let parts = "SELECT connection_key FROM source_views WHERE call_key = ?1"
  /// Whether an event is neither a milestone of its call nor part of view `sessions`, of which gates count failures.
  private static let isDetail = """
    NOT (event GLOB 'call.*' OR event GLOB 'session.*' OR event GLOB 'token.*' OR event GLOB 'push.*')
    """

  /// Calls with samples, including pruned ones: broken calls first, then by the share of poor windows and the mean, as
  /// in `worst-calls`. Calls from logs alone have nothing to keep.
  private func callsWorstFirst(before instantMs: Double) throws -> [(
    key: Int64, isPruned: Bool, hasSamples: Bool
  )] {
    try connection.rows(
      """
      SELECT * FROM (SELECT call_key, EXISTS (SELECT 1 FROM source_views AS one JOIN sources USING (source_id)
          WHERE one.call_key = call.call_key AND sources.pruned_ms IS NOT NULL) AS is_pruned,
        EXISTS (SELECT 1 FROM source_views AS one WHERE one.call_key = call.call_key AND (
          EXISTS (SELECT 1 FROM streams JOIN samples USING (stream_key) WHERE streams.connection_key = one.connection_key)
          OR EXISTS (SELECT 1 FROM paths JOIN path_samples USING (path_key) WHERE paths.connection_key = one.connection_key)))
          AS has_samples, broken, score_mean, poor_share, pruned_ms
        FROM judged_calls AS call WHERE started_ms IS NOT NULL AND night_ms < ?)
      WHERE pruned_ms IS NOT NULL OR has_samples
      ORDER BY broken DESC, score_mean IS NULL, coalesce(poor_share, 0) DESC, score_mean, call_key
      """, instantMs
    ) { ($0.int64(0), $0.int64(1) != 0, $0.int64(2) != 0) }
  }

  private func callsWithEvents(before instantMs: Double) throws -> [Int64] {
    try connection.rows(
      """
      SELECT call_key FROM judged_calls AS call WHERE started_ms IS NOT NULL AND night_ms < ?
        AND EXISTS (SELECT 1 FROM source_views JOIN events USING (connection_key)
          WHERE source_views.call_key = call.call_key AND \(Self.isDetail))
      ORDER BY call_key
      """, instantMs
    ) { $0.int64(0) }
  }

  private func runs(before instantMs: Double) throws -> [String] {
    try connection.rows(
      """
      SELECT run_id FROM run_starts WHERE began_ms < ? AND run_id NOT IN (SELECT run_id FROM baselines) ORDER BY began_ms
      """, instantMs
    ) { $0.text(0) }
  }

  /// A source of which another run has a call stays.
  private func remove(run: String) throws {
    try connection.run(
      """
      DELETE FROM sources WHERE (run_id = ?1 OR source_id IN (SELECT source_id FROM source_views JOIN calls USING (call_key)
          WHERE calls.run_id = ?1))
        AND source_id NOT IN (SELECT source_id FROM source_views JOIN calls USING (call_key) WHERE calls.run_id IS NOT ?1)
      """, run)
    try connection.run(
      "DELETE FROM findings WHERE call_key IN (SELECT call_key FROM calls WHERE run_id = ?)", run)
    try connection.run("DELETE FROM runs WHERE run_id = ?", run)
    try connection.run("DELETE FROM parts WHERE part_key NOT IN (SELECT part_key FROM part_calls)")
  }

  private func pruneSamples(ofCall call: Int64, _ instantMs: Double) throws -> Int {
    let before = connection.changes
    try connection.run("DELETE FROM samples WHERE stream_key IN (\(Self.streams))", call)
    let samples = connection.changes - before
    try connection.run("DELETE FROM path_samples WHERE path_key IN (\(Self.paths))", call)
    try mark(call, prunedBefore: instantMs)
    return samples
  }

  private static let streams = "SELECT stream_key FROM streams WHERE connection_key IN (\(parts))"
  private static let paths = "SELECT path_key FROM paths WHERE connection_key IN (\(parts))"

  /// Samples this close to a poor window stay, and of others one in this time: two windows of the score, so that a plot
  /// of an hour still has 360 points. Counters are sums, so nothing that they count is lost.
  private static let thinMs = 2 * Window.lengthMs

  private func thinSamples(ofCall call: Int64, _ instantMs: Double) throws -> Int {
    func thin(_ table: String, _ key: String, _ keys: String) throws -> Int {
      let before = connection.changes
      try connection.run(
        """
        DELETE FROM \(table) WHERE (\(key), t_ms) IN (
          SELECT s.\(key), s.t_ms FROM (SELECT \(key), t_ms, row_number() OVER (PARTITION BY \(key) ORDER BY t_ms) AS place,
              row_number() OVER (PARTITION BY \(key), CAST(t_ms / \(Self.thinMs) AS INTEGER) ORDER BY t_ms DESC) AS place_back
            FROM \(table) WHERE \(key) IN (\(keys))) AS s
          WHERE s.place > 1 AND s.place_back > 1 AND NOT EXISTS (
            SELECT 1 FROM endpoints AS n JOIN windows AS w USING (endpoint_key) WHERE n.call_key = ?1 AND w.chosen
              AND w.score < \(QualityBand.poorBelow) AND s.t_ms BETWEEN w.start_ms - \(Self.thinMs) AND w.end_ms + \(Self.thinMs)))
        """, call)
      return connection.changes - before
    }
    let samples = try thin("samples", "stream_key", Self.streams)
    _ = try thin("path_samples", "path_key", Self.paths)
    try mark(call, prunedBefore: instantMs)
    return samples
  }

  /// The call is not judged again, and the checksums of its samples no longer hold.
  private func mark(_ call: Int64, prunedBefore instantMs: Double) throws {
    for table in ["streams", "paths"] {
      try connection.run(
        "UPDATE \(table) SET sample_checksum = NULL WHERE connection_key IN (\(Self.parts))", call)
    }
    try connection.run("UPDATE calls SET pruned_ms = ?2 WHERE call_key = ?1", call, instantMs)
    try connection.run(
      "UPDATE sources SET pruned_ms = ?2 WHERE source_id IN (SELECT source_id FROM source_views WHERE call_key = ?1)",
      call, instantMs)
  }

  private func pageCount() throws -> Int { Int(try connection.first("PRAGMA page_count")?.integer ?? 0) }
}
