import Bytes

/// Reports of a connection that came one at a time, in whatever order, until it is known which of them are of one poll.
struct ReportRows {
  /// What all of one source may take of memory while they wait.
  static let maxBytes = 16 << 20
  /// Reports of one poll are no further apart than that, ms; polls are.
  private static let pollMs = 100.0
  /// Later ones are looked through for a poll that a report of the far end is missing in.
  private static let maxRepeats = 64

  private(set) var rows: [ReportRow] = []
  /// What they take of memory.
  private(set) var size = 0

  mutating func add(_ row: ReportRow) {
    rows.append(row)
    size += row.size
  }

  /// The reports of each poll, one poll after the other.
  mutating func polls() -> [[ReportRow]] {
    if let shifts = ClockStepsInRows.shifts(of: rows) {
      for (place, shiftMs) in shifts.enumerated() { rows[place].shiftMs = shiftMs }
    }
    var polls: [Poll] = []
    // Of a row its poll, -1 where it has none.
    var pollOfRow = Array(repeating: -1, count: rows.count)
    for place in byInstant(rows.indices.filter { !rows[$0].instantMs.isNaN }) {
      let (id, instantMs) = (rows[place].id, rows[place].instantMs)
      let isSame = polls.last.map { instantMs - $0.fromMs <= Self.pollMs } ?? false
      let known = isSame ? polls.last?.instants[id] : nil
      // Twice in the export.
      if known == instantMs { continue }
      if !isSame || known != nil { polls.append(Poll(fromMs: instantMs)) }
      polls[polls.count - 1].add(id, instantMs, place)
      pollOfRow[place] = polls.count - 1
    }
    place(&polls, pollOfRow)
    return polls.map { poll in poll.places.sorted().map { rows[$0] } }
  }

  /// Reports of the far end, which have the times of RTCP packets, go where they stand, or where rows are in no order to the
  /// polls that followed the packet.
  private func place(_ polls: inout [Poll], _ pollOfRow: [Int]) {
    guard !polls.isEmpty else {
      polls = rows.indices.map { Poll(fromMs: rows[$0].placedOwnMs, of: rows[$0].id, $0) }
      return
    }
    let isInOrder = isPollByPoll
    var near = 0
    var offsetMs = 0.0
    var strays: [Int] = []
    for place in rows.indices {
      if !rows[place].isOfFarEnd {
        if pollOfRow[place] >= 0 { near = pollOfRow[place] }
        let lag = rows[place].placedPollMs - rows[place].instantMs
        if !lag.isNaN { offsetMs = lag }
      } else if isInOrder {
        // Twice in the export; told again in the next poll it stands behind others of that.
        if polls[near].instants[rows[place].id] == rows[place].placedOwnMs { continue }
        insert(place, into: &polls, from: near, atMost: 2)
      } else if !rows[place].placedPollMs.isNaN {
        insert(place, into: &polls, from: nearest(to: rows[place].placedPollMs - offsetMs, polls), atMost: 1)
      } else {
        strays.append(place)
      }
    }
    for place in byTime(strays) {
      insert(
        place, into: &polls, from: first(notBefore: rows[place].placedOwnMs, polls), atMost: Self.maxRepeats)
    }
  }

  /// Adds a row to the first of some polls that has none of its id.
  private func insert(_ place: Int, into polls: inout [Poll], from first: Int, atMost count: Int) {
    for poll in first..<min(first + count, polls.count) where polls[poll].instants[rows[place].id] == nil {
      polls[poll].add(rows[place].id, rows[place].placedOwnMs, place)
      return
    }
  }

  /// Whether the rows of one poll stand together, one poll after the other. Where even the packets of the far end stand by
  /// their times, the rows were sorted by these.
  private var isPollByPoll: Bool {
    var latest = -Double.infinity
    var isSortedByTime = true
    for row in rows {
      if row.isOfFarEnd {
        if row.placedOwnMs < latest { isSortedByTime = false }
        continue
      }
      if row.instantMs < latest - Self.pollMs { return false }
      latest = max(latest, row.instantMs)
    }
    return !isSortedByTime
  }

  private func byInstant(_ places: [Int]) -> [Int] {
    places.sorted { (rows[$0].instantMs, $0) < (rows[$1].instantMs, $1) }
  }

  private func byTime(_ places: [Int]) -> [Int] {
    places.sorted { (rows[$0].placedOwnMs, $0) < (rows[$1].placedOwnMs, $1) }
  }

  private func first(notBefore timeMs: Double, _ polls: [Poll]) -> Int {
    var (low, high) = (0, polls.count)
    while low < high {
      let middle = (low + high) / 2
      if polls[middle].fromMs < timeMs { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func nearest(to timeMs: Double, _ polls: [Poll]) -> Int {
    let next = first(notBefore: timeMs, polls)
    guard next > 0 else { return 0 }
    guard next < polls.count else { return polls.count - 1 }
    return timeMs - polls[next - 1].fromMs < polls[next].fromMs - timeMs ? next - 1 : next
  }
}

/// The rows of one poll.
private struct Poll {
  let fromMs: Double
  private(set) var places: [Int] = []
  /// When each report was made, by its id.
  private(set) var instants: [[UInt8]: Double] = [:]

  init(fromMs: Double) { self.fromMs = fromMs }

  init(fromMs: Double, of id: [UInt8], _ place: Int) {
    self.fromMs = fromMs
    add(id, fromMs, place)
  }

  mutating func add(_ id: [UInt8], _ instantMs: Double, _ place: Int) {
    places.append(place)
    instants[id] = instantMs
  }
}

/// Where a clock was set back amid reports that came one at a time: they stand in their order, times fall, and counters go on.
enum ClockStepsInRows {
  /// Times of one poll differ by less than that, ms.
  private static let pollMs = 100.0
  /// Of rows that are in no order times fall more often than that.
  private static let maxFalls = 16
  /// So many rows behind a fall tell by their counters what it is.
  private static let maxLooked = 512
  /// Growth beyond that and beyond twenty times that before is of another recording.
  private static let maxGrowth = (times: 20.0, least: 1000.0)

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
          guard falls <= maxFalls, goesOn(rows, from: place, seen) else { return nil }
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
    for row in rows[place...].prefix(maxLooked) where !row.count.isNaN {
      guard let before = seen[row.id], row.count != before.count else { continue }
      let growth = row.count - before.count
      return growth > 0 && growth <= max(maxGrowth.least, maxGrowth.times * before.growth)
    }
    return false
  }
}

/// A report that came alone: on a line or in a wrapping of its own.
struct ReportRow {
  var id: [UInt8]
  var report: [UInt8]
  /// When it was made, ms since the epoch; NaN where it does not say so.
  var ownMs = Double.nan
  /// When it was polled or logged, by what stands beside it; NaN where nothing does.
  var pollMs: Double
  var line: Int?
  /// Whether its own time is that of an RTCP packet from the far end.
  var isOfFarEnd = false

  /// Packets it counts, NaN where it counts none.
  var count = Double.nan
  /// What is added to its times to have it at its place, where a clock was set back before.
  var shiftMs = 0.0

  /// When the poll was that it is of, as far as it says so itself.
  var instantMs: Double { isOfFarEnd ? .nan : (ownMs.isNaN ? pollMs : ownMs) + shiftMs }
  /// When it was made, and when it was polled, in the order of the rows.
  var placedOwnMs: Double { ownMs + shiftMs }
  var placedPollMs: Double { pollMs + shiftMs }

  /// What it takes of memory, about.
  var size: Int { report.count + id.count + 128 }

  /// Nil where neither it nor what stands beside it tells a time of the epoch: then only its place tells its poll. Nor is one
  /// without an id, which others of its poll may lack too.
  init?(_ report: UnsafeBufferPointer<UInt8>, id: [UInt8], pollMs: Double, line: Int?) throws(JSONError) {
    guard !id.isEmpty else { return nil }
    self.id = id
    self.report = Array(report)
    self.pollMs = ReportTime.isEpoch(pollMs) ? pollMs : .nan
    self.line = line
    var scanner = JSONScanner(report)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "type" where try scanner.peek() == .string:
        let name = try scanner.string().bytes
        let type = id.withUnsafeBufferPointer { ReportType(name: name, id: $0) }
        isOfFarEnd = type == .remoteInbound || type == .remoteOutbound
      case "timestamp", "timestamp_us", "timestampUs":
        if let time = try ReportTime.read(&scanner), ReportTime.isEpoch(time) { ownMs = time }
      case "packetsReceived", "packetsSent":
        if try scanner.peek() == .number { count = try scanner.number() } else { try scanner.skip() }
      default: try scanner.skip()
      }
    }
    if ownMs.isNaN, self.pollMs.isNaN { return nil }
  }
}
