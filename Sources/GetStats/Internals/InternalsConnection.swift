import Bytes
import CallModel

/// A PeerConnection of a webrtc-internals dump while it is read: its series by report, and its log while times are
/// unknown.
struct InternalsConnection {
  /// Each series keeps its last 1000 points (Chromium, MAX_STATS_DATA_POINT_BUFFER_SIZE).
  static let maxPoints = 1000
  let connection: PeerConnection
  private(set) var reports: [ReportColumns] = []
  private var places: [[UInt8]: Int] = [:]
  private var last: ReportColumns?
  private var pool: [Double] = []
  private var clock = SeriesClock()
  private var odd = UnexpectedMembers()
  /// Number of series, and of those beyond the limit.
  private var met = 0
  private var leftOut = 0

  init(_ connection: PeerConnection) { self.connection = connection }

  /// Parses the value of `stats`.
  mutating func readStats(_ stream: JSONStream) throws {
    guard try stream.peek() == .object else { return _ = try stream.value() }
    try stream.beginObject()
    while let key = try stream.nextKey() {
      let offset = stream.offset
      var clock = clock
      let series = try stream.read { scanner throws(JSONError) in try Series.read(&scanner, &clock) }
      self.clock = clock
      guard let name = SeriesName(key), !name.isComputed, !series.values.isEmpty else { continue }
      guard let report = report(name.id, series) else {
        leftOut += 1
        continue
      }
      // Each value takes at least two bytes: an upper bound before parsing, so that a hostile series costs nothing.
      let most = connection.context.options.pointsPerConnection
      guard pool.count + series.values.count / 2 <= most else {
        throw SourceError(
          .tooLarge, "more than \(most) values in one connection; --raise points=NUMBER takes more",
          byte: offset)
      }
      do throws(JSONError) {
        try report.add(Array(name.member), series, to: &pool, odd: &odd)
      } catch {
        try connection.context.sink.reject(Reject("the values of a series are no JSON", byte: offset))
      }
    }
    if leftOut > 0 {
      let most = connection.context.maxReports
      try connection.context.sink.reject(
        .beyond(most, "reports remembered, or \(maxSeries) series", count: leftOut, raise: "reports"))
      leftOut = 0
    }
  }

  /// The most series of one connection: ten per report that may be remembered.
  private var maxSeries: Int { connection.context.options.reportsPerSnapshot * Limit.series.value }

  /// The report of a series; nil if there are too many already.
  private mutating func report(_ id: ArraySlice<UInt8>, _ series: Series) -> ReportColumns? {
    guard met < maxSeries else { return nil }
    met += 1
    if let last, last.id.elementsEqual(id) { return last }
    let key = Array(id)
    if let place = places[key] {
      last = reports[place]
      return reports[place]
    }
    guard reports.count < connection.context.maxReports else { return nil }
    let typeName = series.typeName.map(Array.init) ?? ReportIdWords.typeName(id).map { Array($0.utf8) } ?? []
    let report = ReportColumns(id: key, typeName: typeName)
    places[key] = reports.count
    reports.append(report)
    last = report
    return report
  }

  /// Time of the first poll; nil without polls.
  var firstMs: Double? {
    let first = reports.reduce(Double.infinity) { min($0, $1.startMs) }
    return first.isFinite ? first : nil
  }

  /// Emits everything poll by poll, as if it came from snapshots.
  mutating func give() throws {
    let sink = connection.context.sink
    try place()
    let steps = ClockSteps(reports, pool)
    if !steps.isEmpty {
      try sink.note(PeerConnection.setBack)
      for report in reports { steps.settle(report) }
    }
    let local = reports.filter { !$0.isOfFarEnd && !$0.rows.isEmpty }
    let remote = reports.filter { $0.isOfFarEnd && !$0.rows.isEmpty }
    for report in remote { report.sortRows() }
    let pool = pool
    for poll in polls(local.isEmpty ? remote : local) {
      connection.beginSnapshot(pollMs: poll)
      for report in local {
        let next = report.row + 1
        if next < report.rows.count, report.rows[next] == poll {
          report.row = next
          try pool.withUnsafeBufferPointer { try report.give(row: next, pool: $0, to: connection) }
        }
      }
      for report in remote {
        // RTCP reports before this poll belong to it.
        while report.row + 1 < report.rows.count, !(report.rows[report.row + 1] > poll) { report.row += 1 }
        if report.row >= 0 {
          try pool.withUnsafeBufferPointer { try report.give(row: report.row, pool: $0, to: connection) }
        }
      }
      try connection.endSnapshot()
    }
    try connection.emitChecks()
    for words in odd.impossible.sorted() { try sink.note(words) }
    for name in odd.unknown.sorted() { try sink.note("unknown member kept: \(name)") }
    for report in reports where report.type == .unknown && !report.typeName.isEmpty {
      try sink.note("unknown report type left out: \(String(decoding: report.typeName, as: UTF8.self))")
    }
    reports = []
    self.pool = []
    places = [:]
    last = nil
  }

  private static let holes = "series with holes: only its first and last value placed, the rest unknown"

  private func place() throws {
    let sink = connection.context.sink
    let grid = PollTimes(reports)
    var hasAssumedTimes = false
    for report in reports {
      if report.rows.isEmpty {
        for _ in 0..<report.makeRows(grid: grid) { try sink.note(Self.holes) }
        hasAssumedTimes = true
        continue
      }
      let placed = report.place()
      for _ in 0..<placed.exact { try sink.note("short series placed by its first and last time") }
      for _ in 0..<placed.endsOnly {
        try sink.note(Self.holes)
      }
    }
    if hasAssumedTimes {
      try sink.note("a dump without times of polls: they are taken to be in equal steps (Chrome before M117)")
    }
    if reports.contains(where: { max($0.longest, $0.rows.count) >= Self.maxPoints }) {
      try sink.note(
        "series of 1000 points: Chrome keeps no more, the beginning of the connection may be missing")
    }
  }

  /// Sorted times of all polls, without duplicates.
  private func polls(_ reports: [ReportColumns]) -> [Double] {
    var times: [Double] = []
    var seen = Set<Double>()
    for report in reports {
      report.sortRows()
      for time in report.rows where time.isFinite && seen.insert(time).inserted { times.append(time) }
    }
    return times.sorted()
  }
}

/// Where the clock was set back while a dump was recorded: Chrome writes polls one behind the other, whatever the clock says.
struct ClockSteps {
  /// The shift to add to the times after each step, ms, in order.
  private var shifts: [Double] = []
  /// First time after the last step, and the last one of all.
  private var afterMs = Double.infinity
  private var lastMs = Double.nan

  /// The steps in the stream with the most polls: its times fall, while its packets go on.
  init(_ reports: [ReportColumns], _ pool: [Double]) {
    let falling = reports.filter { $0.type.isStream && !$0.isOfFarEnd && $0.falls }
    guard let report = falling.max(by: { $0.rows.count < $1.rows.count }) else { return }
    let rows = report.rows
    var shift = 0.0
    for row in rows.indices.dropFirst() where rows[row] < rows[row - 1] {
      guard let before = report.packets(row: row - 1, pool), let after = report.packets(row: row, pool),
        after > before
      else {
        shifts = []
        return
      }
      let interval = row > 1 && rows[row - 1] > rows[row - 2] ? rows[row - 1] - rows[row - 2] : 1000
      shift += rows[row - 1] + interval - rows[row]
      shifts.append(shift)
      afterMs = rows[row]
    }
    lastMs = rows.last ?? .nan
  }

  /// Whether there are none.
  var isEmpty: Bool { shifts.isEmpty }

  /// Shifts the times of a report so that they go on.
  func settle(_ report: ReportColumns) {
    guard let last = shifts.last, let first = report.rows.first else { return }
    guard report.falls else {
      // It only has polls of one side: of the later one if it lasted to the end.
      if report.rows.last == lastMs, first >= afterMs { report.rows = report.rows.map { $0 + last } }
      return
    }
    var next = 0
    var shift = 0.0
    var before = first
    for row in report.rows.indices {
      let time = report.rows[row]
      if time < before, next < shifts.count {
        shift = shifts[next]
        next += 1
      }
      before = time
      report.rows[row] = time + shift
    }
  }
}

extension ReportColumns {
  /// Whether any of its times is before the preceding one.
  var falls: Bool { zip(rows, rows.dropFirst()).contains { $1 < $0 } }

  /// The packets of a row.
  func packets(row: Int, _ pool: [Double]) -> Double? {
    guard let figure = figures.first(where: { $0.isMetric && $0.code == Metric.packets.rawValue }),
      let index = figure.span.index(row: row)
    else { return nil }
    let value = pool[figure.offset + index]
    return value.isNaN ? nil : value
  }
}
