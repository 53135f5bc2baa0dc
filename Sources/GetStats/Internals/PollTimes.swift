/// The polls of a connection whose dump has no times of them (Chrome before M117).
///
/// Chrome polled all reports of a connection at once, so that all series share the polls. Those that last to the end
/// are counted from there, and where they begin the time of a poll is known; polls in between are in equal steps.
struct PollTimes {
  /// All polls, ms, rising.
  private var times: [Double] = []
  /// Milliseconds between polls on average.
  private let stepMs: Double

  /// How far a series may be from the time of its poll, steps.
  private static let nearSteps = 0.75
  /// By how much the number of values may differ from what the time suggests if none is missing.
  private static let (irregularSteps, irregularShare) = (1.5, 0.1)
  private static let most = 100_000

  /// The polls of all reports without times; in steps of 1 s if no series has two values.
  init(_ reports: [ReportColumns]) {
    let reports = reports.filter {
      !$0.isOfFarEnd && $0.rows.isEmpty && $0.startMs.isFinite && $0.endMs.isFinite
    }
    guard let longest = reports.max(by: { $0.longest < $1.longest }), longest.longest > 1,
      longest.longest <= Self.most, longest.endMs > longest.startMs
    else {
      stepMs = 1000
      return
    }
    stepMs = (longest.endMs - longest.startMs) / Double(longest.longest - 1)
    build(longest, reports)
    for report in reports { extend(by: report) }
  }

  /// The polls of the longest series, corrected where others that last as long begin.
  private mutating func build(_ longest: ReportColumns, _ reports: [ReportColumns]) {
    let last = longest.longest - 1
    let endMs = longest.endMs
    var known = [0: longest.startMs, last: endMs]
    for report in reports where abs(report.endMs - endMs) < stepMs / 2 {
      let steps = Double(report.longest - 1)
      let differs = abs((endMs - report.startMs) / stepMs - steps)
      guard differs <= max(Self.irregularSteps, steps * Self.irregularShare) else { continue }
      let place = last - report.longest + 1
      known[place] = min(known[place] ?? .infinity, report.startMs)
    }
    times = [longest.startMs]
    for (place, timeMs) in known.sorted(by: { $0.key < $1.key }) { append(timeMs, at: place) }
  }

  /// Adds polls up to one with a known time, in equal steps.
  private mutating func append(_ timeMs: Double, at place: Int) {
    guard let before = times.last, timeMs > before, place >= times.count, place < Self.most else { return }
    let first = times.count - 1
    for index in times.count...place {
      times.append(before + (timeMs - before) * Double(index - first) / Double(place - first))
    }
  }

  /// Adds the polls after the last one, or before the first one, of a report that lasts longer.
  private mutating func extend(by report: ReportColumns) {
    if let start = place(of: report.startMs, in: times) {
      append(report.endMs, at: start + report.longest - 1)
    } else if let end = place(of: report.endMs, in: times), let first = times.first,
      report.longest - 1 > end, report.startMs < first, times.count + report.longest < Self.most
    {
      let steps = report.longest - 1 - end
      let step = (first - report.startMs) / Double(steps)
      times = (0..<steps).map { report.startMs + step * Double($0) } + times
    }
  }

  /// The polls of a report, which are as many as it has values; nil if those near its times are not as many.
  func polls(_ report: ReportColumns) -> [Double]? {
    guard report.longest > 0, let end = place(of: report.endMs, in: times), end + 1 >= report.longest else {
      return nil
    }
    let polls = times[(end + 1 - report.longest)...end]
    guard let first = polls.first, isNear(first, report.startMs) else { return nil }
    return Array(polls)
  }

  /// Polls in equal steps, where they are not those of the others.
  func equalSteps(from startMs: Double, to endMs: Double) -> [Double] {
    let count = Int(min(max(((endMs - startMs) / stepMs).rounded(), 0), Double(Self.most)))
    guard count > 0 else { return [startMs] }
    let step = (endMs - startMs) / Double(count)
    return (0...count).map { startMs + step * Double($0) }
  }

  /// The index of the poll nearest to a time; nil if it is not near.
  func place(of timeMs: Double, in polls: [Double]) -> Int? {
    guard timeMs.isFinite else { return nil }
    var (low, high) = (0, polls.count)
    while low < high {
      let middle = (low + high) / 2
      if polls[middle] < timeMs { low = middle + 1 } else { high = middle }
    }
    let near = [low - 1, low].filter(polls.indices.contains).min {
      abs(polls[$0] - timeMs) < abs(polls[$1] - timeMs)
    }
    return near.flatMap { isNear(polls[$0], timeMs) ? $0 : nil }
  }

  private func isNear(_ pollMs: Double, _ timeMs: Double) -> Bool {
    abs(pollMs - timeMs) <= Self.nearSteps * stepMs
  }
}
