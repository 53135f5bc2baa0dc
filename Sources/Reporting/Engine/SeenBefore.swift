import CallModel
import Rendering

/// Failure codes and errors that no call of recent runs had.
struct SeenBefore: Sendable {
  /// Number of runs searched, and of calls in them that count.
  let runs: Int
  let calls: Int
  /// What none of these calls had: `one-way-audio`, `failed with 503`, or the verdict `silent`.
  let new: Set<String>

  /// Maximum number of runs searched.
  private static let most = 14

  init(runs: Int, calls: Int, new: Set<String>) { (self.runs, self.calls, self.new) = (runs, calls, new) }

  /// Searches the runs up to the baseline. Later ones are left out because they may have the same problem, which is
  /// reported until it is fixed. Nil if there is nothing to search for; on most nights the baseline already had
  /// everything.
  init?(before comparison: Comparison, rows: any RowSource) throws {
    let asked = NewProblem.unknown(in: comparison)
    guard let baseline = comparison.baseline, baseline.isRun, comparison.candidate.isRun, !asked.isEmpty
    else {
      return nil
    }
    let found = try rows.table(
      """
      WITH last AS MATERIALIZED (
        SELECT run_id FROM run_starts WHERE run_id <> :run AND began_ms <= (
          SELECT max(b.began_ms) FROM run_starts AS b WHERE b.run_id IN (SELECT value FROM json_each(:runs)))
        ORDER BY began_ms DESC, run_id DESC LIMIT \(Self.most))
      SELECT NULL, (SELECT count(*) FROM last),
        (SELECT count(*) FROM last JOIN judged_calls AS k USING (run_id) WHERE k.excluded IS NULL AND k.outcome <> 'missing')
      UNION ALL
      SELECT n.value, 0, 0 FROM json_each(:names) AS n
      WHERE EXISTS (SELECT 1 FROM last JOIN judged_calls AS k USING (run_id) WHERE k.excluded IS NULL
          AND (k.verdict = n.value
            OR '\(NewProblem.failed)' || k.failure_code = n.value))
        OR EXISTS (SELECT 1 FROM findings AS f JOIN calls AS k USING (call_key) JOIN last USING (run_id)
          WHERE f.code = n.value AND f.severity = 'error' AND k.excluded IS NULL)
      """,
      [
        "run": .text(comparison.candidate.run), "runs": .text(Self.list(Set(baseline.runs.values))),
        "names": .text(Self.list(asked)),
      ])
    guard let sums = found.rows.first(where: { $0[0].isNull }), let runs = sums[1].integer, runs > 0 else {
      return nil
    }
    let seen = Set(found.rows.compactMap { $0[0].string })
    // What was not searched for is not new.
    self.init(runs: Int(runs), calls: Int(sums[2].integer ?? 0), new: asked.subtracting(seen))
  }

  private static func list(_ words: Set<String>) -> String {
    var list = Array("[".utf8)
    for (place, word) in words.sorted().enumerated() {
      if place > 0 { list.append(UInt8(ascii: ",")) }
      JSONBytes.append(word, to: &list)
    }
    return String(decoding: list, as: UTF8.self) + "]"
  }

  /// Whether no call had it.
  func isNew(_ figure: Figure) -> Bool {
    switch figure {
    case .verdictShare(let word): new.contains(word.rawValue)
    case .findingShare(let code): new.contains(code)
    default: false
    }
  }
}
