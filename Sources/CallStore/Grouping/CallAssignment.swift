import CallModel
import SQLite

/// Writes grouped connections to the tables `calls` and `endpoints`, reusing existing rows.
struct CallAssignment {
  let connection: Connection
  let run: String?

  /// The row of the call: one announced by the run's manifest, or an earlier row of its views; nil for a new call.
  func knownRow(for views: [ConnectionView], avoiding taken: Set<Int64>) throws -> Int64? {
    if let given = views.compactMap(\.given).min() ?? views.compactMap(\.call).min(),
      let announced = try announced(given), !taken.contains(announced)
    {
      return announced
    }
    return views.compactMap(\.previousCall).filter { !taken.contains($0) }.min()
  }

  /// The row of the call with an id.
  func announced(_ id: String) throws -> Int64? { try connection.first(Self.callOfID, run, id)?.integer }

  /// Inserts a row for a new call, which is named once all of its views are known.
  func newRow(for firstView: Int64) throws -> Int64 {
    try connection.run("INSERT INTO calls (call_id, run_id) VALUES (?, ?)", "new-\(firstView)", run)
    return connection.lastInsertedKey
  }

  /// Moves the connections to their ends. Ends keep their rows by name.
  func assign(_ group: GroupedCall, to call: Int64) throws {
    var keys: [(end: Int64, direction: CallDirection)] = []
    for endpoint in group.endpoints {
      try connection.run(
        "INSERT INTO endpoints (call_key, endpoint) VALUES (?, ?) ON CONFLICT DO NOTHING", call, endpoint.name
      )
      let key = try connection.first(
        "SELECT endpoint_key FROM endpoints WHERE call_key = ? AND endpoint = ?", call, endpoint.name)?
        .integer
      for view in endpoint.connections { try move(view, to: call, endpoint: key) }
      if let key { keys.append((key, endpoint.direction)) }
    }
    // After all have moved, as two ends may have swapped their names.
    for (end, direction) in keys {
      try EndpointRefresh(connection: connection).refresh(end, direction: direction)
    }
    for view in group.whole { try move(view, to: call, endpoint: nil) }
    let ends = group.endpoints.map(\.name)
    let stored = try connection.rows(
      "SELECT endpoint_key, endpoint FROM endpoints WHERE call_key = ?", call,
      body: { ($0.int64(0), $0.text(1)) })
    // Views that share only the call's given id keep their ends.
    for (key, name) in stored where try !ends.contains(name) && !isHeld(key) { try remove(endpoint: key) }
    // The SDK in a manifest takes precedence over that of the ends.
    try connection.run(
      """
      UPDATE calls SET stale = 1,
        sdk = CASE WHEN expected AND sdk IS NOT NULL THEN sdk ELSE (SELECT min(sdk) FROM endpoints WHERE call_key = ?1) END,
        sdk_version = CASE WHEN expected AND sdk IS NOT NULL THEN sdk_version ELSE (SELECT min(sdk_version) FROM endpoints WHERE call_key = ?1) END
      WHERE call_key = ?1
      """, call)
  }

  private func isHeld(_ endpoint: Int64) throws -> Bool {
    try connection.first("SELECT 1 FROM source_views WHERE endpoint_key = ? LIMIT 1", endpoint) != nil
  }

  /// Removes a connection from its previous call.
  func release(_ view: Int64) throws { try move(view, to: nil, endpoint: nil) }

  private func move(_ view: Int64, to call: Int64?, endpoint: Int64?) throws {
    try connection.run(
      """
      UPDATE source_views SET call_key = ?2, endpoint_key = ?3
      WHERE connection_key = ?1 AND (call_key IS NOT ?2 OR endpoint_key IS NOT ?3)
      """, view, call, endpoint)
  }

  /// Deletes calls without any connection, except those announced by a manifest.
  func removeEmptied(_ calls: Set<Int64>) throws {
    for call in calls {
      let left = try connection.rows(
        """
        SELECT endpoint_key FROM endpoints AS n WHERE call_key = ?
          AND NOT EXISTS (SELECT 1 FROM source_views AS c WHERE c.endpoint_key = n.endpoint_key)
        """, call, body: { $0.int64(0) })
      for endpoint in left { try remove(endpoint: endpoint) }
      let isEmpty = try connection.first("SELECT 1 FROM source_views WHERE call_key = ? LIMIT 1", call) == nil
      // A call that only shares its name was not announced itself.
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

  /// Deletes an end with all of its judgements. Sources are written with foreign keys off, so nothing cascades.
  private func remove(endpoint: Int64) throws {
    for table in ["findings", "windows", "phases", "setups"] {
      try connection.run("DELETE FROM \(table) WHERE endpoint_key = ?", endpoint)
    }
    try connection.run("UPDATE streams SET endpoint_key = NULL WHERE endpoint_key = ?", endpoint)
    try connection.run("DELETE FROM endpoints WHERE endpoint_key = ?", endpoint)
  }

  /// Whether another call of the run has this id.
  func isTaken(_ id: String, by call: Int64) throws -> Bool {
    try connection.first(Self.otherCallOfID, run, id, call) != nil
  }

  /// Uses the columns of the unique index: by `run_id` alone, which SQLite chooses before statistics exist, every call
  /// of the run would be checked for every other.
  private static let callOfID =
    "SELECT call_key FROM calls WHERE coalesce(run_id, '') = coalesce(?, '') AND call_id = ?"
  private static let otherCallOfID = "\(callOfID) AND call_key <> ?"

  /// Keeps deleted calls findable by their name.
  func keepNames(of calls: Set<Int64>, for views: [ConnectionView]) throws {
    for view in views {
      guard let call = view.previousCall, calls.contains(call) else { continue }
      let name = try connection.first(
        "SELECT call_id FROM calls WHERE call_key = ? AND named_by IS NOT NULL", call)?.string
      if let name { try Aliases(connection: connection).add("former", name, of: view.key) }
    }
  }

  /// Names a call; its former name remains findable.
  func rename(_ call: Int64, to name: CallName) throws {
    let former = try connection.rows(
      """
      SELECT k.call_id, c.connection_key FROM calls AS k JOIN source_views AS c USING (call_key)
      WHERE k.call_key = ?1 AND k.call_id <> ?2 AND k.named_by IS NOT NULL
      """, call, name.id, body: { (name: $0.text(0), view: $0.int64(1)) })
    for row in former { try Aliases(connection: connection).add("former", row.name, of: row.view) }
    try connection.run(
      "UPDATE calls SET call_id = ?2, named_by = ?3, folder = ?4 WHERE call_key = ?1", call, name.id,
      name.origin.rawValue, name.folder)
  }
}

/// Calls to which two manifests of a run gave the same name: one keeps it, the others get names of their own.
extension CallAssignment {
  typealias NamedGroup = (group: GroupedCall, members: [ConnectionView])

  /// The groups in the order in which their rows are assigned: of several groups with one name, the group that has the
  /// name keeps it, otherwise the first group gets it.
  func inOrderOfNames(_ groups: [NamedGroup]) throws -> [NamedGroup] {
    let names = groups.map { group in group.members.compactMap(\.given).min() }
    let shared = Dictionary(grouping: groups.indices) { names[$0] }.filter {
      $0.key != nil && $0.value.count > 1
    }
    guard !shared.isEmpty else { return groups }
    var others: Set<Int> = []
    for (name, places) in shared {
      let row = try name.flatMap { try announced($0) }
      func rank(_ place: Int) -> (Int, Double) {
        let members = groups[place].members
        let hasIt = row != nil && members.contains { $0.previousCall == row }
        return (hasIt ? 0 : 1, members.compactMap(\.firstMs).min() ?? .infinity)
      }
      let owner = places.min { rank($0) < rank($1) }
      others.formUnion(places.filter { $0 != owner })
    }
    let last = groups.indices.filter(others.contains).map { groups[$0] }
    return groups.indices.filter { !others.contains($0) }.map { groups[$0] } + last
  }

  /// The expectations of a manifest for a name apply to each call with that name.
  func takeExpectation(of members: [ConnectionView], to call: Int64) throws {
    guard let given = members.compactMap(\.given).min(), let announced = try announced(given),
      announced != call
    else { return }
    try connection.run(
      """
      UPDATE calls SET (sdk, sdk_version, scenario, expected, expected_outcome, min_score, max_setup_ms, held_against) =
        (SELECT coalesce(a.sdk, calls.sdk), coalesce(a.sdk_version, calls.sdk_version), a.scenario, a.expected,
          a.expected_outcome, a.min_score, a.max_setup_ms, a.held_against FROM calls AS a WHERE a.call_key = ?2)
      WHERE call_key = ?1
      """, call, announced)
    try connection.run(
      """
      UPDATE runs SET expected_calls = (SELECT count(*) FROM calls AS k WHERE k.run_id = runs.run_id AND k.expected)
      WHERE run_id = ? AND expected_calls IS NOT NULL
      """, run)
  }

  /// A call that could not get its name because another has it is still findable by it, and its sources have a note.
  func noteSharedName(of views: [ConnectionView], named id: String?) throws {
    guard let given = views.compactMap(\.given).min(), let id, id != given else { return }
    for view in views {
      try Aliases(connection: connection).add("former", given, of: view.key)
    }
    for source in Set(views.map(\.source)).sorted() {
      try connection.run(
        "INSERT OR IGNORE INTO notes (source_id, note) VALUES (?, ?)", source,
        "was given the name \(given), which another call of its run has: it is \(id)")
    }
  }
}

extension Store {
  /// Calls of the sources whose given name another call has, with their own ids.
  public func callsSharingName(of sources: SourceKeys, most: Int) throws -> [(given: String, id: String)] {
    try exclusive {
      try connection.rows(
        """
        SELECT DISTINCT s.given_call, k.call_id FROM \(SourceKeys.connections)
          JOIN sources AS s ON s.source_id = c.source_id JOIN calls AS k ON k.call_key = c.call_key
        WHERE k.named_by <> 'given' AND s.given_call <> k.call_id
          AND EXISTS (SELECT 1 FROM calls AS o WHERE o.call_id = s.given_call AND o.run_id IS k.run_id)
        ORDER BY k.call_key LIMIT ?2
        """, sources.json, most, body: { (given: $0.text(0), id: $0.text(1)) })
    }
  }
}

/// Updates the row of an end from its connections. As one statement with a subquery per column it took ten times as
/// long.
struct EndpointRefresh {
  let connection: Connection

  /// The facts of an end from its sources, in the order of their digests, so that the order of import does not matter.
  /// Columns of the path come from the latest path in use that has the value; if samples were pruned, from the newest
  /// path of the latest source.
  func refresh(_ endpoint: Int64, direction: CallDirection) throws {
    let rows = try connection.rows(
      """
      SELECT c.person, c.user_agent, c.sdk, c.sdk_version, c.system
      FROM source_views AS c CROSS JOIN sources AS s USING (source_id)
      WHERE c.endpoint_key = ? ORDER BY s.sha256, c.connection_key
      """, endpoint
    ) { row in (0..<5).map { row.optionalText($0) } }
    func first(_ column: Int) -> String? { rows.lazy.compactMap { $0[column] }.first }
    let userAgent = first(1)
    let paths = try connection.rows(
      """
      SELECT p.network_type, p.local_type, p.relay_protocol, p.local, p.remote_type, p.remote
      FROM source_views AS c JOIN paths AS p USING (connection_key)
      WHERE c.endpoint_key = ?
      ORDER BY (SELECT max(t_ms) FROM path_samples AS s WHERE s.path_key = p.path_key) DESC, c.last_ms DESC, p.path_key DESC
      """, endpoint
    ) { row in PathFacts(row) }
    try connection.run(
      """
      UPDATE endpoints SET direction = ?2, person = ?3, user_agent = ?4, sdk = ?5, sdk_version = ?6, os = ?7, network_type = ?8,
        candidate_type = ?9, relay_protocol = ?10, relay = ?11, far_network = ?12
      WHERE endpoint_key = ?1
      """, endpoint, direction == .unknown ? nil : direction.rawValue, first(0), userAgent, first(2),
      first(3),
      first(4) ?? userAgent.flatMap(OperatingSystem.named), paths.lazy.compactMap(\.networkType).first,
      paths.lazy.compactMap(\.localType).first, paths.first { $0.localType != nil }?.relayProtocol,
      paths.lazy.compactMap(\.relay).first, paths.lazy.compactMap(\.farNetwork).first)
  }

  /// Facts of an end derived from its path.
  private struct PathFacts {
    let networkType: String?
    let localType: String?
    let relayProtocol: String?
    /// The relay's address without its port, which differs in each call.
    let relay: String?
    /// The network that media came from, unless that was a relay of the far end.
    let farNetwork: String?

    init(_ row: Statement) {
      (networkType, localType, relayProtocol) = (
        row.optionalText(0), row.optionalText(1), row.optionalText(2)
      )
      let (local, remote) = (row.optionalText(3), row.optionalText(5))
      relay = localType == "relay" ? local.map(AddressText.host) : nil
      let far = remote.flatMap { $0.isEmpty ? nil : $0 }
      farNetwork = row.optionalText(4) == "relay" ? nil : far.map(AddressText.network)
    }
  }
}
