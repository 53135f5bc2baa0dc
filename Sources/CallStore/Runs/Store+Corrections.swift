import SQLite

/// Manual corrections of the grouping. They survive a re-import, as parts are identified by the digest of their source.
extension Store {
  /// Declares two calls to be one. Returns the resulting call.
  ///
  /// Throws, without changes, if they would remain two calls: those of two runs.
  public func link(_ first: Int64, _ second: Int64, atMs: Double) throws -> Int64? {
    try transaction {
      let calls = try correct(atMs: atMs) {
        let (left, right) = (
          try parts(ofCall: first, endpoint: nil), try parts(ofCall: second, endpoint: nil)
        )
        // One link would join two calls, but a part that is split off later must not take the link with it.
        return left.flatMap { a in right.map { (action: "link", a, $0) } }
      }
      guard calls.count < 2 else {
        throw StoreError(
          .rule, path: path, "the two calls cannot be one: nothing groups files of two runs",
          remedy: "import the files of both in one run")
      }
      return calls.first
    }
  }

  /// Moves an end to a call of its own. Returns the resulting calls.
  public func split(_ call: Int64, endpoint: String, atMs: Double) throws -> [Int64] {
    try correct(atMs: atMs) {
      let own = try parts(ofCall: call, endpoint: endpoint)
      let others = try parts(ofCall: call, endpoint: nil).filter { part in
        !own.contains { $0.key == part.key }
      }
      return own.flatMap { a in others.map { (action: "split", a, $0) } }
    }
  }

  private struct CorrectedPart {
    var key: Int64
    var source: Int64
    var sha256: String
    var name: String
  }

  private func correct(
    atMs: Double, _ pairs: () throws -> [(action: String, CorrectedPart, CorrectedPart)]
  ) throws -> [Int64] {
    try transaction {
      let pairs = try pairs()
      try mustHaveSamples(pairs.flatMap { [$0.1.key, $0.2.key] })
      for (action, a, b) in pairs {
        // The same pair may have been corrected before, in either order.
        try connection.run(
          """
          DELETE FROM corrections WHERE left_sha256 = ?1 AND left_name = ?2 AND right_sha256 = ?3 AND right_name = ?4
            OR left_sha256 = ?3 AND left_name = ?4 AND right_sha256 = ?1 AND right_name = ?2
          """, a.sha256, a.name, b.sha256, b.name)
        try connection.run(
          """
          INSERT INTO corrections (action, left_sha256, left_name, right_sha256, right_name, made_ms)
          VALUES (?, ?, ?, ?, ?, ?)
          """, action, a.sha256, a.name, b.sha256, b.name, atMs)
      }
      let parts = pairs.flatMap { [$0.1, $0.2] }
      try Regrouper(connection: connection).sortIn(sources: Set(parts.map(\.source)).sorted())
      let calls = try Set(parts.map(\.key)).compactMap { part in
        try connection.first("SELECT call_key FROM source_views WHERE connection_key = ?", part)?.integer
      }
      return Set(calls).sorted()
    }
  }

  /// A changed grouping is judged again, which needs samples.
  private func mustHaveSamples(_ parts: [Int64]) throws {
    for part in parts {
      let pruned = try connection.first(
        "SELECT call_id FROM source_views JOIN calls USING (call_key) WHERE connection_key = ? AND pruned_ms IS NOT NULL",
        part)
      if let call = pruned?.string {
        throw StoreError(
          .rule, path: path, "samples or people of call '\(call)' were pruned, so it cannot be judged anew",
          remedy: "import its files into a new database")
      }
    }
  }

  private func parts(ofCall call: Int64, endpoint: String?) throws -> [CorrectedPart] {
    try connection.rows(
      """
      SELECT c.connection_key, s.source_id, s.sha256, coalesce(c.name, '')
      FROM source_views AS c JOIN sources AS s USING (source_id) LEFT JOIN endpoints AS n ON n.endpoint_key = c.endpoint_key
      WHERE c.call_key = ?1 AND NOT c.whole AND s.sha256 IS NOT NULL AND (?2 IS NULL OR n.endpoint = ?2)
      ORDER BY c.connection_key
      """, call, endpoint
    ) { CorrectedPart(key: $0.int64(0), source: $0.int64(1), sha256: $0.text(2), name: $0.text(3)) }
  }
}
