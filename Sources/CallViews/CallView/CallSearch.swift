import CallModel
import CallStore

/// Finds the call that a ticket refers to: by an id of any kind, an address, an SSRC, or a person.
public struct CallSearch: Sendable {
  /// Columns of the result, in the order of `rows`.
  public static let columns = [
    "call_id", "run", "endpoint", "matched", "value", "started_ms", "outcome", "score_mean",
  ]

  private let text: String

  /// Creates a search for the user's text.
  public init(_ text: String) { self.text = text.filter { !$0.isNewline } }

  /// The calls found: exact matches if there are any, otherwise calls with the text in an id, otherwise calls with an
  /// event that names the person. Rethrows errors of the store.
  public func rows(in store: Store, limit: Int) throws -> [[Cell]] {
    for condition in conditions {
      let parameters = ["value": Cell.text(condition.value), "limit": .integer(Int64(limit))]
      let sql = Self.sql.replacing("{alias}", with: condition.alias).replacing("{call}", with: condition.call)
      let result = try store.query(sql, parameters, person: text)
      if !result.rows.isEmpty { return result.rows }
    }
    guard text.count >= 3 else { return [] }
    return try store.query(
      Self.events, ["word": .text(longestWord), "limit": .integer(Int64(limit))], person: text
    ).rows
  }

  private typealias Condition = (alias: String, call: String, value: String)

  private static let isValue = """
    (a.connection_key, a.hash) IN (SELECT connection_key, hash FROM alias_hashes WHERE hash = alias_hash(:value))
      AND a.value = :value
    """

  /// From the strictest to the least strict.
  private var conditions: [Condition] {
    var conditions: [Condition] = [(Self.isValue, "k.call_id = :value", text)]
    if let ssrc { conditions.append(("\(Self.isValue) AND a.kind LIKE 'ssrc%'", "0", String(ssrc))) }
    conditions.append(("lower(a.value) = lower(:value)", "lower(k.call_id) = lower(:value)", text))
    if text.count >= 3 {
      conditions.append(
        ("a.kind = 'person' AND :value <> '' AND names_person(a.value) IS NOT NULL", "0", text))
    }
    // An address without its port; part of a candidate or fingerprint; part of a name.
    conditions.append(
      ("substr(a.value, 1, length(:value) + 1) = :value || ':' AND a.kind LIKE 'address%'", "0", text))
    if text.count >= 3 {
      conditions.append(
        ("instr(lower(a.value), lower(:value)) > 0", "instr(lower(k.call_id), lower(:value)) > 0", text))
    }
    return conditions
  }

  /// A word that occurs in every spelling, to preselect rows; never a number, which may be written in groups.
  private var longestWord: String {
    guard text.utf8.contains(where: \.isASCIILetter) else { return "" }
    let words = text.lowercased().split(whereSeparator: { !$0.isASCII || !$0.isLetter && !$0.isNumber })
    return words.max { $0.count < $1.count }.map(String.init) ?? ""
  }

  private static let events = """
    SELECT k.call_id, k.run_id, n.endpoint, 'event', e.event, k.started_ms, k.outcome, k.score_mean
    FROM events AS e JOIN source_views AS c USING (connection_key) JOIN calls AS k ON k.call_key = c.call_key
      LEFT JOIN endpoints AS n ON n.endpoint_key = c.endpoint_key
    WHERE (:word = '' OR instr(lower(e.args), :word) > 0) AND names_person(e.args) IS NOT NULL
    GROUP BY k.call_key, n.endpoint, e.event
    ORDER BY 6, 1, 3, 4, 5 LIMIT :limit
    """

  private var ssrc: UInt32? {
    text.lowercased().hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : nil
  }

  private static let sql = """
    SELECT k.call_id, k.run_id, n.endpoint, a.kind, a.value, k.started_ms, k.outcome, k.score_mean
    FROM aliases AS a JOIN source_views AS c USING (connection_key) JOIN calls AS k ON k.call_key = c.call_key
      LEFT JOIN endpoints AS n ON n.endpoint_key = c.endpoint_key
    WHERE {alias}
    GROUP BY k.call_key, n.endpoint, a.kind, a.value
    UNION ALL
    SELECT k.call_id, k.run_id, NULL, 'call id', k.call_id, k.started_ms, k.outcome, k.score_mean
    FROM calls AS k WHERE {call} AND k.call_key NOT IN (
      SELECT c.call_key FROM aliases AS a JOIN source_views AS c USING (connection_key) WHERE c.call_key IS NOT NULL AND {alias})
    ORDER BY 6, 1, 3, 4, 5 LIMIT :limit
    """
}
