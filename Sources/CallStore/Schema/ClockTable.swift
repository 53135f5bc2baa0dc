/// Calls with an implausible clock: a time since boot or since the page was loaded, or a phone that starts in 1970.
enum ClockTable {
  static let ddl = """
    CREATE TABLE odd_clocks (           -- calls whose clock cannot be: they order no run and end no night
      call_key       INTEGER PRIMARY KEY REFERENCES calls ON DELETE CASCADE
    );

    -- runs.middle_ms is kept because it takes a sort of all calls of the run. Where a call changes it is NULL, and view
    -- run_starts works it out, until `dateRuns` keeps it again.
    CREATE TRIGGER calls_dated AFTER UPDATE OF started_ms, excluded, run_id ON calls BEGIN
      UPDATE runs SET middle_ms = NULL WHERE run_id IN (old.run_id, new.run_id) AND middle_ms IS NOT NULL;
    END;
    CREATE TRIGGER calls_come AFTER INSERT ON calls WHEN new.started_ms IS NOT NULL BEGIN
      UPDATE runs SET middle_ms = NULL WHERE run_id = new.run_id AND middle_ms IS NOT NULL;
    END;
    CREATE TRIGGER calls_go AFTER DELETE ON calls BEGIN
      UPDATE runs SET middle_ms = NULL WHERE run_id = old.run_id AND middle_ms IS NOT NULL;
    END;
    """

  /// 2000-01-01, ms since the epoch: before it there was no WebRTC, and no recording of a call.
  private static let earliestMs = 946_684_800_000
  /// How far a clock may be ahead of the importing machine, ms: a day.
  private static let aheadMs = 86_400_000

  /// The condition that a time is implausible for a call: before 2000, or more than a day after its import.
  static func isOdd(_ instant: String, of call: String) -> String {
    """
    (\(instant) < \(earliestMs) OR \(instant) > \(aheadMs) + (SELECT max(s.imported_ms)
      FROM source_views AS c JOIN sources AS s USING (source_id) WHERE c.call_key = \(call)))
    """
  }

  /// A run lasts from the start of its first call to the end of its last; implausible clocks do not count.
  static let times = """
    (started_ms, ended_ms) = (SELECT min(k.started_ms), max(k.started_ms + coalesce(k.duration_ms, 0))
      FROM calls AS k WHERE k.run_id = runs.run_id AND k.call_key NOT IN (SELECT call_key FROM odd_clocks)),
    middle_ms = \(middle(of: "runs.run_id"))
    """

  /// The median start of a run's calls. Excluded calls and implausible clocks do not count.
  static func middle(of run: String) -> String {
    """
    (SELECT started_ms FROM (
        SELECT k.started_ms, row_number() OVER (ORDER BY k.started_ms) AS place, count(*) OVER () AS calls
        FROM calls AS k WHERE k.run_id = \(run) AND k.excluded IS NULL AND k.started_ms IS NOT NULL
          AND k.call_key NOT IN (SELECT call_key FROM odd_clocks))
      WHERE place = (calls + 1) / 2)
    """
  }
}
