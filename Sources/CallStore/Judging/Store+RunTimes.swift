/// When runs took place, by the calls that were judged.
extension Store {
  /// Notes whether the clock of a call can be.
  func noteClock(ofCall call: Int64, startedMs: Double?) throws {
    try connection.run("DELETE FROM odd_clocks WHERE call_key = ?", call)
    try connection.run(
      "INSERT INTO odd_clocks SELECT ?1 WHERE \(ClockTable.isOdd("?2", of: "?1"))", call, startedMs)
  }

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

  /// Ids of those of the calls whose clock cannot be.
  public func oddClocks(among calls: some Sequence<Int64>) throws -> [String] {
    try exclusive {
      try calls.compactMap { call in
        try connection.first(
          "SELECT call_id FROM calls WHERE call_key = ? AND call_key IN (SELECT call_key FROM odd_clocks)",
          call)?
          .string
      }.sorted()
    }
  }
}
