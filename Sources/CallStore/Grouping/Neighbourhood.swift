import CallModel
import SQLite

/// The views that may belong together with some views, found through shared identifiers.
struct Neighbourhood {
  let connection: Connection
  let run: String?
  private let known = KnownSources()

  init(connection: Connection, run: String?) { (self.connection, self.run) = (connection, run) }

  /// The most views gathered for one call; a hostile file could relate everything to everything.
  static let largest = Limit.connectionsOfCall.value

  /// Which kinds of identifier on one side match which kinds on the other.
  private static let matchingKinds: [(IdentityKind, [IdentityKind])] = [
    (.fingerprintLocal, [.fingerprintLocal, .fingerprintRemote]), (.fingerprintRemote, [.fingerprintLocal]),
    (.ufragLocal, [.ufragLocal, .ufragRemote]), (.ufragRemote, [.ufragLocal]),
    (.ssrcIn, [.ssrcIn, .ssrcOut]), (.ssrcOut, [.ssrcIn, .ssrcOut]),
    (.call, [.call]), (.session, [.session]), (.sip, [.sip]), (.connection, [.connection]), (.page, [.page]),
  ]

  /// All views reachable from the seeds, by shared identifiers, by their previous call, or by name.
  ///
  /// Each value, call or name in a source is followed only once, as thousands of views may share it.
  func views(around seeds: [Int64], corrections: Corrections) throws -> [ConnectionView] {
    var found: [Int64: ConnectionView] = [:]
    var frontier = seeds
    var values: Set<Identity> = []
    var calls: Set<Int64> = []
    var named: Set<String> = []
    var taken: Set<MatesOfView> = []
    while found.count < Self.largest, let key = frontier.popLast() {
      guard found[key] == nil, let view = try view(key) else { continue }
      found[key] = view
      for (value, kinds) in sought(by: view) {
        let new = kinds.filter { values.insert(Identity($0, value)).inserted }
        if !new.isEmpty { frontier += try holders(of: value, as: new).filter { found[$0] == nil } }
      }
      if let call = view.previousCall, calls.insert(call).inserted { frontier += try keys(ofCall: call) }
      if let given = view.given, named.insert(given).inserted { frontier += try keys(ofCallNamed: given) }
      let mates = try mates(inSource: view.source, ofClient: view.isOfClient)
      if taken.insert(MatesOfView(source: view.source, name: nil)).inserted { frontier += mates.wholes }
      let name = SourceViews.hash(view.name)
      if taken.insert(MatesOfView(source: view.source, name: name)).inserted { frontier += mates.ends(name) }
      for part in corrections.linked(to: view.part) {
        frontier += try keys(of: part)
      }
    }
    // Beyond the limit nothing more is gathered, but the views of the source itself are always included.
    for key in seeds where found[key] == nil { found[key] = try view(key) }
    // Only of connections that may follow each other.
    if (2...ClientRecords.most).contains(found.count) {
      for (key, view) in found where view.isOfClient { found[key]?.isBroken = try isBroken(view) }
    }
    return found.values.sorted { $0.key < $1.key }
  }

  /// The views of a call.
  func views(ofCall call: Int64) throws -> [ConnectionView] { try keys(ofCall: call).compactMap(view) }

  /// The views of a source.
  func views(ofSource source: Int64) throws -> [ConnectionView] {
    try connection.rows(
      "SELECT connection_key FROM source_views WHERE source_id = ? ORDER BY connection_key", source,
      body: { $0.int64(0) }
    ).compactMap(view)
  }

  /// The manual corrections, if there are any.
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

  /// The identifiers by which other views would match this one: for each value, the kinds it may have there.
  private func sought(by view: ConnectionView) -> [String: Set<IdentityKind>] {
    var sought: [String: Set<IdentityKind>] = [:]
    for (kind, others) in Self.matchingKinds {
      for value in view[kind] where ViewRelation.isEvidence(kind, value) {
        sought[value, default: []].formUnion(others)
      }
    }
    return sought
  }

  /// Connections of the run with an identifier of one of these kinds, no raw value of which may be a suffix of another.
  /// The order of joins is fixed, as SQLite might begin with all sources of the run.
  func holders(of value: String, as kinds: Set<IdentityKind>) throws -> [Int64] {
    try connection.rows(
      Self.holders, value, kinds.reduce("") { $0 + $1.rawValue + " " }, run, body: { $0.int64(0) })
  }

  private static let holders = """
    SELECT a.connection_key FROM alias_hashes AS h CROSS JOIN aliases AS a USING (connection_key, hash)
      CROSS JOIN source_views USING (connection_key) CROSS JOIN sources AS s USING (source_id)
    WHERE h.hash = \(Aliases.function)(?1) AND a.value = ?1 AND instr(?2, a.kind || ' ') AND s.run_id IS ?3 LIMIT \(largest)
    """

  private func keys(ofCall call: Int64) throws -> [Int64] {
    try connection.rows(
      "SELECT connection_key FROM source_views WHERE call_key = ?", call, body: { $0.int64(0) })
  }

  /// The views of the call that a person or manifest assigned, and of others with that name.
  private func keys(ofCallNamed id: String) throws -> [Int64] {
    try connection.rows(
      """
      SELECT connection_key FROM calls JOIN source_views USING (call_key)
      WHERE coalesce(run_id, '') = coalesce(?1, '') AND call_id = ?2
      UNION
      SELECT a.connection_key FROM alias_hashes AS h CROSS JOIN aliases AS a USING (connection_key, hash)
        CROSS JOIN source_views USING (connection_key) CROSS JOIN sources AS s USING (source_id)
      WHERE h.hash = \(Aliases.function)(?2) AND a.kind = 'former' AND a.value = ?2 AND s.run_id IS ?1
      """, run, id, body: { $0.int64(0) })
  }

  /// Whether a connection had lost the other end when its record ends.
  private func isBroken(_ view: ConnectionView) throws -> Bool {
    let last = try connection.first(Self.lastState, view.key)?.string
    return last.map { $0 != EventName.iceConnected.rawValue && $0 != EventName.callEstablished.rawValue }
      ?? false
  }

  private static let lastState: String = {
    let names: [EventName] = [
      .iceConnected, .iceDisconnected, .iceFailed, .networkLost, .callFailed, .callEstablished,
    ]
    let list = names.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    return """
      SELECT event FROM events WHERE connection_key = ? AND event IN (\(list)) ORDER BY t_ms DESC, event_key DESC LIMIT 1
      """
  }()

  private func mates(inSource source: Int64, ofClient isOfClient: Bool) throws -> SourceViews {
    if let known = known.sources[source] { return known }
    let views = try connection.rows(
      "SELECT connection_key, name, whole FROM source_views WHERE source_id = ?", source,
      body: {
        (key: $0.int64(0), hash: $0.int64(2) != 0 ? nil : SourceViews.hash($0.optionalText(1)))
      })
    // All connections of a client may belong together, whatever their names.
    let mates = SourceViews(views, areRelated: isOfClient && views.count <= ClientRecords.most)
    known.sources[source] = mates
    return mates
  }

  private func keys(of part: Corrections.Part) throws -> [Int64] {
    try connection.rows(
      """
      SELECT connection_key FROM source_views JOIN sources USING (source_id)
      WHERE sha256 = ? AND coalesce(name, '') = ? AND run_id IS ?
      """, part.sha256, part.name, run, body: { $0.int64(0) })
  }

  func view(_ key: Int64) throws -> ConnectionView? {
    var view = try connection.rows(
      """
      SELECT s.source_id, s.sha256, s.path, s.given_call, c.whole, c.name, c.endpoint, c.call, c.direction,
             c.first_ms, c.last_ms, c.call_key, c.idle, s.format,
             (SELECT endpoint FROM endpoints AS e WHERE e.endpoint_key = c.endpoint_key AND e.endpoint_key <= ?2)
      FROM source_views AS c JOIN sources AS s USING (source_id) WHERE c.connection_key = ?1
      """, key, connection.lastBefore.end,
      body: { row in
        ConnectionView(
          key: key, source: row.int64(0), sha256: row.text(1), path: row.text(2), given: row.optionalText(3),
          isWhole: row.int64(4) != 0, isIdle: row.int64(12) != 0,
          isOfClient: row.optionalText(13).map { SourceFormat(rawValue: $0).isOfClient } ?? false,
          name: row.optionalText(5),
          endpoint: row.optionalText(6),
          call: row.optionalText(7), direction: CallDirection(rawValue: row.text(8)) ?? .unknown,
          firstMs: row.optionalDouble(9), lastMs: row.optionalDouble(10), previousCall: row.optionalInt64(11),
          keptEnd: row.optionalText(14))
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

/// The views of one source that may belong to others of it: to any, such as records attributed to no end, or to those of
/// the call that the name of their connection tells, as connections that replaced each other.
///
/// Calls are told apart by a hash of 8 bytes, as a table has hundreds of thousands; where two have the same, more is
/// gathered than needed.
struct SourceViews {
  let wholes: [Int64]
  private let ends: [(hash: Int, key: Int64)]

  /// Of views without a hash any may belong to any other, as of all if they `areRelated`.
  init(_ views: [(key: Int64, hash: Int?)], areRelated: Bool) {
    wholes = views.compactMap { areRelated || $0.hash == nil ? $0.key : nil }
    ends =
      areRelated
      ? [] : views.compactMap { view in view.hash.map { ($0, view.key) } }.sorted { $0.hash < $1.hash }
  }

  static func hash(_ name: String?) -> Int { LoggedCall(name: name).call.hashValue }

  func ends(_ hash: Int) -> [Int64] {
    ends[ends.endOfPrefix { $0.hash < hash }...].prefix { $0.hash == hash }.map(\.key)
  }
}

/// What was already gathered of a source: its views of one name, or those that may belong to any.
private struct MatesOfView: Hashable {
  var source: Int64
  var name: Int?
}

/// What is known of sources between two searches.
private final class KnownSources {
  var sources: [Int64: SourceViews] = [:]
}
