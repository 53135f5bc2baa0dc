/// Calls whose clock is not to be believed: a reading since boot or since the page was loaded, a phone that begins in 1970.
enum ClockTable {
  /// Step 4.
  static let ddl = """
    CREATE TABLE odd_clocks (           -- calls whose clock cannot be: they order no run and end no night
      call_key       INTEGER PRIMARY KEY REFERENCES calls ON DELETE CASCADE
    );
    INSERT INTO odd_clocks SELECT k.call_key FROM calls AS k WHERE \(isOdd("k.started_ms", of: "k.call_key"));
    UPDATE runs SET \(times);
    """

  /// 2000-01-01, ms since the epoch: there was no WebRTC before, and no recording of a call by it.
  private static let earliestMs = 946_684_800_000
  /// How far a clock may be ahead of the one of the machine that imports, in ms: a day.
  private static let aheadMs = 86_400_000

  /// The condition that a call cannot have begun at an instant: before 2000, or more than a day after it was imported.
  static func isOdd(_ instant: String, of call: String) -> String {
    """
    (\(instant) < \(earliestMs) OR \(instant) > \(aheadMs) + (SELECT max(s.imported_ms)
      FROM connections AS c JOIN sources AS s USING (source_id) WHERE c.call_key = \(call)))
    """
  }

  /// A run lasts from its first call to the end of its last; clocks that cannot be have no say.
  static let times = """
    (started_ms, ended_ms) = (SELECT min(k.started_ms), max(k.started_ms + coalesce(k.duration_ms, 0))
      FROM calls AS k WHERE k.run_id = runs.run_id AND k.call_key NOT IN (SELECT call_key FROM odd_clocks))
    """
}
