/// The polls of a connection whose dump does not tell their times.
struct PollGrid {
  /// Milliseconds between polls.
  let stepMs: Double

  /// The step by the longest series; 1 s where nothing tells otherwise.
  init(_ reports: [ReportColumns]) {
    let longest = reports.filter { !$0.isOfFarEnd && $0.startMs.isFinite }.max { $0.longest < $1.longest }
    let steps = Double((longest?.longest ?? 0) - 1)
    let span = longest.map { $0.endMs - $0.startMs } ?? 0
    stepMs = steps > 0 && span > 0 ? span / steps : 1000
  }

  /// Polls from one time to another.
  func polls(from startMs: Double, to endMs: Double) -> [Double] {
    let count = Int(min(max(((endMs - startMs) / stepMs).rounded(), 0), 100_000))
    guard count > 0 else { return [startMs] }
    let step = (endMs - startMs) / Double(count)
    return (0...count).map { startMs + step * Double($0) }
  }

  /// The poll nearest to a time, if it is within half a step.
  func nearest(_ timeMs: Double, in rows: [Double]) -> Int? {
    guard let start = rows.first, timeMs.isFinite else { return nil }
    let index = Int(min(max(((timeMs - start) / stepMs).rounded(), 0), Double(rows.count - 1)))
    return abs(rows[index] - timeMs) <= stepMs / 2 ? index : nil
  }
}
