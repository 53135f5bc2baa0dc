import CallModel

/// The views of connections that may belong together, found from one of them through the identifiers they share.
struct Neighbourhood {
  let connection: Connection
  let run: String?

  /// Most views that one call may gather; a hostile file could tie everything together.
  static let largest = 20_000

  /// Which kind of identifier on one side speaks for which on the other.
  private static let speaksFor: [(IdentityKind, [IdentityKind])] = [
    (.fingerprintLocal, [.fingerprintLocal, .fingerprintRemote]), (.fingerprintRemote, [.fingerprintLocal]),
    (.ufragLocal, [.ufragLocal, .ufragRemote]), (.ufragRemote, [.ufragLocal]),
    (.ssrcIn, [.ssrcIn, .ssrcOut]), (.ssrcOut, [.ssrcIn, .ssrcOut]),
    (.call, [.call]), (.session, [.session]), (.sip, [.sip]), (.connection, [.connection]),
  ]

  /// Every view that can be reached from the seeds, by shared identifiers or by being of one call already or by name.
  func views(around seeds: [Int64], corrections: Corrections) throws -> [ConnectionView] {
    var found: [Int64: ConnectionView] = [:]
    var frontier = seeds
    // Thousands of views of one call or source would name each other again and again.
    var asked: Set<String> = []
    while let key = frontier.popLast(), found.count < Self.largest {
      guard found[key] == nil, let view = try view(key) else { continue }
      found[key] = view
      frontier += try neighbours(of: key)
      if let call = view.previousCall, asked.insert("call \(call)").inserted {
        frontier += try ofSameCall(view)
      }
      if let given = view.given, asked.insert("given \(given)").inserted {
        frontier += try ofCall(named: given)
      }
      if asked.insert("source \(view.source) \(view.name ?? "\0")").inserted {
        frontier += try ofSameSource(view)
      }
      for part in corrections.linked(to: .init(sha256: view.sha256, name: view.name ?? "")) {
        frontier += try keys(of: part)
      }
    }
    return found.values.sorted { $0.key < $1.key }
  }

  /// The views of one call.
  func views(ofCall call: Int64) throws -> [ConnectionView] {
    try connection.rows(
      "SELECT connection_key FROM connections WHERE call_key = ?", call, body: { $0.int64(0) }
    )
    .compactMap(view)
  }

  /// What people said, as far as anyone said anything.
  func corrections() throws -> Corrections {
    var corrections = Corrections()
    let rows = try connection.rows(
      "SELECT action, left_sha256, left_name, right_sha256, right_name FROM corrections",
      body: { row in (row.text(0), (row.text(1), row.text(2)), (row.text(3), row.text(4))) })
    for (action, left, right) in rows {
      let (a, b) = (
        Corrections.Part(sha256: left.0, name: left.1), Corrections.Part(sha256: right.0, name: right.1)
      )
      if action == "link" { corrections.link(a, b) } else { corrections.split(a, b) }
    }
    return corrections
  }

  private func neighbours(of key: Int64) throws -> [Int64] {
    try connection.rows(
      """
      SELECT DISTINCT b.connection_key
      FROM aliases AS a JOIN aliases AS b ON b.value = a.value JOIN connections AS c ON c.connection_key = b.connection_key
        JOIN sources AS s USING (source_id)
      WHERE a.connection_key = ?1 AND b.connection_key <> ?1 AND s.run_id IS ?2 AND (a.kind, b.kind) IN (VALUES \(Self.pairs))
        AND NOT (a.kind IN ('ssrc-in', 'ssrc-out') AND length(a.value) <= 5)
        AND NOT (a.kind = 'connection' AND (length(a.value) < 12 OR a.value NOT GLOB '*[0-9]*'))
      LIMIT \(Self.largest)
      """, key, run, body: { $0.int64(0) })
  }

  private static let pairs = speaksFor.flatMap { from, to in
    to.map { "('\(from.rawValue)', '\($0.rawValue)')" }
  }
  .joined(separator: ", ")

  private func ofSameCall(_ view: ConnectionView) throws -> [Int64] {
    guard let call = view.previousCall else { return [] }
    return try connection.rows(
      "SELECT connection_key FROM connections WHERE call_key = ?", call, body: { $0.int64(0) })
  }

  /// The views of the call that a person or a manifest named.
  private func ofCall(named id: String) throws -> [Int64] {
    try connection.rows(
      """
      SELECT connection_key FROM calls JOIN connections USING (call_key) WHERE calls.run_id IS ? AND call_id = ?
      """, run, id, body: { $0.int64(0) })
  }

  /// The source's own words on no end in particular, and ends of the name this one has.
  private func ofSameSource(_ view: ConnectionView) throws -> [Int64] {
    try connection.rows(
      "SELECT connection_key FROM connections WHERE source_id = ? AND (whole OR name IS ?)", view.source,
      view.name,
      body: { $0.int64(0) })
  }

  private func keys(of part: Corrections.Part) throws -> [Int64] {
    try connection.rows(
      """
      SELECT connection_key FROM connections JOIN sources USING (source_id)
      WHERE sha256 = ? AND coalesce(name, '') = ? AND run_id IS ?
      """, part.sha256, part.name, run, body: { $0.int64(0) })
  }

  private func view(_ key: Int64) throws -> ConnectionView? {
    var view = try connection.rows(
      """
      SELECT s.source_id, s.sha256, s.path, s.given_call, c.whole, c.name, c.endpoint, c.call, c.direction,
             c.first_ms, c.last_ms, c.call_key
      FROM connections AS c JOIN sources AS s USING (source_id) WHERE c.connection_key = ?
      """, key,
      body: { row in
        ConnectionView(
          key: key, source: row.int64(0), sha256: row.text(1), path: row.text(2), given: row.optionalText(3),
          isWhole: row.int64(4) != 0, name: row.optionalText(5), endpoint: row.optionalText(6),
          call: row.optionalText(7), direction: CallDirection(rawValue: row.text(8)) ?? .unknown,
          firstMs: row.optionalDouble(9), lastMs: row.optionalDouble(10), previousCall: row.optionalInt64(11))
      }
    ).first
    let identities = try connection.rows(
      "SELECT kind, value FROM aliases WHERE connection_key = ?", key, body: { ($0.text(0), $0.text(1)) })
    for (kind, value) in identities {
      if let kind = IdentityKind(rawValue: kind) { view?.identities[kind, default: []].insert(value) }
    }
    return view
  }
}
