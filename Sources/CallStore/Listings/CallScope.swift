import CallModel
import SQLite

/// The calls that a list includes; nil members do not restrict it.
public struct CallScope: Sendable {
  /// Keys of calls.
  public var calls: [Int64]?
  public var run: String?
  /// Only calls of this run, and those without a run: the default of lists if no run is given.
  public var latestRun: String?
  /// Started at or after `sinceMs`, and before `untilMs` (ms since the epoch).
  public var sinceMs: Double?
  public var untilMs: Double?
  /// Only rows (windows, events, findings, …) that end after `rowsSinceMs`, or begin then, and that begin before
  /// `rowsUntilMs` (ms since the epoch). Rows without a time are left out then.
  public var rowsSinceMs: Double?
  public var rowsUntilMs: Double?
  public var sdk: String?
  public var outcome: Outcome?
  /// Only calls with one of these verdicts, where a person's verdict takes precedence; empty: any verdict.
  public var verdicts: [Verdict.Value] = []
  /// Only calls that did not end as expected.
  public var broken = false
  /// Only calls with a finding of one of these codes; empty: with or without findings.
  public var findings: [String] = []
  /// Only calls that meet all of these conditions.
  public var having: [ValueCondition] = []
  /// The number of calls to include, by lowest mean score; calls without a score come last.
  public var worst: Int?
  /// A condition in SQL over the columns of view `attributed_calls`: those of table `calls`, and one per attribute.
  public var sql: String?
  /// Windows of this kind of source instead of the chosen one; `score` only.
  public var source: StreamSource?
  /// Windows of all sources and models; `score` only.
  public var allWindows = false
  /// Windows of this model instead of the call's; `score` only.
  public var model: String?
  /// Only windows at which a client's callback would have fired; `score` only.
  public var changes = false
  /// Maximum number of rows.
  public var limit: Int?

  /// A required value: compared without case with some columns of `attributed_calls`, or with an attribute or label.
  public struct ValueCondition: Sendable {
    let sql: String
    public let value: String
    /// The columns; empty for an attribute or label.
    public let columns: [String]
    /// The attribute or label; nil for columns.
    public let attribute: String?

    /// A value in one of these columns.
    public init(_ columns: [String], _ value: String) {
      (self.columns, attribute) = (columns, nil)
      sql = columns.map { "\($0) = {value} COLLATE NOCASE" }.joined(separator: " OR ")
      self.value = value
    }

    /// An attribute of the call with this name, otherwise a label of the call, otherwise of its run, as comparisons
    /// read it.
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

  /// All calls.
  public init() {}

  /// One call.
  public init(call: Int64) { calls = [call] }

  /// The condition on the call `k`; true without restrictions.
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
      // Raw values of an enumeration need no quoting.
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
    // The worst of the calls that meet the other conditions.
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

  /// The condition on the source `s`: it has connections in one of the calls, if calls are restricted at all. A
  /// rejected source has no connections, but may have a run.
  var sourceCondition: String {
    guard condition != "1" else { return "1" }
    let part =
      "s.source_id IN (SELECT c.source_id FROM calls AS k JOIN source_views AS c USING (call_key) WHERE {scope})"
    let onlyRun =
      calls == nil && sinceMs == nil && untilMs == nil && sdk == nil && outcome == nil && sql == nil
      && verdicts.isEmpty && findings.isEmpty && having.isEmpty
    return run != nil && onlyRun ? "(s.run_id = :run OR \(part))" : part
  }

  /// The condition on the time of a row, for the end of a WHERE clause; empty if rows of any time are listed.
  func rowCondition(from: String, until: String) -> String {
    // A window that ends at the moment is over by then; a moment itself has no length.
    (rowsSinceMs == nil ? "" : " AND (\(until) > :rows_since OR \(from) = :rows_since)")
      + (rowsUntilMs == nil ? "" : " AND \(from) < :rows_until")
  }

  /// Whether a window lies within the times of the rows.
  public func includes(fromMs: Double, untilMs: Double) -> Bool {
    (rowsSinceMs.map { untilMs > $0 || fromMs == $0 } ?? true) && (rowsUntilMs.map { fromMs < $0 } ?? true)
  }

  /// Values of the named parameters in `condition` and `windowCondition`.
  var parameters: [String: Cell] {
    var cells: [String: Cell] = [:]
    if let calls, calls.count == 1 { cells["call"] = calls.first?.cell }
    cells["run"] = run?.cell
    cells["latest"] = latestRun?.cell
    for (index, code) in findings.enumerated() { cells["finding\(index)"] = code.cell }
    for (index, term) in having.enumerated() { cells["having\(index)"] = term.value.cell }
    cells["since"] = sinceMs?.cell
    cells["until"] = untilMs?.cell
    cells["rows_since"] = rowsSinceMs?.cell
    cells["rows_until"] = rowsUntilMs?.cell
    cells["sdk"] = sdk?.cell
    cells["outcome"] = outcome?.rawValue.cell
    cells["model"] = model?.cell
    return cells
  }

  /// Keys of the calls, in order of time. Throws the errors of the store.
  public func keys(in store: Store) throws -> [Int64] {
    let sql =
      "SELECT k.call_key FROM calls AS k WHERE \(condition) ORDER BY k.started_ms IS NULL, k.started_ms, k.call_key\(limitClause)"
    return try store.query(sql, parameters).rows.compactMap { $0[0].integer }
  }

  var limitClause: String { limit.map { "\nLIMIT \(max($0, 0))" } ?? "" }
}
