/// A call that a run's manifest expects.
public struct AnnouncedCall: Sendable {
  public var id: String
  public var sdk: String?
  public var sdkVersion: String?
  public var scenario: String?
  public var expectedOutcome: String?
  public var minScore: Double?
  public var maxSetupMs: Double?
  /// Labels of the call, including those of its manifest, as a JSON object.
  public var labels = "{}"
  /// The references for its quality, as a JSON object.
  public var references: String?

  /// A call with an id.
  public init(id: String) { self.id = id }
}

extension Store {
  /// Stores the expected calls of a run. Calls without any file stay `missing`.
  public func announce(run: String, labels: String, calls: [AnnouncedCall]) throws {
    try transaction {
      try connection.run(
        """
        INSERT INTO runs (run_id, labels) VALUES (?1, ?2)
        ON CONFLICT (run_id) DO UPDATE SET labels = json_patch(labels, ?2)
        """, run, labels)
      for call in calls { try announce(call, run: run) }
      // A run may have one manifest per site, and each may be read more than once.
      try countExpected(in: run)
    }
  }

  /// Removes expected calls of a run whose files were imported before into another run: they are not missing. Returns
  /// that run; nil if there are none.
  ///
  /// - Parameter sources: those found by this import.
  public func withdraw(calls: Set<String>, announcedIn run: String, met sources: SourceKeys) throws
    -> String?
  {
    let elsewhere = try connection.rows(
      """
      SELECT DISTINCT o.call_id, o.run_id FROM json_each(?2) AS met
        JOIN sources AS s ON s.source_id BETWEEN met.value ->> 0 AND met.value ->> 1
        JOIN source_views AS c USING (source_id) JOIN calls AS o USING (call_key)
      WHERE s.run_id IS NOT ?1 AND o.run_id <> ?1
      """, run, sources.json
    ) { (call: $0.text(0), run: $0.text(1)) }.filter { calls.contains($0.call) }
    guard let other = elsewhere.first?.run else { return nil }
    return try transaction {
      var withdrawn = 0
      for call in Set(elsewhere.map(\.call)) {
        let before = connection.changes
        try connection.run(
          """
          DELETE FROM calls WHERE run_id = ?1 AND call_id = ?2 AND outcome = 'missing'
            AND NOT EXISTS (SELECT 1 FROM source_views AS c WHERE c.call_key = calls.call_key)
          """, run, call)
        withdrawn += connection.changes - before
      }
      guard withdrawn > 0 else { return nil }
      try countExpected(in: run)
      try connection.run(
        """
        DELETE FROM runs WHERE run_id = ?1 AND NOT EXISTS (SELECT 1 FROM calls WHERE run_id = ?1)
          AND NOT EXISTS (SELECT 1 FROM sources WHERE run_id = ?1)
        """, run)
      return other
    }
  }

  private func countExpected(in run: String) throws {
    try connection.run(
      """
      UPDATE runs SET expected_calls = (SELECT count(*) FROM calls AS k WHERE k.run_id = runs.run_id AND k.expected)
      WHERE run_id = ?
      """, run)
  }

  /// Adds labels (a JSON object) to an existing run.
  public func label(run: String, _ labels: String) throws {
    try exclusive {
      try connection.run("UPDATE runs SET labels = json_patch(labels, ?2) WHERE run_id = ?1", run, labels)
    }
  }

  /// Whether another call of the run was given the name of a row of `calls`: which manifest refers to which is unknown
  /// then.
  private static let sharesName = """
    EXISTS (SELECT 1 FROM aliases AS a JOIN source_views AS c USING (connection_key) JOIN calls AS o USING (call_key)
      WHERE \(Aliases.are("calls.call_id")) AND a.kind = 'former' AND o.call_key <> calls.call_key AND o.run_id IS calls.run_id)
    """

  /// A call has the labels of its sources, unless it has more specific ones: those of the run may be those of another
  /// site.
  func takeLabels(ofCall call: Int64) throws { try connection.run(Self.takeLabels, call) }

  private static let takeLabels: String = {
    let sources = """
      (SELECT json_group_object(key, value) FROM (SELECT l.key, max(l.value) AS value
        FROM source_views AS c JOIN sources AS s USING (source_id), json_each(s.labels) AS l
        WHERE c.call_key = ?1 GROUP BY l.key ORDER BY l.key))
      """
    return """
      UPDATE calls SET labels =
        CASE WHEN \(sharesName) THEN json_patch(labels, \(sources)) ELSE json_patch(\(sources), labels) END
      WHERE call_key = ?1 AND EXISTS (SELECT 1 FROM source_views AS c JOIN sources AS s USING (source_id)
        WHERE c.call_key = ?1 AND s.labels <> '{}')
      """
  }()

  private func announce(_ call: AnnouncedCall, run: String) throws {
    try connection.run(
      """
      INSERT INTO calls (call_id, run_id, sdk, sdk_version, scenario, expected, expected_outcome, min_score,
        max_setup_ms, held_against, labels, outcome, stale)
      VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9, ?10, 'missing', 0)
      ON CONFLICT (coalesce(run_id, ''), call_id) DO UPDATE SET sdk = coalesce(?3, sdk),
        sdk_version = coalesce(?4, sdk_version), scenario = ?5, expected = 1, expected_outcome = ?6, min_score = ?7,
        max_setup_ms = ?8, held_against = coalesce(?9, held_against), labels = CASE WHEN \(Self.sharesName) THEN labels ELSE json_patch(labels, ?10) END
      """, call.id, run, call.sdk, call.sdkVersion, call.scenario, call.expectedOutcome, call.minScore,
      call.maxSetupMs, call.references, call.labels)
  }

  /// Sets the references of calls (`--references`), and marks them to be judged again.
  public func hold(calls: some Sequence<Int64>, run: String?, against references: String) throws {
    try transaction {
      for call in calls {
        try connection.run(
          "UPDATE calls SET held_against = ?1, stale = 1 WHERE call_key = ?2 AND (?3 IS NULL OR run_id = ?3)",
          references, call, run)
      }
    }
  }
}
