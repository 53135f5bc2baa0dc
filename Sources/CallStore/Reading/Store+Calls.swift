import CallModel

/// A call that cannot be judged, because of what is stored of it.
public struct UnjudgeableCall: Sendable {
  public var id: String
  public var reason: String
  /// Whether an earlier import could not judge it either.
  public var isKnown: Bool

  /// `call a7 cannot be judged: malformed JSON`.
  public var words: String { "call \(id) cannot be judged: \(reason)" }
}

extension Store {
  /// Marks a call that cannot be judged; returns nil if it is no longer there.
  public func markUnjudgeable(_ call: Int64, reason: String) throws -> UnjudgeableCall? {
    try transaction {
      let found = try connection.rows("SELECT call_id, stale FROM calls WHERE call_key = ?", call) {
        UnjudgeableCall(id: $0.text(0), reason: reason, isKnown: $0.int64(1) == 2)
      }.first
      try connection.run("UPDATE calls SET stale = 2 WHERE call_key = ? AND stale <> 2", call)
      return found
    }
  }

  /// The first ids of calls that could not be judged, and how many there are.
  public func unjudgeableCalls(most: Int) throws -> (count: Int, first: [String]) {
    try exclusive {
      let these = "FROM calls WHERE stale = 2 AND pruned_ms IS NULL"
      let count = try connection.first("SELECT count(*) \(these)")?.integer ?? 0
      return (
        Int(count),
        try connection.rows("SELECT call_id \(these) ORDER BY call_key LIMIT ?", most) { $0.text(0) }
      )
    }
  }

  /// Calls that changed since they were judged, oldest first, except those whose samples were pruned, which keep their
  /// judgement.
  public func staleCalls() throws -> [Int64] {
    try exclusive {
      try connection.rows("SELECT call_key FROM calls WHERE stale AND pruned_ms IS NULL ORDER BY call_key") {
        $0.int64(0)
      }
    }
  }

  /// Whether samples of a call were pruned, so that it cannot be judged again.
  public func isPruned(call: Int64) throws -> Bool {
    try exclusive {
      try connection.first("SELECT 1 FROM calls WHERE call_key = ? AND pruned_ms IS NOT NULL", call) != nil
    }
  }

  /// The call with a key.
  public func call(_ key: Int64) throws -> StoredCall? {
    try exclusive {
      try connection.rows(
        """
        SELECT call_key, call_id, run_id, scenario, sdk, started_ms, expected, expected_outcome, min_score, max_setup_ms,
          held_against
        FROM calls WHERE call_key = ?
        """, key
      ) { row in
        StoredCall(
          key: row.int64(0), id: row.text(1), run: row.optionalText(2), scenario: row.optionalText(3),
          sdk: row.optionalText(4), startedMs: row.optionalDouble(5), isExpected: row.int64(6) != 0,
          expectedOutcome: row.optionalText(7).flatMap(Outcome.init), minScore: row.optionalDouble(8),
          maxSetupMs: row.optionalDouble(9), references: row.optionalText(10))
      }.first
    }
  }

  /// The ends of a call, by name.
  public func endpoints(ofCall call: Int64) throws -> [StoredEndpoint] {
    try exclusive {
      try connection.rows(
        """
        SELECT endpoint_key, call_key, endpoint, direction, person, sdk FROM endpoints WHERE call_key = ? ORDER BY endpoint
        """, call
      ) { row in
        StoredEndpoint(
          key: row.int64(0), call: row.int64(1), name: row.text(2),
          direction: row.optionalText(3).flatMap(CallDirection.init), person: row.optionalText(4),
          sdk: row.optionalText(5))
      }
    }
  }

  /// The connection that each view of an end is of, by the key of its first view: views are of different connections if
  /// both know the ICE name, or else the certificate, and they have none in common. Views that know neither are left out.
  public func connections(ofEndpoint endpoint: Int64) throws -> [Int64: Int64] {
    let rows = try exclusive {
      try connection.rows(
        """
        SELECT v.connection_key, a.kind, a.value FROM source_views AS v JOIN aliases AS a USING (connection_key)
        WHERE v.endpoint_key = ? AND a.kind IN (?, ?) ORDER BY v.connection_key
        """, endpoint, IdentityKind.ufragLocal.rawValue, IdentityKind.fingerprintLocal.rawValue
      ) { (view: $0.int64(0), kind: $0.text(1), value: $0.text(2)) }
    }
    var keys: [(view: Int64, names: Set<String>, certificates: Set<String>)] = []
    for row in rows {
      if keys.last?.view != row.view { keys.append((row.view, [], [])) }
      if row.kind == IdentityKind.ufragLocal.rawValue {
        keys[keys.count - 1].names.insert(row.value)
      } else {
        keys[keys.count - 1].certificates.insert(row.value)
      }
    }
    func areSame(_ a: Int, _ b: Int) -> Bool? {
      for (own, other) in [
        (keys[a].names, keys[b].names), (keys[a].certificates, keys[b].certificates),
      ] where !own.isEmpty && !other.isEmpty {
        return !own.isDisjoint(with: other)
      }
      return nil
    }
    var sets = DisjointSets(keys.count)
    let pairs = keys.indices.flatMap { b in keys.indices[..<b].map { ($0, b) } }
    for (a, b) in pairs where areSame(a, b) == true { sets.join(a, b) }
    // What cannot be told apart from the first is taken for it.
    let differ = Set(pairs.flatMap { areSame($0, $1) == false ? [[sets.root($0), sets.root($1)]] : [] })
    for b in keys.indices.dropFirst() where !differ.contains([sets.root(0), sets.root(b)]) { sets.join(0, b) }
    return Dictionary(uniqueKeysWithValues: keys.indices.map { (keys[$0].view, keys[sets.root($0)].view) })
  }

  /// The events of a call, in order of time and, without a time, of the log.
  public func events(ofCall call: Int64) throws -> [StoredEvent] {
    try exclusive {
      try connection.rows(
        """
        SELECT c.endpoint_key, c.source_id, e.t_ms, e.until_ms, e.event, e.raw, e.sdk, e.args, e.line, e.anomaly, e.connection_key
        FROM source_views AS c JOIN events AS e USING (connection_key) WHERE c.call_key = ? ORDER BY e.t_ms, e.event_key
        """, call, body: Self.event)
    }
  }
}
