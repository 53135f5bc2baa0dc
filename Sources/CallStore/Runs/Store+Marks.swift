import CallModel

/// What people say of runs and calls.
extension Store {
  /// Makes a run the baseline of the SDKs whose calls it has, or of the given ones; gives those it was accepted for.
  ///
  /// Nothing is changed, and nothing given, where the run has no call of any of them.
  public func accept(run: String, sdks: [String]? = nil, atMs: Double) throws -> [String] {
    try transaction {
      let had = try connection.rows(
        "SELECT DISTINCT coalesce(sdk, '') FROM calls WHERE run_id = ? AND outcome <> 'missing' ORDER BY 1",
        run
      ) { $0.text(0) }
      let accepted = had.filter { sdks?.contains($0) ?? true }
      for sdk in accepted {
        try connection.run(
          "INSERT OR REPLACE INTO baselines (run_id, sdk, accepted_ms) VALUES (?, ?, ?)", run, sdk, atMs)
      }
      if !accepted.isEmpty {
        try connection.run("UPDATE runs SET accepted_ms = ? WHERE run_id = ?", atMs, run)
      }
      return accepted
    }
  }

  /// Takes an acceptance back.
  public func unaccept(run: String) throws {
    try transaction {
      try connection.run("DELETE FROM baselines WHERE run_id = ?", run)
      try connection.run("UPDATE runs SET accepted_ms = NULL WHERE run_id = ?", run)
    }
  }

  /// Writes down what a report or gate concluded of a run.
  public func setVerdict(_ verdict: String, reason: String, ofRun run: String) throws {
    try exclusive {
      try connection.run(
        "UPDATE runs SET verdict = ?, verdict_reason = ? WHERE run_id = ?", verdict, reason, run)
    }
  }

  /// Leaves a call out of what is counted, with the reason; nil counts it again.
  public func exclude(call: Int64, reason: String?) throws {
    try exclusive { try connection.run("UPDATE calls SET excluded = ? WHERE call_key = ?", reason, call) }
  }

  /// Puts a person's verdict on a call before the one that was judged, with the reason; nil takes it away.
  ///
  /// A judgement never touches these columns, so that the mark outlives a re-import.
  public func markVerdict(call: Int64, _ word: Verdict.Word?, why: String?) throws {
    try exclusive {
      try connection.run(
        "UPDATE calls SET verdict_marked = ?, verdict_why = ? WHERE call_key = ?", word?.rawValue, why, call)
    }
  }

  /// Marks a call's failure as known, with the ticket; nil makes it unknown again.
  public func markKnown(call: Int64, ticket: String?) throws {
    try exclusive { try connection.run("UPDATE calls SET known = ? WHERE call_key = ?", ticket, call) }
  }
}
