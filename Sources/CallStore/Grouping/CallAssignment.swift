import CallModel

/// Writes grouped connections into tables `calls` and `endpoints`, keeping the rows that are there.
struct CallAssignment {
  let connection: Connection
  let run: String?

  /// The row of the call: one that the run's manifest announced, or one its views had already; nil for a new call.
  func knownRow(for views: [ConnectionView], avoiding taken: Set<Int64>) throws -> Int64? {
    if let given = views.compactMap(\.given).min() ?? views.compactMap(\.call).min(),
      let announced = try announced(given), !taken.contains(announced)
    {
      return announced
    }
    return views.compactMap(\.previousCall).filter { !taken.contains($0) }.min()
  }

  /// The row of the call of that id.
  func announced(_ id: String) throws -> Int64? { try connection.first(Self.callOfID, run, id)?.integer }

  /// A row for a new call, to be named once all of its views are known.
  func newRow(for firstView: Int64) throws -> Int64 {
    try connection.run("INSERT INTO calls (call_id, run_id) VALUES (?, ?)", "new-\(firstView)", run)
    return connection.lastInsertedKey
  }

  /// Moves the connections to their ends. Ends keep their rows by name.
  func assign(_ group: GroupedCall, to call: Int64) throws {
    for endpoint in group.endpoints {
      try connection.run(
        "INSERT INTO endpoints (call_key, endpoint) VALUES (?, ?) ON CONFLICT DO NOTHING", call, endpoint.name
      )
      let key = try connection.first(
        "SELECT endpoint_key FROM endpoints WHERE call_key = ? AND endpoint = ?", call, endpoint.name)?
        .integer
      for view in endpoint.connections { try move(view, to: call, endpoint: key) }
      if let key { try EndpointRefresh(connection: connection).refresh(key, direction: endpoint.direction) }
    }
    for view in group.whole { try move(view, to: call, endpoint: nil) }
    let ends = group.endpoints.map(\.name)
    let stored = try connection.rows(
      "SELECT endpoint_key, endpoint FROM endpoints WHERE call_key = ?", call,
      body: { ($0.int64(0), $0.text(1)) })
    // Views that share nothing with these but the call's given id keep their ends.
    for (key, name) in stored where try !ends.contains(name) && !isHeld(key) { try remove(endpoint: key) }
    // What a manifest says of the SDK stands; otherwise the ends say it.
    try connection.run(
      """
      UPDATE calls SET stale = 1,
        sdk = CASE WHEN expected AND sdk IS NOT NULL THEN sdk ELSE (SELECT min(sdk) FROM endpoints WHERE call_key = ?1) END,
        sdk_version = CASE WHEN expected AND sdk IS NOT NULL THEN sdk_version ELSE (SELECT min(sdk_version) FROM endpoints WHERE call_key = ?1) END
      WHERE call_key = ?1
      """, call)
  }

  private func isHeld(_ endpoint: Int64) throws -> Bool {
    try connection.first("SELECT 1 FROM connections WHERE endpoint_key = ? LIMIT 1", endpoint) != nil
  }

  /// Takes a connection out of the call it was of.
  func release(_ view: Int64) throws { try move(view, to: nil, endpoint: nil) }

  private func move(_ view: Int64, to call: Int64?, endpoint: Int64?) throws {
    try connection.run(
      """
      UPDATE connections SET call_key = ?2, endpoint_key = ?3
      WHERE connection_key = ?1 AND (call_key IS NOT ?2 OR endpoint_key IS NOT ?3)
      """, view, call, endpoint)
  }

  /// Removes calls that lost all they had, but for those that a manifest announced.
  func removeEmptied(_ calls: Set<Int64>) throws {
    for call in calls {
      let left = try connection.rows(
        """
        SELECT endpoint_key FROM endpoints AS n WHERE call_key = ?
          AND NOT EXISTS (SELECT 1 FROM connections AS c WHERE c.endpoint_key = n.endpoint_key)
        """, call, body: { $0.int64(0) })
      for endpoint in left { try remove(endpoint: endpoint) }
      let isEmpty = try connection.first("SELECT 1 FROM connections WHERE call_key = ? LIMIT 1", call) == nil
      // One that only shares a name was never announced by its own.
      let isExpected =
        try connection.first(
          "SELECT expected AND named_by IS NOT 'keys' FROM calls WHERE call_key = ?", call)?
        .integer == 1
      if isEmpty, !isExpected {
        try connection.run("DELETE FROM findings WHERE call_key = ?", call)
        try connection.run("DELETE FROM calls WHERE call_key = ?", call)
      } else {
        try connection.run("UPDATE calls SET stale = 1 WHERE call_key = ?", call)
      }
    }
  }

  /// Removes an end with all that was concluded of it. A source is written with foreign keys off, so nothing cascades.
  private func remove(endpoint: Int64) throws {
    for table in ["findings", "windows", "phases", "setups"] {
      try connection.run("DELETE FROM \(table) WHERE endpoint_key = ?", endpoint)
    }
    try connection.run("UPDATE streams SET endpoint_key = NULL WHERE endpoint_key = ?", endpoint)
    try connection.run("DELETE FROM endpoints WHERE endpoint_key = ?", endpoint)
  }

  /// Whether another call of the run has this id.
  func isTaken(_ id: String, by call: Int64) throws -> Bool {
    try connection.first(
      "\(Self.callOfID) AND call_key <> ?", run, id, call) != nil
  }

  /// In the words of the unique index: by `run_id` alone, which SQLite takes where nobody has counted yet, each call of a
  /// run would be looked at for each other.
  private static let callOfID =
    "SELECT call_key FROM calls WHERE coalesce(run_id, '') = coalesce(?, '') AND call_id = ?"

  /// What views of a call that is no more belonged to stays findable by its name.
  func keepNames(of calls: Set<Int64>, for views: [ConnectionView]) throws {
    for view in views {
      guard let call = view.previousCall, calls.contains(call) else { continue }
      let name = try connection.first(
        "SELECT call_id FROM calls WHERE call_key = ? AND named_by IS NOT NULL", call)?.string
      if let name { try Aliases(connection: connection).add("former", name, of: view.key) }
    }
  }

  /// Gives a call its name; the name it had stays findable.
  func rename(_ call: Int64, to name: CallName) throws {
    let former = try connection.rows(
      """
      SELECT k.call_id, c.connection_key FROM calls AS k JOIN connections AS c USING (call_key)
      WHERE k.call_key = ?1 AND k.call_id <> ?2 AND k.named_by IS NOT NULL
      """, call, name.id, body: { (name: $0.text(0), view: $0.int64(1)) })
    for row in former { try Aliases(connection: connection).add("former", row.name, of: row.view) }
    try connection.run(
      "UPDATE calls SET call_id = ?2, named_by = ?3, folder = ?4 WHERE call_key = ?1", call, name.id,
      name.origin.rawValue, name.folder)
  }
}
