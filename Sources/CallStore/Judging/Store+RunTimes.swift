/// When runs took place, by the calls that were judged.
extension Store {
  /// Notes whether the clock of a call can be.
  func noteClock(ofCall call: Int64, startedMs: Double?) throws {
    try connection.run("DELETE FROM odd_clocks WHERE call_key = ?", call)
    try connection.run(Self.noteOddClock, call, startedMs)
  }

  private static let noteOddClock =
    "INSERT INTO odd_clocks SELECT ?1 WHERE \(ClockTable.isOdd("?2", of: "?1"))"

  /// The runs that have calls which are to be judged.
  public func staleRuns() throws -> [String] {
    try exclusive {
      try connection.rows("SELECT DISTINCT run_id FROM calls WHERE stale AND run_id IS NOT NULL ORDER BY 1") {
        $0.text(0)
      }
    }
  }

  /// Says anew when runs began and ended; call it when their calls were judged.
  public func dateRuns(_ runs: [String]) throws {
    try transaction {
      for run in runs { try connection.run("UPDATE runs SET \(ClockTable.times) WHERE run_id = ?", run) }
    }
  }

  /// How many calls of the sources have a clock that cannot be, and the first of their ids.
  public func oddClocks(of sources: SourceKeys, most: Int) throws -> (count: Int, first: [String]) {
    try exclusive {
      let odd = "\(SourceKeys.connections) JOIN odd_clocks AS o ON o.call_key = c.call_key"
      let count = try connection.first("SELECT count(DISTINCT c.call_key) FROM \(odd)", sources.json)
      let first = try connection.rows(
        "SELECT DISTINCT k.call_id FROM \(odd) JOIN calls AS k ON k.call_key = c.call_key ORDER BY 1 LIMIT ?2",
        sources.json, most, body: { $0.text(0) })
      return (Int(count?.integer ?? 0), first)
    }
  }
}
