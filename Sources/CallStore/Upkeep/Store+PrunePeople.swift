import CallModel

extension Store {
  /// Removes people and addresses from calls that started before a time; measurements and judgements stay. Such a call
  /// is not judged again.
  ///
  /// Arguments of events keep only figures that identify nobody; in other texts of the call, known names and addresses
  /// are replaced. Rewrites the file, as forgetting does. Calls without a time are not changed.
  ///
  /// - Returns: the number of calls with people or addresses.
  public func prune(peopleBefore instantMs: Double) throws -> Int {
    try exclusive {
      try checkForeignKeys(true)
      try connection.execute("PRAGMA secure_delete = ON")
      let calls = try connection.transaction {
        let old = try connection.rows(
          "SELECT call_key FROM judged_calls WHERE started_ms IS NOT NULL AND night_ms < ? ORDER BY call_key",
          instantMs
        ) { $0.int64(0) }
        var changed = 0
        for call in old where try removePeople(fromCall: call) {
          // The content of its events is gone: judging it again would give another result.
          try connection.run(
            "UPDATE calls SET pruned_ms = ?2 WHERE call_key = ?1 AND pruned_ms IS NULL", call, instantMs)
          changed += 1
        }
        try Aliases(connection: connection).refresh()
        return changed
      }
      try connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
      return calls
    }
  }

  /// Members of arguments that name a person, lower-cased without punctuation.
  private static let personal = [
    "displayname", "user", "username", "userid", "name", "from", "to", "caller", "callee", "callername",
    "calleename",
    "number", "phonenumber", "participant", "participantname", "remoteuser", "alias", "uri", "host",
    "address",
    "calledid", "callingid", "identity", "remotepartyname", "remotepartyid", "localpartyname",
  ]

  /// People and addresses of one call or of all: identifiers, and values in event arguments whose name or form (`a@b`,
  /// `sip:`, `tel:`, `+49…`) marks a person.
  public func people(ofCall call: Int64? = nil, most: Int = 100_000) throws -> [String] {
    let key = call.map { String($0) }
    let parts =
      key.map { "connection_key IN (SELECT connection_key FROM source_views WHERE call_key = \($0))" } ?? "1"
    let ends = key.map { "call_key = \($0)" } ?? "1"
    let names = Self.personal.map { "'\($0)'" }.joined(separator: ", ")
    return try query(
      """
      SELECT value FROM aliases WHERE (kind = 'person' OR kind LIKE 'address%') AND \(parts)
      UNION SELECT person FROM source_views WHERE person IS NOT NULL AND \(ends)
      UNION SELECT person FROM endpoints WHERE person IS NOT NULL AND \(ends)
      UNION SELECT endpoint FROM source_views WHERE endpoint NOT IN (\(EndName.sqlList(EndName.impersonal))) AND \(ends)
      UNION SELECT track_identifier FROM streams WHERE track_identifier NOT IN (\(EndName.sqlList(EndName.tracks))) AND \(parts)
      UNION SELECT local FROM paths WHERE local IS NOT NULL AND \(parts)
      UNION SELECT remote FROM paths WHERE remote IS NOT NULL AND \(parts)
      UNION SELECT local FROM streams WHERE local IS NOT NULL AND \(parts)
      UNION SELECT remote FROM streams WHERE remote IS NOT NULL AND \(parts)
      UNION SELECT a.value FROM events AS e, json_tree(e.args) AS a WHERE \(parts) AND a.type = 'text' AND length(a.value) < 200
        AND (lower(replace(replace(a.key, '_', ''), '-', '')) IN (\(names)) OR a.value GLOB '*[a-z0-9]@[a-z0-9]*' AND a.value NOT GLOB '* *'
          OR a.value GLOB 'sip:*' OR a.value GLOB 'tel:*' OR a.value GLOB '+[0-9][0-9]*')
      LIMIT \(most)
      """
    ).rows.compactMap { $0[0].string }
  }

  /// Members of event arguments that never identify a person.
  private static let impersonal = [
    "status", "code", "duration_ms", "after_ms", "waited_ms", "retransmissions", "score", "width", "height",
    "kind",
    "direction", "ssrc", "pairs", "requests_sent", "responses_received", "requests_received",
  ]

  /// Ends that an application named get a number instead, wherever the name of an end is kept.
  private func renameEnds(ofCall call: Int64) throws {
    let named = try connection.rows(
      """
      SELECT DISTINCT n.endpoint_key, n.endpoint, v.endpoint FROM endpoints AS n JOIN source_views AS v USING (endpoint_key)
      WHERE n.call_key = ? AND v.endpoint NOT IN (\(EndName.sqlList(EndName.impersonal))) AND v.endpoint NOT GLOB 'removed-[0-9]*'
      ORDER BY n.endpoint_key, v.endpoint
      """, call
    ) { (key: $0.int64(0), end: $0.text(1), stated: $0.text(2)) }
    for (index, end) in named.enumerated() {
      let name = "removed-\(index + 1)"
      try connection.run("UPDATE endpoints SET endpoint = ? WHERE endpoint_key = ?", name, end.key)
      for column in [
        "verdict_end", "score_endpoint", "place_end_judged", "place_end_marked", "root_end",
      ] {
        try connection.run(
          "UPDATE calls SET \(column) = ? WHERE call_key = ? AND \(column) = ?", name, call, end.end)
      }
      try connection.run(
        "UPDATE source_views SET name = replace(name, ?1, ?2), endpoint = ?2 WHERE endpoint_key = ?3 AND endpoint = ?1",
        end.stated, name, end.key)
    }
  }

  private func removePeople(fromCall call: Int64) throws -> Bool {
    let parts = "(SELECT connection_key FROM source_views WHERE call_key = ?1)"
    let known = try people(ofCall: call)
    let before = connection.changes
    let members = Self.impersonal.map { "'\($0)'" }.joined(separator: ", ")
    for statement in [
      "UPDATE source_views SET person = NULL WHERE call_key = ?1 AND person IS NOT NULL",
      """
      UPDATE endpoints SET person = NULL, relay = NULL, far_network = NULL
      WHERE call_key = ?1 AND coalesce(person, relay, far_network) IS NOT NULL
      """,
      "DELETE FROM aliases WHERE connection_key IN \(parts) AND (kind = 'person' OR kind LIKE 'address%')",
      "UPDATE paths SET local = NULL, remote = NULL WHERE connection_key IN \(parts) AND coalesce(local, remote) IS NOT NULL",
      """
      UPDATE streams SET local = NULL, remote = NULL, track_identifier = NULL
      WHERE connection_key IN \(parts) AND coalesce(local, remote, track_identifier) IS NOT NULL
      """,
      """
      UPDATE events SET args = (SELECT json_group_object(a.key, a.value) FROM json_each(events.args) AS a WHERE a.key IN (\(members)))
      WHERE connection_key IN \(parts) AND args <> '{}'
        AND EXISTS (SELECT 1 FROM json_each(events.args) AS a WHERE a.key NOT IN (\(members)))
      """,
    ] { try connection.run(statement, call) }
    try renameEnds(ofCall: call)
    for name in known where name.utf8.count > 2 {
      // Sentences may contain an address without its port, too.
      let host = AddressText.host(name)
      for text in host != name && host.contains(".") ? [name, host] : [name] {
        try connection.run(
          "UPDATE findings SET text = replace(text, ?2, '(removed)'), evidence = replace(evidence, ?2, '(removed)') WHERE call_key = ?1 AND (instr(text, ?2) > 0 OR instr(evidence, ?2) > 0)",
          call, text)
        try connection.run(
          "UPDATE calls SET end_reason = replace(end_reason, ?2, '(removed)'), outcome_why = replace(outcome_why, ?2, '(removed)') WHERE call_key = ?1 AND (instr(end_reason, ?2) > 0 OR instr(outcome_why, ?2) > 0)",
          call, text)
      }
    }
    return connection.changes > before
  }
}

extension EndName {
  static func sqlList(_ words: [String]) -> String {
    words.map { "'\($0)'" }.joined(separator: ", ")
  }
}
