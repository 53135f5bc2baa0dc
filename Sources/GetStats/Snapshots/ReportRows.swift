import Bytes
import CallModel

/// Reports of a connection that arrived one at a time, in any order, until their polls are known.
struct ReportRows {
  /// Memory limit for all waiting reports of a source.
  static let maxBytes = Limit.singleReports.value
  /// Reports of one poll are closer together than this, ms; polls are farther apart.
  private static let pollMs = 100.0
  /// How many later polls are searched for one that lacks a remote report.
  private static let maxRepeats = 64

  private(set) var rows: [ReportRow] = []
  /// Their memory, bytes.
  private(set) var size = 0

  mutating func add(_ row: ReportRow) {
    rows.append(row)
    size += row.size
  }

  /// The reports grouped by poll, in order.
  mutating func polls() -> [[ReportRow]] {
    if let shifts = ClockStepsInRows.shifts(of: rows) {
      for (place, shiftMs) in shifts.enumerated() { rows[place].shiftMs = shiftMs }
    }
    var polls: [Poll] = []
    // The poll of each row, -1 if it has none.
    var pollOfRow = Array(repeating: -1, count: rows.count)
    for place in byInstant(rows.indices.filter { !rows[$0].instantMs.isNaN }) {
      let (id, instantMs) = (rows[place].id, rows[place].instantMs)
      let isSame = polls.last.map { instantMs - $0.fromMs <= Self.pollMs } ?? false
      let known = isSame ? polls.last?.instants[id] : nil
      // Duplicate rows of the export.
      if known == instantMs { continue }
      if !isSame || known != nil { polls.append(Poll(fromMs: instantMs)) }
      polls[polls.count - 1].add(id, instantMs, place)
      pollOfRow[place] = polls.count - 1
    }
    place(&polls, pollOfRow)
    return polls.map { poll in poll.places.sorted().map { rows[$0] } }
  }

  /// Remote reports, which have the times of RTCP packets, belong to the poll around them or, if the rows are
  /// unordered, to the polls after the packet.
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
        // A duplicate row of the export; repeated in the next poll it is among other reports of that poll.
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

  /// Adds a row to the first of some polls that lacks its id.
  private func insert(_ place: Int, into polls: inout [Poll], from first: Int, atMost count: Int) {
    for poll in first..<min(first + count, polls.count) where polls[poll].instants[rows[place].id] == nil {
      polls[poll].add(rows[place].id, rows[place].placedOwnMs, place)
      return
    }
  }

  /// Whether the rows of each poll are adjacent, and polls in order. If even remote reports are in the order of their
  /// times, the rows were sorted by time.
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
    polls.endOfPrefix { $0.fromMs < timeMs }
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
  /// The time of each report, by id.
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

/// A clock that was set back among reports that arrived one at a time: in their order, times fall, and counters go on.
enum ClockStepsInRows {
  /// Times of one poll differ by less than this, ms.
  private static let pollMs = 100.0
  /// If times fall more often, the rows are unordered.
  private static let maxFalls = 16
  /// How many rows after a fall are examined for their counters.
  private static let maxLooked = 512
  /// An increase above this and above twenty times the previous one is from another recording.
  private static let maxGrowth = (times: 20.0, least: 1000.0)

  /// The shift to add to the time of each row so that they are in the order of the call; nil if no clock was set back.
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

  /// Whether the counters from a row on continue the earlier ones.
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

/// A report that arrived alone: on a line or in a wrapper of its own.
struct ReportRow {
  var id: [UInt8]
  var report: [UInt8]
  /// Its own time, ms since the epoch; NaN if missing.
  var ownMs = Double.nan
  /// The time of the poll or log entry around it; NaN if missing.
  var pollMs: Double
  var line: Int?
  /// Whether its own time is that of an RTCP packet from the far end.
  var isOfFarEnd = false

  /// Its packets; NaN if missing.
  var count = Double.nan
  /// Added to its times if a clock was set back before it.
  var shiftMs = 0.0

  /// The time of its poll, as far as known from itself.
  var instantMs: Double { isOfFarEnd ? .nan : (ownMs.isNaN ? pollMs : ownMs) + shiftMs }
  /// Its own and its poll's time, shifted.
  var placedOwnMs: Double { ownMs + shiftMs }
  var placedPollMs: Double { pollMs + shiftMs }

  /// Its approximate memory, bytes.
  var size: Int { report.count + id.count + 128 }

  /// Nil without any time since the epoch: then only its position shows its poll. Also nil without an id, as other
  /// reports of its poll may have none either.
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
