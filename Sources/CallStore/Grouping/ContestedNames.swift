import CallModel

/// Ids that several calls of one import would have: who gets them must not depend on which file came first.
///
/// While files come in, the first call takes a free id, as ever. At the end of the import the calls that it brought are named anew
/// in the order of what is in them, where one kept another from an id. A call that was there before keeps its id.
struct ContestedNames {
  let connection: Connection

  /// Notes that a call would have had an id which another one has.
  func note(_ id: String, of call: Int64) throws {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS contested_names (
        call_id TEXT NOT NULL, call_key INTEGER NOT NULL, PRIMARY KEY (call_id, call_key)) WITHOUT ROWID
      """)
    try connection.run("INSERT OR IGNORE INTO contested_names VALUES (?, ?)", id, call)
  }

  /// Names the calls of this import anew that contested an id, and those that hold it. Part of a transaction.
  func settle() throws {
    guard
      try connection.first("SELECT 1 FROM sqlite_temp_schema WHERE name = 'contested_names'") != nil
    else { return }
    // Rounds, for a call that lost its id may contest another one; few ever do.
    for _ in 0..<4 {
      let found = try contested()
      guard !found.isEmpty else { break }
      try connection.run("DELETE FROM contested_names")
      try rename(found)
    }
    try connection.run("DELETE FROM contested_names")
  }

  private func contested() throws -> [(call: Int64, run: String?)] {
    try connection.rows(
      """
      SELECT DISTINCT k.call_key, k.run_id FROM calls AS k
      WHERE k.call_key > ?1 AND k.named_by IS NOT 'given' AND (
        k.call_key IN (SELECT call_key FROM contested_names)
        OR k.call_id IN (SELECT call_id FROM contested_names))
      """, connection.lastCallBefore, body: { (call: $0.int64(0), run: $0.isNull(1) ? nil : $0.text(1)) })
  }

  /// Takes the ids away from all of them, and gives them in the order of what the calls consist of.
  private func rename(_ calls: [(call: Int64, run: String?)]) throws {
    let ranked = try calls.map { call, run in
      let views = try Neighbourhood(connection: connection, run: run).views(ofCall: call)
      return (call: call, run: run, order: partsOfCall(views))
    }
    for entry in ranked {
      try connection.run(
        "UPDATE calls SET call_id = ?2, named_by = NULL WHERE call_key = ?1", entry.call,
        "new-\(entry.call)")
    }
    for entry in ranked.sorted(by: { $0.order < $1.order }) {
      try Regrouper(connection: connection).name(call: entry.call, run: entry.run)
    }
  }
}
