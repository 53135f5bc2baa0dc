/// Calls that two manifests of a run gave one name: one has it, the others have names of their own.
extension CallAssignment {
  typealias Settling = (group: GroupedCall, members: [ConnectionView])

  /// Groups in the order in which they take their rows: of several of one name the one that has it keeps it, else it is the
  /// first one's.
  func inOrderOfNames(_ groups: [Settling]) throws -> [Settling] {
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

  /// What a manifest expects of the call of that name it expects of each.
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

  /// A call that another's name keeps from its own can be found by that all the same, and its sources say so.
  func noteNamesakes(of views: [ConnectionView], named id: String?) throws {
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
  /// Calls of the sources that have another's name beside the one they were given there, and what each is called.
  public func namesakes(of sources: SourceKeys, most: Int) throws -> [(given: String, id: String)] {
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
