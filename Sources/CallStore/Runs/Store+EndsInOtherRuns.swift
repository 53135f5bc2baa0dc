import CallModel

/// A call whose other end is in another run: files of two runs are never grouped, so it counts in both.
public struct EndInOtherRun: Sendable, Equatable {
  public var call: String
  public var run: String?
  public var other: String
  public var otherRun: String?
}

extension Store {
  /// Maximum number of connections examined per identifier, the latest first.
  private static let maxHolders = 32

  /// Finds calls with one end, among those that changed, that face a call with one end in another run, and adds a note
  /// to the sources of both.
  public func noteEndsInOtherRuns() throws -> [EndInOtherRun] {
    try exclusive {
      // Only calls at the time of another run can be the other end of a call in it.
      let calls = try connection.rows(
        """
        SELECT k.call_key, k.run_id FROM calls AS k
        WHERE k.stale AND (SELECT count(*) FROM endpoints AS n WHERE n.call_key = k.call_key) = 1 AND EXISTS (
          SELECT 1 FROM source_views AS c, runs AS r WHERE c.call_key = k.call_key AND r.run_id IS NOT k.run_id
            AND c.first_ms <= r.ended_ms + \(ViewRelation.slackMs) AND c.last_ms >= r.started_ms - \(ViewRelation.slackMs))
        ORDER BY k.call_key
        """, body: { (key: $0.int64(0), run: $0.optionalText(1)) })
      guard !calls.isEmpty else { return [] }
      return try connection.transaction {
        try calls.compactMap { call in
          guard let other = try facing(call.key, of: call.run) else { return nil }
          guard let here = try name(call.key), let there = try name(other) else { return nil }
          try note(there, atSourcesOf: call.key)
          try note(here, atSourcesOf: other)
          return EndInOtherRun(call: here.call, run: here.run, other: there.call, otherRun: there.run)
        }
      }
    }
  }

  /// The call with one end in another run that faces a call by its keys or streams, at the same time.
  private func facing(_ call: Int64, of run: String?) throws -> Int64? {
    let neighbourhood = Neighbourhood(connection: connection, run: run)
    let opposite: [(IdentityKind, IdentityKind)] = [
      (.ufragLocal, .ufragRemote), (.ufragRemote, .ufragLocal), (.ssrcIn, .ssrcOut), (.ssrcOut, .ssrcIn),
      (.fingerprintLocal, .fingerprintRemote), (.fingerprintRemote, .fingerprintLocal),
    ]
    var seen: Set<Int64> = []
    for view in try neighbourhood.views(ofCall: call).map(\.nameless) where view.firstMs != nil {
      for (kind, other) in opposite {
        for value in view[kind].sorted().prefix(Self.maxHolders) {
          let holders = try connection.rows(
            """
            SELECT c.connection_key, c.call_key FROM (
              SELECT a.connection_key FROM aliases AS a WHERE \(Aliases.are("?1")) AND a.kind = ?2 ORDER BY a.connection_key DESC LIMIT \(Self.maxHolders)
            ) JOIN source_views AS c USING (connection_key) JOIN calls AS k USING (call_key)
            WHERE k.run_id IS NOT ?3 AND c.first_ms IS NOT NULL
              AND (SELECT count(*) FROM endpoints AS n WHERE n.call_key = k.call_key) = 1
            """, value, other.rawValue, run, body: { (view: $0.int64(0), call: $0.int64(1)) })
          for holder in holders where seen.insert(holder.view).inserted {
            guard let far = try neighbourhood.view(holder.view)?.nameless else { continue }
            if ViewRelation.between(view, far) == .facing { return holder.call }
          }
        }
      }
    }
    return nil
  }

  private func name(_ call: Int64) throws -> (call: String, run: String?)? {
    try connection.rows(
      "SELECT call_id, run_id FROM calls WHERE call_key = ?", call,
      body: { (call: $0.text(0), run: $0.optionalText(1)) }
    ).first
  }

  private func note(_ other: (call: String, run: String?), atSourcesOf call: Int64) throws {
    try connection.run(
      """
      INSERT OR IGNORE INTO notes (source_id, note)
      SELECT DISTINCT source_id, ?2 FROM source_views WHERE call_key = ?1
      """, call,
      "the other end of its call came in \(other.run.map { "run \($0)" } ?? "no run"), as call \(other.call): "
        + "files of two runs are two calls")
  }
}

extension ConnectionView {
  /// Without the assigned call.
  var nameless: ConnectionView {
    var view = self
    view.given = nil
    return view
  }
}
