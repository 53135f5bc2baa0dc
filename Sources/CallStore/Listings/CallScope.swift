import CallModel
import SQLite

/// Which calls a list is about; what is nil does not narrow it.
public struct CallScope: Sendable {
  /// Keys of the calls themselves.
  public var calls: [Int64]?
  public var run: String?
  /// Only calls of this run, and those of no run: what a list shows where nobody asked for a run.
  public var latestRun: String?
  /// Started at or after, and before, these instants (ms since the epoch).
  public var sinceMs: Double?
  public var untilMs: Double?
  public var sdk: String?
  public var outcome: Outcome?
  /// Only calls of one of these verdicts, a person's own first; empty: of any.
  public var verdicts: [Verdict.Word] = []
  /// Only calls that did not end as they should have.
  public var broken = false
  /// Only calls with a finding of one of these codes; empty: with any or none.
  public var findings: [String] = []
  /// Only calls for which each of these holds.
  public var having: [ValueCondition] = []
  /// The so many calls with the lowest mean score; what came without a score comes last.
  public var worst: Int?
  /// A condition in SQL over the columns of view `attributed_calls`: those of table `calls`, and one an attribute.
  public var sql: String?
  /// Windows of this kind of source instead of the chosen one; `score` only.
  public var source: StreamSource?
  /// Windows of every source and model, chosen or not; `score` only.
  public var allWindows = false
  /// Windows of this model instead of the call's; `score` only.
  public var model: String?
  /// Only windows at which a client's callback would have reported; `score` only.
  public var changes = false
  /// At most so many rows.
  public var limit: Int?

  /// What a call is to have: a value, whatever its letters' case, in one of some columns of `attributed_calls` or in an attribute or label.
  public struct ValueCondition: Sendable {
    let sql: String
    public let value: String
    /// The columns; empty where it is an attribute or label.
    public let columns: [String]
    /// The attribute or label; nil where it is a column.
    public let attribute: String?

    /// One of these columns.
    public init(_ columns: [String], _ value: String) {
      (self.columns, attribute) = (columns, nil)
      sql = columns.map { "\($0) = {value} COLLATE NOCASE" }.joined(separator: " OR ")
      self.value = value
    }

    /// An attribute of the call by this name, else a label of the call, else of its run, as a comparison reads it.
    public init(attribute name: String, _ value: String) {
      (columns, attribute) = ([], name)
      func quoted(_ text: String) -> String { "\(SQLText.literal(text)) COLLATE NOCASE" }
      sql = """
        coalesce((SELECT a.value FROM call_attributes AS a
          WHERE a.call_key = t.call_key AND a.name = \(quoted(name.replacing(" ", with: "_")))),
        (SELECT CASE WHEN l.type IN ('true', 'false') THEN l.type ELSE CAST(l.value AS TEXT) END
          FROM (SELECT coalesce((SELECT json_patch(r.labels, t.labels) FROM runs AS r WHERE r.run_id = t.run_id), t.labels) AS labels) AS o,
            json_each(o.labels) AS l WHERE l.key = \(quoted(name)))) = {value} COLLATE NOCASE
        """
      self.value = value
    }
  }

  /// Every call.
  public init() {}

  /// One call.
  public init(call: Int64) { calls = [call] }

  /// The condition on the call `k`; true where nothing narrows it.
  var condition: String {
    var terms: [String] = []
    if let calls {
      terms.append(
        calls.count == 1
          ? "k.call_key = :call" : "k.call_key IN (\(calls.map(String.init).joined(separator: ", ")))")
    }
    if run != nil { terms.append("k.run_id = :run") }
    if latestRun != nil { terms.append("(k.run_id = :latest OR k.run_id IS NULL)") }
    if sinceMs != nil { terms.append("k.started_ms >= :since") }
    if untilMs != nil { terms.append("k.started_ms < :until") }
    if sdk != nil { terms.append("k.sdk = :sdk") }
    if outcome != nil { terms.append("k.outcome = :outcome") }
    if !verdicts.isEmpty {
      // Words of an enumeration: nothing in them needs quoting.
      let words = verdicts.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      terms.append("k.verdict IN (\(words))")
    }
    if !findings.isEmpty {
      let codes = findings.indices.map { ":finding\($0)" }.joined(separator: ", ")
      terms.append("k.call_key IN (SELECT f.call_key FROM findings AS f WHERE f.code IN (\(codes)))")
    }
    for (index, term) in having.enumerated() {
      let sql = term.sql.replacing("{value}", with: ":having\(index)")
      terms.append("EXISTS (SELECT 1 FROM attributed_calls AS t WHERE t.call_key = k.call_key AND (\(sql)))")
    }
    if broken { terms.append("k.call_key IN (SELECT call_key FROM broken_calls)") }
    if let sql { terms.append("k.call_key IN (SELECT call_key FROM attributed_calls WHERE (\(sql)\n))") }
    guard let worst else { return terms.isEmpty ? "1" : terms.joined(separator: " AND ") }
    // The worst of those that the other terms leave.
    let others = terms.isEmpty ? "1" : terms.joined(separator: " AND ")
    return """
      k.call_key IN (SELECT k.call_key FROM calls AS k WHERE \(others)
        ORDER BY coalesce(k.score_mean, k.reported_mean) IS NULL, coalesce(k.score_mean, k.reported_mean), k.call_key LIMIT \(max(worst, 0)))
      """
  }

  /// The condition on the window `w` of the call `k`.
  var windowCondition: String {
    var terms: [String] = []
    if let source {
      terms.append("w.source = '\(source.rawValue)'")
    } else if !allWindows {
      terms.append("w.chosen")
    }
    if model != nil {
      terms.append("w.model = :model")
    } else if !allWindows {
      terms.append("(k.model IS NULL OR w.model = k.model)")
    }
    if changes { terms.append("w.changed") }
    return terms.isEmpty ? "1" : terms.joined(separator: " AND ")
  }

  /// The condition on the source `s`: that it has a part in one of the calls, where there is a choice of calls at all.
  /// What was refused has a part in no call, but may have a run.
  var sourceCondition: String {
    guard condition != "1" else { return "1" }
    let part =
      "s.source_id IN (SELECT c.source_id FROM calls AS k JOIN connections AS c USING (call_key) WHERE {scope})"
    let onlyRun =
      calls == nil && sinceMs == nil && untilMs == nil && sdk == nil && outcome == nil && sql == nil
      && verdicts.isEmpty && findings.isEmpty && having.isEmpty
    return run != nil && onlyRun ? "(s.run_id = :run OR \(part))" : part
  }

  /// Values of the parameters that `condition` and `windowCondition` name.
  var parameters: [String: Cell] {
    var cells: [String: Cell] = [:]
    if let calls, calls.count == 1 { cells["call"] = calls.first?.cell }
    cells["run"] = run?.cell
    cells["latest"] = latestRun?.cell
    for (index, code) in findings.enumerated() { cells["finding\(index)"] = code.cell }
    for (index, term) in having.enumerated() { cells["having\(index)"] = term.value.cell }
    cells["since"] = sinceMs?.cell
    cells["until"] = untilMs?.cell
    cells["sdk"] = sdk?.cell
    cells["outcome"] = outcome?.rawValue.cell
    cells["model"] = model?.cell
    return cells
  }

  /// Keys of the calls that it is about, in the order of time. Throws what the store throws.
  public func keys(in store: Store) throws -> [Int64] {
    let sql =
      "SELECT k.call_key FROM calls AS k WHERE \(condition) ORDER BY k.started_ms IS NULL, k.started_ms, k.call_key\(limitClause)"
    return try store.query(sql, parameters).rows.compactMap { $0[0].integer }
  }

  var limitClause: String { limit.map { "\nLIMIT \(max($0, 0))" } ?? "" }
}
