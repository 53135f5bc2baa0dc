/// Where a clock was set back amid reports that came one at a time: they stand in their order, times fall, and counters go on.
enum RowSteps {
  /// Times of one poll differ by less than that, ms.
  private static let pollMs = 100.0
  /// Of rows that are in no order times fall more often than that.
  private static let mostFalls = 16
  /// So many rows behind a fall tell by their counters what it is.
  private static let mostLooked = 512
  /// Growth beyond that and beyond twenty times that before is of another recording.
  private static let mostGrowth = (times: 20.0, least: 1000.0)

  /// What is to be added to the times of each row to have them in the order in which the call went; nil where no clock was set back.
  static func shifts(of rows: [ReportRow]) -> [Double]? {
    var shifts = Array(repeating: 0.0, count: rows.count)
    var shiftMs = 0.0
    var latestMs = -Double.infinity
    var intervalMs = 1000.0
    var falls = 0
    var seen: [[UInt8]: (count: Double, growth: Double)] = [:]
    for place in rows.indices {
      let row = rows[place]
      if !row.instantMs.isNaN {
        if row.instantMs + shiftMs < latestMs - pollMs {
          falls += 1
          guard falls <= mostFalls, goesOn(rows, from: place, seen) else { return nil }
          shiftMs = latestMs + intervalMs - row.instantMs
        }
        let ms = row.instantMs + shiftMs
        if ms > latestMs + pollMs, latestMs.isFinite { intervalMs = min(ms - latestMs, 30_000) }
        latestMs = max(latestMs, ms)
      }
      shifts[place] = shiftMs
      if !row.count.isNaN {
        let before = seen[row.id]?.count ?? row.count
        seen[row.id] = (row.count, row.count - before)
      }
    }
    return falls > 0 ? shifts : nil
  }

  /// Whether what the rows from a place on count goes on from what was counted before.
  private static func goesOn(
    _ rows: [ReportRow], from place: Int, _ seen: [[UInt8]: (count: Double, growth: Double)]
  ) -> Bool {
    for row in rows[place...].prefix(mostLooked) where !row.count.isNaN {
      guard let before = seen[row.id], row.count != before.count else { continue }
      let growth = row.count - before.count
      return growth > 0 && growth <= max(mostGrowth.least, mostGrowth.times * before.growth)
    }
    return false
  }
}
