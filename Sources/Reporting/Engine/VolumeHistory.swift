import CallModel
import Glibc
import Rendering

/// How many calls earlier runs had, by SDK: of the same weekday if there are enough, else the latest.
struct VolumeHistory: Sendable {
  /// Calls of each earlier run that has any of the SDK, announced ones included.
  let counts: [String: [Int]]

  /// Fewest earlier runs that say what is usual.
  static let fewest = 4
  /// Runs that are read at most; a weekday is looked for among four weeks.
  private static let (most, weeks) = (7, 28)

  init(counts: [String: [Int]]) { self.counts = counts }

  /// Reads the runs before a run; nil for a time range.
  init?(before slice: Slice, rows: any RowSource) throws {
    guard let run = slice.run else { return nil }
    let table = try rows.table(
      """
      WITH this AS MATERIALIZED (SELECT began_ms FROM run_starts WHERE run_id = :run),
      last AS MATERIALIZED (
        SELECT s.run_id, s.began_ms, CAST(round((t.began_ms - s.began_ms) / 86400000) AS INTEGER) % 7 = 0 AS same
        FROM run_starts AS s, this AS t WHERE s.run_id <> :run AND s.began_ms < t.began_ms
        ORDER BY s.began_ms DESC LIMIT \(Self.weeks)),
      used AS MATERIALIZED (
        SELECT run_id FROM last WHERE same OR (SELECT sum(same) FROM last) < \(Self.fewest)
        ORDER BY began_ms DESC LIMIT \(Self.most))
      SELECT coalesce(k.sdk, 'unknown'), count(*) FROM used AS u CROSS JOIN calls AS k ON k.run_id = u.run_id
      GROUP BY u.run_id, 1
      """, ["run": .text(run)])
    counts = table.rows.reduce(into: [:]) { counts, row in
      if let sdk = row[0].string, let calls = row[1].integer { counts[sdk, default: []].append(Int(calls)) }
    }
  }

  /// What is usual, if so many calls are fewer beyond chance; nil if they are not, or if too few runs tell.
  ///
  /// Calls scatter at least as a Poisson number does; where nights differ by more, Student's t for that many nights holds.
  func usual(_ sdk: String, ifFewer now: Int, error: Double) -> Int? {
    let earlier = (counts[sdk] ?? []).map(Double.init)
    guard earlier.count >= Self.fewest, let mean = earlier.mean, let variance = earlier.variance else {
      return nil
    }
    // Less than a quarter is no fault, however sure it is.
    guard Double(now) < 0.75 * mean else { return nil }
    let nights = Double(earlier.count)
    let quantile =
      variance <= mean
      ? Distributions.normalQuantile(1 - error)
      : Distributions.studentQuantile(1 - error, degrees: nights - 1)
    let spread = (max(mean, variance) * (1 + 1 / nights)).squareRoot()
    return mean - Double(now) > quantile * spread ? Int(mean.rounded()) : nil
  }
}
