import CallModel
import CallStore

/// Which call is meant by something a ticket says: an id of any kind, an address, an SSRC, a person.
public struct CallSearch: Sendable {
  /// Columns of the answer, in the order of `rows`.
  public static let columns = [
    "call_id", "run", "endpoint", "matched", "value", "started_ms", "outcome", "score_mean",
  ]

  private let text: String

  /// A search for what the user wrote.
  public init(_ text: String) { self.text = text.filter { !$0.isNewline } }

  /// The calls: exact matches where there are any, else those that hold the text somewhere in an id. Throws what the store
  /// throws.
  public func rows(in store: Store, limit: Int) throws -> [[Cell]] {
    for condition in conditions {
      let parameters = ["value": Cell.text(condition.value), "limit": .integer(Int64(limit))]
      let sql = Self.sql.replacing("{alias}", with: condition.alias).replacing("{call}", with: condition.call)
      let result = try store.query(sql, parameters)
      if !result.rows.isEmpty { return result.rows }
    }
    return []
  }

  private typealias Condition = (alias: String, call: String, value: String)

  /// From the strictest to the loosest.
  private var conditions: [Condition] {
    var conditions: [Condition] = [("a.value = :value", "k.call_id = :value", text)]
    if let ssrc { conditions.append(("a.value = :value AND a.kind LIKE 'ssrc%'", "0", String(ssrc))) }
    conditions.append(("lower(a.value) = lower(:value)", "lower(k.call_id) = lower(:value)", text))
    // An address without its port; a candidate or fingerprint in part; a name in part.
    conditions.append(
      ("substr(a.value, 1, length(:value) + 1) = :value || ':' AND a.kind LIKE 'address%'", "0", text))
    if text.count >= 3 {
      conditions.append(
        ("instr(lower(a.value), lower(:value)) > 0", "instr(lower(k.call_id), lower(:value)) > 0", text))
    }
    return conditions
  }

  private var ssrc: UInt32? {
    text.lowercased().hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : nil
  }

  private static let sql = """
    SELECT k.call_id, k.run_id, n.endpoint, a.kind, a.value, k.started_ms, k.outcome, k.score_mean
    FROM aliases AS a JOIN connections AS c USING (connection_key) JOIN calls AS k ON k.call_key = c.call_key
      LEFT JOIN endpoints AS n ON n.endpoint_key = c.endpoint_key
    WHERE {alias}
    GROUP BY k.call_key, n.endpoint, a.kind, a.value
    UNION ALL
    SELECT k.call_id, k.run_id, NULL, 'call id', k.call_id, k.started_ms, k.outcome, k.score_mean
    FROM calls AS k WHERE {call} AND k.call_key NOT IN (
      SELECT c.call_key FROM aliases AS a JOIN connections AS c USING (connection_key) WHERE c.call_key IS NOT NULL AND {alias})
    ORDER BY 6, 1, 3, 4, 5 LIMIT :limit
    """
}
