import CallModel

/// What a report is about, or is compared with: a run, or all calls of some time.
public struct Slice: Sendable, Equatable {
  public var run: String?
  /// Milliseconds since the epoch; the end is not part of it.
  public var sinceMs: Double?
  public var untilMs: Double?
  /// How people call it.
  public var name: String

  /// A slice.
  public init(run: String?, sinceMs: Double? = nil, untilMs: Double? = nil, name: String) {
    self.run = run
    self.sinceMs = sinceMs
    self.untilMs = untilMs
    self.name = name
  }

  /// As parameters of a query, each name after a prefix.
  func parameters(_ prefix: String = "") -> [String: Cell] {
    [
      prefix.isEmpty ? "run" : prefix: run.map { .text($0) } ?? .null,
      prefix.isEmpty ? "since" : prefix + "_since": sinceMs.map { .real($0) } ?? .null,
      prefix.isEmpty ? "until" : prefix + "_until": untilMs.map { .real($0) } ?? .null,
    ]
  }
}

/// Finds what to report on where the command line leaves it open.
struct SliceChoice {
  var rows: any RowSource
  var zone: Zone

  /// The latest run; without runs the latest night, noon to noon, that has a call; nil in a database without calls.
  func latest() throws -> Slice? { try latestRun() ?? night(before: nil) }

  private func latestRun() throws -> Slice? {
    let runs = try rows.table(
      "SELECT run_id FROM run_starts ORDER BY began_ms DESC, run_id DESC LIMIT 1", [:])
    return (runs.rows.first?.first?.string).map { Slice(run: $0, name: $0) }
  }

  /// The runs that ran before one, the latest first, and whether each was blocked by a gate that speaks of a baseline.
  ///
  /// A fixed limit (`missing <= 0`) blocks night after night by itself, and says nothing of what a run is like beside another.
  /// A run that never came would have come after all there are.
  func runs(before run: String) throws -> [(run: Slice, isBlocked: Bool)] {
    let found = try rows.table(
      """
      WITH starts AS MATERIALIZED (SELECT * FROM run_starts)
      SELECT b.run_id, r.verdict IS 'block' AND coalesce(r.verdict_reason, 'baseline') LIKE '%baseline%' AS blocked
      FROM starts AS b JOIN runs AS r USING (run_id) LEFT JOIN starts AS a ON a.run_id = :run
      WHERE b.run_id <> :run AND (a.run_id IS NULL OR b.began_ms < a.began_ms
        OR b.began_ms = a.began_ms AND b.run_id < a.run_id)
      ORDER BY b.began_ms DESC, b.run_id DESC
      """, ["run": .text(run)])
    return found.rows.compactMap { row in
      row[0].string.map { (Slice(run: $0, name: $0), row[1].number == 1) }
    }
  }

  /// The latest accepted run of each SDK, other than this one.
  func accepted(besides slice: Slice) throws -> [String: String] {
    let table = try rows.table(
      """
      SELECT sdk, run_id FROM (SELECT sdk, run_id, row_number() OVER (PARTITION BY sdk ORDER BY accepted_ms DESC) AS n
        FROM baselines WHERE run_id IS NOT :run) WHERE n = 1 ORDER BY sdk
      """, ["run": slice.run.map { .text($0) } ?? .null])
    var runs: [String: String] = [:]
    for row in table.rows {
      guard let sdk = table.cell(row, "sdk").string, let run = table.cell(row, "run_id").string else {
        continue
      }
      runs[sdk.isEmpty ? "unknown" : sdk] = run
    }
    return runs
  }
}
