/// A user's reference to a call: an id or its unique prefix, in any case, with or without the `…` of a list, `RUN/ID`,
/// `last`, `worst` (of the latest run, if there are several).
public struct CallReference: Sendable {
  /// Why a reference is to no call, or to several.
  public enum Failure: Error, Equatable, Sendable {
    case none(String)
    /// The id occurs in several runs; each as `RUN/ID`.
    case runs(String, [String])
    /// The prefix of several ids.
    case several(String, [String])
  }

  let word: String

  /// The reference as the user wrote it, or as a list shortened it.
  public init(_ word: String) { self.word = word.hasSuffix("…") ? String(word.dropLast()) : word }
}

extension Store {
  /// The key of the call. Throws `CallReference.Failure`, or `StoreError`.
  public func resolve(_ reference: CallReference) throws -> Int64 {
    let word = reference.word
    let exact: [(sql: String, value: String?)] = [
      ("SELECT call_key FROM calls WHERE call_id = ? LIMIT 20", word),
      (
        "SELECT call_key FROM calls WHERE run_id || '/' || call_id = ? LIMIT 20",
        word.contains("/") ? word : nil
      ),
      (
        """
        SELECT DISTINCT c.call_key FROM aliases AS a JOIN source_views AS c USING (connection_key)
        WHERE \(Aliases.are("?1")) AND a.kind IN ('former', 'call') AND c.call_key IS NOT NULL LIMIT 20
        """, word
      ),
    ]
    let beginnings: [(sql: String, value: String?)] = [
      (
        "SELECT call_key FROM calls WHERE substr(call_id, 1, length(?1)) = ?1 ORDER BY call_id LIMIT 20", word
      ),
      ("SELECT call_key FROM calls WHERE call_id = ?1 COLLATE NOCASE LIMIT 20", word),
      (
        """
        SELECT call_key FROM calls WHERE substr(call_id, 1, length(?1)) = ?1 COLLATE NOCASE ORDER BY call_id LIMIT 20
        """, word
      ),
      (
        "SELECT call_key FROM calls WHERE substr(run_id || '/' || call_id, 1, length(?1)) = ?1 LIMIT 20",
        word.contains("/") ? word : nil
      ),
      (
        """
        SELECT DISTINCT c.call_key FROM aliases AS a JOIN source_views AS c USING (connection_key)
        WHERE a.value >= ?1 AND a.value < ?1 || char(1114111) AND a.kind = 'former' AND c.call_key IS NOT NULL LIMIT 20
        """, word
      ),
    ]
    guard !word.isEmpty else { throw CallReference.Failure.none(word) }
    return try exclusive {
      if let key = try only(exact, else: { .runs(word, $0) }) { return key }
      if let key = try special(word) { return key }
      if let key = try only(beginnings, else: { .several(word, $0) }) { return key }
      throw CallReference.Failure.none(word)
    }
  }

  /// The result of the first step that finds anything.
  private func only(
    _ steps: [(sql: String, value: String?)], else failure: ([String]) -> CallReference.Failure
  ) throws -> Int64? {
    for (sql, value) in steps {
      guard let value else { continue }
      let keys = try connection.rows(sql, value, body: { $0.int64(0) })
      if keys.count > 1 { throw failure(try names(keys)) }
      if let key = keys.first { return key }
    }
    return nil
  }

  private func special(_ word: String) throws -> Int64? {
    switch word {
    case "last":
      return try connection.first(
        """
        SELECT call_key FROM calls WHERE outcome <> 'missing'
        ORDER BY call_key IN (SELECT call_key FROM odd_clocks), started_ms DESC, call_key DESC LIMIT 1
        """)?.integer
    case "worst":
      // The lowest mean; calls without a score come last, as failed and missing calls have words of their own.
      return try connection.first(
        """
        SELECT call_key FROM calls WHERE outcome <> 'missing' AND excluded IS NULL AND (run_id IS NULL
          OR run_id = (SELECT run_id FROM run_starts ORDER BY began_ms DESC, run_id DESC LIMIT 1))
        ORDER BY score_mean IS NULL, score_mean, started_ms, call_key LIMIT 1
        """)?.integer
    default: return nil
    }
  }

  private func names(_ keys: [Int64]) throws -> [String] {
    try keys.compactMap {
      try connection.first(
        "SELECT CASE WHEN run_id IS NULL THEN call_id ELSE run_id || '/' || call_id END FROM calls WHERE call_key = ?",
        $0)?.string
    }
  }
}
