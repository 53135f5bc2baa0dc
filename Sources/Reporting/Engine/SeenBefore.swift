import CallModel
import CallViews
import Rendering

/// What calls of the last runs failed with, or had as an error: what is not among it is new.
struct SeenBefore: Sendable {
  /// How many runs that is, and how many calls of them count.
  let runs: Int
  let calls: Int
  /// `one-way-audio`, `failed with 503`, and the verdict `silent`.
  let names: Set<String>

  /// Most runs that are looked back on.
  private static let most = 14

  init(runs: Int, calls: Int, names: Set<String>) {
    (self.runs, self.calls, self.names) = (runs, calls, names)
  }

  /// Of the last runs up to the baseline: what came after it may be the same trouble, which is told until it is mended.
  init?(before comparison: Comparison, rows: any RowSource) throws {
    guard let baseline = comparison.baseline, baseline.isRun, !baseline.runs.isEmpty,
      comparison.candidate.isRun
    else { return nil }
    var list: [UInt8] = []
    for run in Set(baseline.runs.values).sorted() {
      list.append(list.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
      JSONBytes.append(run, to: &list)
    }
    list.append(UInt8(ascii: "]"))
    let found = try rows.table(
      """
      WITH last AS MATERIALIZED (
        SELECT run_id FROM run_starts WHERE run_id <> :run AND began_ms <= (
          SELECT max(b.began_ms) FROM run_starts AS b WHERE b.run_id IN (SELECT value FROM json_each(:runs)))
        ORDER BY began_ms DESC, run_id DESC LIMIT \(Self.most)),
      these AS MATERIALIZED (
        SELECT k.call_key, k.run_id, k.said, k.outcome, k.end_code FROM last JOIN judged_calls AS k USING (run_id) WHERE k.counted)
      SELECT NULL, count(DISTINCT run_id), count(*) FROM these
      UNION ALL SELECT DISTINCT 'silent', 0, 0 FROM these WHERE said = 'silent'
      UNION ALL SELECT DISTINCT '\(NewTrouble.failed)' || end_code, 0, 0 FROM these
        WHERE outcome IN ('failed', 'dropped', 'rejected') AND end_code IS NOT NULL
      UNION ALL SELECT DISTINCT f.code, 0, 0 FROM these JOIN findings AS f USING (call_key) WHERE f.severity = 'error'
      """, ["run": .text(comparison.candidate.run), "runs": .text(String(decoding: list, as: UTF8.self))])
    guard let sums = found.rows.first(where: { $0[0].isNull }), let runs = sums[1].integer, runs > 0 else {
      return nil
    }
    self.init(
      runs: Int(runs), calls: Int(sums[2].integer ?? 0), names: Set(found.rows.compactMap { $0[0].string }))
  }

  /// Whether a call had it.
  func has(_ figure: Figure) -> Bool {
    switch figure {
    case .verdictShare(let word): names.contains(word.rawValue)
    case .findingShare(let code): names.contains(code)
    default: true
    }
  }
}
