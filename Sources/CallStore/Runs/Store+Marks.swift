import CallModel

/// Manual marks on runs and calls.
extension Store {
  /// Makes a run the baseline for all SDKs in its calls, or for the given ones; returns the SDKs it was accepted for.
  ///
  /// Changes nothing, and returns an empty list, if the run has no call of these SDKs.
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

  /// Withdraws an acceptance.
  public func unaccept(run: String) throws {
    try transaction {
      try connection.run("DELETE FROM baselines WHERE run_id = ?", run)
      try connection.run("UPDATE runs SET accepted_ms = NULL WHERE run_id = ?", run)
    }
  }

  /// Stores the conclusion of a report or gate about a run.
  public func setVerdict(_ verdict: String, reason: String, ofRun run: String) throws {
    try exclusive {
      try connection.run(
        "UPDATE runs SET verdict = ?, verdict_reason = ? WHERE run_id = ?", verdict, reason, run)
    }
  }

  /// Excludes a call from statistics, with the reason; nil includes it again.
  public func exclude(call: Int64, reason: String?) throws {
    try exclusive { try connection.run("UPDATE calls SET excluded = ? WHERE call_key = ?", reason, call) }
  }

  /// Sets a person's verdict, which takes precedence over the judged one, with the reason; nil removes it.
  ///
  /// Judging never changes these columns, so the mark survives a re-import.
  public func markVerdict(call: Int64, _ value: Verdict.Value?, why: String?) throws {
    try exclusive {
      try connection.run(
        "UPDATE calls SET verdict_marked = ?, verdict_why = ? WHERE call_key = ?", value?.rawValue, why, call)
    }
  }

  /// Sets where a person says that the fault was, which takes precedence over the judged place, with the end that it is
  /// of and the reason; nil removes it.
  public func markPlace(call: Int64, _ value: Place?, at end: String?, why: String?) throws {
    try exclusive {
      try connection.run(
        "UPDATE calls SET place_marked = ?, place_end_marked = ?, place_marked_why = ? WHERE call_key = ?",
        value?.rawValue, end, why, call)
    }
  }

  /// Marks a call's failure as known, with the ticket; nil removes the mark.
  public func markKnown(call: Int64, ticket: String?) throws {
    try exclusive { try connection.run("UPDATE calls SET known = ? WHERE call_key = ?", ticket, call) }
  }
}
