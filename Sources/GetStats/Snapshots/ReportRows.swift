/// Reports of a connection that came one at a time, in whatever order, until it is known which of them are of one poll.
struct ReportRows {
  /// What all of one source may take of memory while they wait.
  static let mostBytes = 16 << 20
  /// Reports of one poll are no further apart than that, ms; polls are.
  private static let pollMs = 100.0
  /// Later ones are looked through for a poll that a report of the far end is missing in.
  private static let mostRepeats = 64

  private(set) var rows: [ReportRow] = []
  /// What they take of memory.
  private(set) var size = 0

  mutating func add(_ row: ReportRow) {
    rows.append(row)
    size += row.size
  }

  /// The reports of each poll, one poll after the other.
  mutating func polls() -> [[ReportRow]] {
    if let shifts = RowSteps.shifts(of: rows) {
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
        place, into: &polls, from: first(notBefore: rows[place].placedOwnMs, polls), atMost: Self.mostRepeats)
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
