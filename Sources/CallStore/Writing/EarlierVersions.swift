import CallModel
import SQLite

/// Finds earlier imports from the same path whose file was changed since: exported again, repaired, compressed again.
///
/// A path may also have had the file of another call, under a name that each call overwrites, or an earlier part of a
/// rotated log: only a source with the same ends at the same time is an earlier version.
struct PreviousContent {
  let connection: Connection

  /// The most sources of one path examined, latest first, and the most connections compared with one.
  private static let maxStates = 16
  private static let maxCompared = 64
  /// How far the spans of two versions may differ, ms: the first or last line may be what was corrected.
  private static let slackMs = 1000.0
  /// Times before this are from logs without dates, which start at zero and so identify no call.
  private static let firstDateMs = 946_684_800_000.0

  /// The sources that a new one replaces, besides those given by digest. Sources that are kept are noted with the
  /// reason; without a given run, the new source is in the run of the one it replaces.
  func settle(_ new: inout StoredSource, aside: [String]) throws -> [Int64] {
    let states = try states(before: new).filter { !aside.contains($0.sha256) }
    guard !states.isEmpty else { return [] }
    let views = NewViews(try Neighbourhood(connection: connection, run: nil).views(ofSource: new.id))
    var replaced: [Int64] = []
    for state in states {
      let old = try Neighbourhood(connection: connection, run: nil).views(ofSource: state.source)
      guard let overlap = views.overlap(to: old) else { continue }
      if overlap == .inPart {
        try note("of which this has a part: both are kept", of: &new)
      } else if state.isPruned {
        try note("and pruned since: both count", of: &new)
      } else if let run = new.run, run != state.run {
        try note("in \(state.run.map { "run \($0)" } ?? "no run"): the call counts in both", of: &new)
      } else {
        try take(state, &new)
        replaced.append(state.source)
      }
    }
    if !replaced.isEmpty { try note("which is replaced", of: &new) }
    return replaced
  }

  private struct State {
    var source: Int64
    var sha256: String
    var run: String?
    var call: String?
    var isPruned: Bool
  }

  /// Sources of the same path that overlap in time. Standard input has no path.
  private func states(before new: StoredSource) throws -> [State] {
    guard new.path != "-", let first = new.firstMs, let last = new.lastMs else { return [] }
    return try connection.rows(
      """
      SELECT source_id, coalesce(sha256, ''), run_id, given_call, pruned_ms IS NOT NULL FROM sources
      WHERE path = ?1 AND source_id <> ?2 AND status IN ('imported', 'partial') AND first_ms <= ?4 AND last_ms >= ?3
      ORDER BY source_id DESC LIMIT ?5
      """, new.path, new.id, first, last, Self.maxStates
    ) { row in
      State(
        source: row.int64(0), sha256: row.text(1), run: row.optionalText(2), call: row.optionalText(3),
        isPruned: row.int64(4) != 0)
    }
  }

  private func note(_ what: String, of new: inout StoredSource) throws {
    let note = "imported before with other content, \(what)"
    try connection.run("INSERT OR IGNORE INTO notes (source_id, note) VALUES (?, ?)", new.id, note)
    new.remark = note
  }

  private func take(_ state: State, _ new: inout StoredSource) throws {
    new.run = new.run ?? state.run
    new.call = new.call ?? state.call
    try connection.run(
      "UPDATE sources SET run_id = ?2, given_call = ?3 WHERE source_id = ?1", new.id, new.run, new.call)
  }

  /// How much of the earlier content is in the new one.
  private enum Overlap { case whole, inPart }

  /// The connections of the new source, by the keys they may share with earlier ones.
  private struct NewViews {
    private var sharing: [String: [ConnectionView]] = [:]

    init(_ views: [ConnectionView]) {
      for view in views {
        for word in Self.words(of: view) where sharing[word, default: []].count < PreviousContent.maxCompared
        {
          sharing[word, default: []].append(view)
        }
      }
    }

    /// Nil if the old source has other content.
    func overlap(to old: [ConnectionView]) -> Overlap? {
      let again = old.map { view in
        Self.words(of: view).lazy.flatMap { sharing[$0] ?? [] }.compactMap {
          PreviousContent.overlap(of: view, to: $0)
        }
        .min { $0 == .whole && $1 == .inPart }
      }
      if !again.isEmpty, again.allSatisfy({ $0 == .whole }) { return .whole }
      return again.contains { $0 != nil } ? .inPart : nil
    }

    private static func words(of view: ConnectionView) -> [String] {
      ["name \(view.isWhole) \(view.name ?? "")"]
        + [IdentityKind.fingerprintLocal, .ufragLocal, .ssrcIn, .ssrcOut].flatMap { kind in
          view[kind].sorted().prefix(4).map { "\(kind.rawValue) \($0)" }
        }
    }
  }

  /// Whether two views are of the same end and time: by evidence, otherwise by name if nothing contradicts it and both
  /// have the same duration.
  private static func overlap(of old: ConnectionView, to new: ConnectionView) -> Overlap? {
    guard old.isWhole == new.isWhole, !contradict(old, new) else { return nil }
    // The assigned call may be what was corrected.
    let relation = ViewRelation.between(old.nameless, new.nameless)
    let isNamedAlike = old.name == new.name && old.endpoint == new.endpoint
    guard relation != .facing else { return nil }
    guard let first = old.firstMs, let last = old.lastMs else { return isNamedAlike ? .whole : nil }
    guard let newFirst = new.firstMs, let newLast = new.lastMs else { return nil }
    if relation == .sameEnd || relation == .sameCall && old.isWhole {
      return newFirst <= first + slackMs && newLast >= last - slackMs ? .whole : .inPart
    }
    let isAsLong = abs(newFirst - first) <= slackMs && abs(newLast - last) <= slackMs
    return isNamedAlike && first >= firstDateMs && isAsLong ? .whole : nil
  }

  private static func contradict(_ a: ConnectionView, _ b: ConnectionView) -> Bool {
    if let call = a.call, let other = b.call, call != other { return true }
    return [IdentityKind.fingerprintLocal, .ufragLocal, .ssrcIn, .ssrcOut, .call, .session, .sip].contains {
      kind in
      func distinguishing(_ view: ConnectionView) -> Set<String> {
        kind == .ssrcIn || kind == .ssrcOut ? view[kind].filter { SSRC.isRandom($0) } : view[kind]
      }
      let (one, other) = (distinguishing(a), distinguishing(b))
      return !one.isEmpty && !other.isEmpty && one.isDisjoint(with: other)
    }
  }
}

/// Replaces earlier versions of a source: a log imported while it was still being written, an export that was
/// corrected.
struct SourceReplacement {
  let connection: Connection

  /// The sources with these digests.
  func sources(ofDigests digests: [String]) throws -> [Int64] {
    try digests.compactMap {
      try connection.first("SELECT source_id FROM sources WHERE sha256 = ?", $0)?.integer
    }
  }

  /// Deletes sources; their calls and manual marks go to the new source. Part of the transaction that wrote it, before
  /// its connections are grouped into calls.
  func replace(_ sources: [Int64], by new: Int64) throws {
    for old in sources {
      let calls = try connection.rows(
        "SELECT DISTINCT call_key FROM source_views WHERE source_id = ? AND call_key IS NOT NULL", old,
        body: { $0.int64(0) })
      try handOver(from: old, to: new)
      try remove(old)
      try CallAssignment(connection: connection, run: nil).removeEmptied(Set(calls))
    }
  }

  /// Leaves with sources of other runs what they began: a connection that a new source goes on with takes the place of
  /// its earlier part there, so that yesterday's calls are not counted again today.
  func leave(to earlier: [Int64], from new: Int64) throws {
    for old in earlier
    where try connection.first("SELECT pruned_ms FROM sources WHERE source_id = ?", old)?.number == nil {
      let pairs = try connection.rows(Self.continued, old, new) {
        (old: $0.int64(0), new: $0.int64(1), isWhole: $0.int64(2) != 0)
      }
      for pair in pairs where !pair.isWhole {
        try connection.run(
          """
          UPDATE source_views SET source_id = ?1,
            call_key = (SELECT o.call_key FROM source_views AS o WHERE o.connection_key = ?2)
          WHERE connection_key = ?3
          """, old, pair.old, pair.new)
        try remove(views: "(?1)", of: pair.old)
      }
      // What is of no end in particular is of the run in which it happened.
      for pair in pairs where pair.isWhole {
        try connection.run(
          """
          DELETE FROM events WHERE connection_key = ?2
            AND t_ms <= (SELECT last_ms FROM source_views WHERE connection_key = ?1)
          """, pair.old, pair.new)
        if try connection.first("SELECT 1 FROM events WHERE connection_key = ? LIMIT 1", pair.new) == nil {
          try remove(views: "(?1)", of: pair.new)
        }
      }
      if !pairs.isEmpty { for source in [old, new] { try recount(source) } }
    }
  }

  /// Counts the rows of a source again, and when it begins and ends.
  private func recount(_ source: Int64) throws {
    try connection.run(
      """
      UPDATE sources SET
        streams = (SELECT count(*) FROM source_views JOIN streams USING (connection_key) WHERE source_id = ?1),
        samples = (SELECT count(*) FROM source_views JOIN streams USING (connection_key) JOIN samples USING (stream_key)
          WHERE source_id = ?1),
        events = (SELECT count(*) FROM source_views JOIN events USING (connection_key) WHERE source_id = ?1),
        first_ms = (SELECT min(first_ms) FROM source_views WHERE source_id = ?1),
        last_ms = (SELECT max(last_ms) FROM source_views WHERE source_id = ?1)
      WHERE source_id = ?1
      """, source)
  }

  /// The connections of a new source that an earlier one has the beginnings of: the first of a name is the first there.
  private static let continued = {
    func named(_ source: String) -> String {
      """
      (SELECT connection_key, whole, coalesce(name, '') AS name,
        row_number() OVER (PARTITION BY whole, name ORDER BY connection_key) AS nth
      FROM source_views WHERE source_id = \(source))
      """
    }
    return """
      SELECT o.connection_key, n.connection_key, o.whole FROM \(named("?1")) AS o
      JOIN \(named("?2")) AS n USING (whole, name, nth)
      """
  }()

  /// Connections with the same name in both are the same: calls keep their rows with all marks, and corrections their
  /// parts. Connections with new names go to the only call, if there was just one.
  private func handOver(from old: Int64, to new: Int64) throws {
    try connection.run(
      """
      UPDATE source_views SET call_key = coalesce(
        (SELECT o.call_key FROM source_views AS o
          WHERE o.source_id = ?1 AND coalesce(o.name, '') = coalesce(source_views.name, '') AND o.whole = source_views.whole
          ORDER BY o.connection_key LIMIT 1),
        (SELECT min(o.call_key) FROM source_views AS o WHERE o.source_id = ?1 HAVING count(DISTINCT o.call_key) = 1),
        call_key)
      WHERE source_id = ?2
      """, old, new)
    for side in ["left_sha256", "right_sha256"] {
      try connection.run(
        """
        UPDATE OR REPLACE corrections SET \(side) = (SELECT sha256 FROM sources WHERE source_id = ?2)
        WHERE \(side) = (SELECT sha256 FROM sources WHERE source_id = ?1)
        """, old, new)
    }
  }

  /// Deletes a source with all of its data. Sources are written with foreign keys off, so nothing cascades.
  private func remove(_ source: Int64) throws {
    try remove(views: "(SELECT connection_key FROM source_views WHERE source_id = ?1)", of: source)
    for table in ["rejects", "notes", "sources"] {
      try connection.run("DELETE FROM \(table) WHERE source_id = ?", source)
    }
  }

  /// Deletes connections, given by an expression of the key `?1`.
  private func remove(views parts: String, of key: Int64) throws {
    let streams = "(SELECT stream_key FROM streams WHERE connection_key IN \(parts))"
    let paths = "(SELECT path_key FROM paths WHERE connection_key IN \(parts))"
    for statement in [
      "DELETE FROM samples WHERE stream_key IN \(streams)",
      "DELETE FROM path_samples WHERE path_key IN \(paths)",
      "DELETE FROM streams WHERE connection_key IN \(parts)",
      "DELETE FROM paths WHERE connection_key IN \(parts)",
      "DELETE FROM events WHERE connection_key IN \(parts)",
      "DELETE FROM aliases WHERE connection_key IN \(parts)",
      "DELETE FROM source_views WHERE connection_key IN \(parts)",
    ] { try connection.run(statement, key) }
  }
}
