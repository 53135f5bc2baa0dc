import Bytes
import CallModel

/// A PeerConnection of a source: its latest reports, and the records made from each snapshot.
///
/// A dialect opens a snapshot, fills reports (in any order), and closes it; then the samples of the streams are
/// emitted, joined with the remote, playout, media-source, track and codec reports of the same snapshot.
final class PeerConnection {
  let number: Int
  let context: RecordContext
  /// All facts of this connection so far.
  var facts = ConnectionFacts()
  var emittedIdentities: Set<Identity> = []
  /// The path whose addresses were emitted last.
  var emittedPath = TransportSample(timeMs: 0)
  /// Time of its first event with a time.
  var firstEventMs: Double?
  /// The reports by id, and in the order of the last snapshot.
  @exclusivity(unchecked) private var reports = FlatList<Report>()
  private var places: [[UInt8]: Int] = [:]
  @exclusivity(unchecked) private var order = FlatList<Int>()
  @exclusivity(unchecked) private var lastOrder = FlatList<Int>()
  /// Number of reports known before the open snapshot.
  private(set) var knownBefore = 0
  /// Index in the last order where the next report is expected.
  @exclusivity(unchecked) private var cursor = 0
  /// Number of the open snapshot, and its time by the poll's clock; NaN if unknown.
  private(set) var snapshot = 0
  private(set) var pollMs = Double.nan
  var line: Int?
  /// Whether the reports are in memory, and the number of the source's last snapshot of it.
  var isAwake = false
  var lastUse = 0
  /// The streams of a sleeping connection, by key and number.
  private var sleeping: [(key: UInt64, number: Int)] = []

  var streamsBySSRC: [UInt64: StreamState] = [:]
  var streamsById: [[UInt8]: StreamState] = [:]
  var path = PathState()
  /// The clock of report times that are not since the epoch.
  private var clock: ReportClock?
  /// Added to report times since a clock was set back, ms.
  var shiftMs = 0.0
  /// Whether the reports' own times were found to be frozen.
  var doubtsOwnTimes = false
  var isChanged = false

  init(_ context: RecordContext, name: String?) {
    self.context = context
    number = context.newConnection()
    facts.name = name
  }

  deinit { context.forget(self) }

  /// Emits the facts of this connection; must come before its other records.
  func introduce() throws { try context.sink.connection(number, facts) }

  /// Opens a snapshot.
  func beginSnapshot(pollMs: Double, line: Int? = nil) {
    context.use(self)
    for (key, number) in sleeping {
      streamsBySSRC[key] = StreamState(number: number, isInbound: key & 1 == 1)
    }
    if !sleeping.isEmpty { sleeping = [] }
    snapshot += 1
    knownBefore = reports.count
    self.pollMs = pollMs
    self.line = line
    swap(&order, &lastOrder)
    order.removeAll()
    cursor = 0
  }

  /// Whether the open snapshot has a report with an id that occurred before.
  func hasKnownReport(where isMeant: (Report) -> Bool) -> Bool {
    order.indices.contains { order[$0] < knownBefore && isMeant(reports[order[$0]]) }
  }

  /// Whether there ever was a report of a type.
  func everHadReport(where isMeant: (Report) -> Bool) -> Bool {
    reports.indices.contains { isMeant(reports[$0]) }
  }

  /// Transfers the open snapshot to the connection it turned out to belong to.
  func transfer(to next: PeerConnection) throws {
    let given = Array(presentReports)
    sleep()
    next.beginSnapshot(pollMs: pollMs, line: line)
    for report in given {
      guard try context.takesReport(line: line) else { break }
      next.adopt(report)
    }
  }

  private func adopt(_ report: Report) {
    report.changeConnection()
    report.snapshot = snapshot
    places[report.id] = reports.count
    order.append(reports.count)
    reports.append(report)
    isChanged = true
  }

  /// Releases everything except the numbers of the streams, so that a source can have any number of connections.
  func sleep() {
    isAwake = false
    sleeping = streamsBySSRC.map { ($0.key, $0.value.number) }
    streamsBySSRC = [:]
    streamsById = [:]
    context.forgot(reports: reports.count)
    reports.removeAll()
    places = [:]
    order.removeAll()
    lastOrder.removeAll()
    path = PathState()
    emittedIdentities = []
    emittedPath = TransportSample(timeMs: 0)
    let direction = facts.direction
    facts = ConnectionFacts()
    facts.direction = direction
    clock = nil
    snapshot += 1
  }

  /// The report with an id, created if it is new; nil if a snapshot has too many.
  func report(_ id: UnsafeBufferPointer<UInt8>) throws -> Report? { try place(of: id).map { reports[$0] } }

  /// The index of that report.
  ///
  /// Snapshots nearly always have the same reports in the same order, so the next one is tried before a lookup.
  private func place(of id: UnsafeBufferPointer<UInt8>) throws -> Int? {
    if cursor < lastOrder.count {
      let place = lastOrder[cursor]
      if reports[place].isNamed(id) {
        cursor += 1
        return try mention(place) ? place : nil
      }
    }
    let place: Int
    if let known = places[Array(id)] {
      place = known
      // If reports disappeared, the rest follow in the old order.
      let ahead = cursor..<max(cursor, min(cursor + 16, lastOrder.count))
      if let skipped = ahead.first(where: { lastOrder[$0] == known }) { cursor = skipped + 1 }
    } else {
      guard try context.takesReport(line: line) else { return nil }
      place = reports.count
      // Connections of one source have similar reports, so each begins at another index.
      reports.append(Report(id: Array(id), templatePlace: number &* 61 &+ place))
      places[Array(id)] = place
    }
    return try mention(place) ? place : nil
  }

  /// Adds a report to the snapshot; false if it has too many.
  private func mention(_ place: Int) throws -> Bool {
    guard order.count < context.options.reportsPerSnapshot else {
      try context.sink.reject(
        .beyond(context.options.reportsPerSnapshot, "reports in one snapshot", line: line, raise: "reports"))
      return false
    }
    let before = reports[place].snapshot
    if before != snapshot {
      // A report that was absent may be back with other contents: its joins are recomputed.
      if before != snapshot - 1 { isChanged = true }
      reports[place].snapshot = snapshot
      order.append(place)
    }
    return true
  }

  /// Keeps the reports of the last snapshot that this one does not mention, for deltas in which that means "unchanged".
  func keepUnmentioned() {
    for index in lastOrder.indices {
      let place = lastOrder[index]
      let report = reports[place]
      guard report.snapshot != snapshot, !report.isGone else { continue }
      report.snapshot = snapshot
      if !report.isOfFarEnd { report.timeMs = pollMs }
      order.append(place)
    }
  }

  /// A report of this snapshot by its id in text; a missing id refers to no report.
  func present(_ id: [UInt8]) -> Report? {
    guard !id.isEmpty, let place = places[id], reports[place].snapshot == snapshot else { return nil }
    return reports[place]
  }

  /// The reports of this snapshot, in its order.
  var presentReports: some Collection<Report> { order.indices.lazy.map { self.reports[self.order[$0]] } }

  /// All reports so far, with their latest contents.
  var knownReports: [Report] { reports.indices.map { reports[$0] } }

  /// Whether the open snapshot has other reports than the one before, or a fact changed.
  var differsFromLast: Bool { isChanged || order.count != lastOrder.count }

  /// The report with an id, whether or not this snapshot has it.
  func known(_ id: UnsafeBufferPointer<UInt8>) -> Report? { places[Array(id)].map { reports[$0] } }

  /// Whether there ever was a report with the id.
  func knows(_ id: [UInt8]) -> Bool { places[id] != nil }

  /// Whether the previous snapshot had a report with that id.
  func wasPresent(_ report: Report) -> Bool { report.snapshot >= snapshot - 1 && !report.isGone }

  /// Reads one report from its JSON object.
  func parse(_ scanner: inout JSONScanner, id: UnsafeBufferPointer<UInt8>) throws {
    guard let report = try report(id) else {
      try scanner.skip()
      return
    }
    let start = scanner.position
    try context.parser.parse(&scanner, into: report)
    if report.isChanged { try changed(report) }
    if report.holdsStream {
      scanner.position = start
      try parseStream(&scanner, mergedWith: report)
    }
  }

  /// Records that a fact of a report changed.
  func changed(_ report: Report) throws {
    isChanged = true
    if let unknown = context.parser.unknownReport {
      try context.sink.note(
        "unknown report type kept as an event: \(String(decoding: report.typeName.bytes, as: UTF8.self))")
      var event = EventRecord(
        timeMs: try time(of: report), event: .unknown,
        raw: "getStats \(String(decoding: report.typeName.bytes, as: UTF8.self))")
      event.args = String(decoding: unknown, as: UTF8.self)
      event.line = line
      try context.sink.event(event, of: number)
    }
  }

  /// Closes the snapshot: joins, facts, samples, path.
  func endSnapshot() throws {
    try followClock()
    if differsFromLast
      || path.nominated.count > 1 && carryingPair() !== path.pair
    {
      isChanged = false
      try workOutFacts()
    } else if path.pair == nil, path.isReported {
      try workOutPath()
    }
    for index in order.indices where reports[order[index]].stream != nil {
      try emitSample(of: reports[order[index]])
    }
    try emitPath()
    try noteChecks()
    for pair in path.nominated { pair.carriedBefore = pair.carriedBytes }
    try context.noteUnexpectedMembers()
  }

  /// The time of a report since the epoch: by its own clock, or the poll's if it has none.
  func time(of report: Report) throws -> Double? { try clockTime(of: report).map { $0 + shiftMs } }

  /// The same without correction for a clock that was set back.
  private func clockTime(of report: Report) throws -> Double? {
    let time = report.timeMs
    if time.isNaN { return pollMs.isNaN ? nil : pollMs }
    if ReportTime.isEpoch(time), !(abs(time - pollMs) > ReportClock.farMs && ReportTime.isEpoch(pollMs)) {
      return time
    }
    let isFirst = clock == nil
    let ms = clock?.ms(time, pollMs: pollMs) ?? 0
    return isFirst ? try begin(time) : ms
  }

  private func begin(_ time: Double) throws -> Double {
    var clock = ReportClock(detectedUnit: context.options.reportClockUnitMs)
    let ms = clock.ms(time, pollMs: pollMs)
    self.clock = clock
    guard ms != time * 1000 else { return ms }
    try context.sink.note(
      clock.isAnchored
        ? "reports count their time from another instant than 1970: placed by the time logged beside them"
        : "reports count their time from an unknown instant, and no time is logged beside them: when they were made is not known"
    )
    return ms
  }
}

extension PeerConnection {
  /// Reads the stream's own report out of a remote report that it was merged with: peermetrics' WebRTCStats and others
  /// write `{...report, ...stats.get(report.remoteId)}`. Members that occur in both are those of the remote report: its
  /// id, its type, and its time, so that the poll's time is used.
  func parseStream(_ scanner: inout JSONScanner, mergedWith farEnd: Report) throws {
    var id = farEnd.bytes(.localId)
    if id.isEmpty || id == farEnd.id { id = farEnd.id + Array("/stream".utf8) }
    let stream = try id.withUnsafeBufferPointer { id in
      // The same poll may also have it unmerged.
      if let known = known(id), known.snapshot == snapshot, !known.isMerged { return nil as Report? }
      return try report(id)
    }
    guard let stream else {
      try scanner.skip()
      return
    }
    if stream.become(partOf: farEnd) {
      isChanged = true
      try context.sink.note(
        "reports of streams merged with what the far end says of them: taken apart, each with the time of its poll"
      )
    }
    try context.parser.parse(&scanner, into: stream)
    stream.timeMs = .nan
    // In the stream's own report they have other units, or do not exist.
    stream.sample.clear(.rttMs)
    if stream.type == .outbound {
      for metric in [Metric.lost, .fractionLost, .jitterMs] { stream.sample.clear(metric) }
    }
    if stream.isChanged { try changed(stream) }
  }
}

extension PeerConnection {
  /// With BUNDLE there is one; otherwise, of the transports with a selected pair, the one used before: that other media
  /// take another path is no change of this one. At first the one that carries most.
  func carryingTransport() -> Report? {
    let transports = presentReports.filter { $0.type == .transport || $0.type == .googComponent }
    let selected = transports.filter { !$0.bytes(.selectedPair).isEmpty }
    let open = selected.filter { $0.text(.dtlsState) != "closed" }
    let candidates = !open.isEmpty ? open : !selected.isEmpty ? selected : transports
    if let taken = path.transport, taken.number(.bytesReceived) ?? 0 > 0,
      candidates.contains(where: { $0 === taken })
    {
      return taken
    }
    return candidates.max { ($0.number(.bytesReceived) ?? 0) < ($1.number(.bytesReceived) ?? 0) }
  }

  /// The pair named by the transport; otherwise (Firefox, Safari, goog-*) the one marked as selected; otherwise one
  /// that works.
  func selectedPair() -> Report? {
    if let named = path.transport?.bytes(.selectedPair), let pair = present(named) { return pair }
    let pairs = presentReports.filter { $0.type == .pair || $0.type == .googPair }
    if let pair = pairs.first(where: { $0.number(.selected) == 1 }) { return pair }
    path.nominated = pairs.filter { $0.number(.nominated) == 1 }
    return carryingPair()
  }

  /// Of several nominated pairs, as after an ICE restart, the one whose bytes grow: the previous one as long as its
  /// bytes do. At first the one with the most bytes.
  func carryingPair() -> Report? {
    let working = path.nominated.filter { $0.snapshot == snapshot && $0.text(.pairState) == "succeeded" }
    guard let taken = path.pair, working.contains(where: { $0 === taken }) else {
      return working.max { ($0.number(.bytesReceived) ?? 0) < ($1.number(.bytesReceived) ?? 0) }
    }
    guard taken.newBytes <= 0 else { return taken }
    // Without BUNDLE each transport has its own pair.
    let transport = taken.bytes(.transportId)
    let others = working.filter { $0.newBytes > 0 && $0.bytes(.transportId) == transport }
    return others.max { $0.newBytes < $1.newBytes } ?? taken
  }
}

extension Report {
  /// Bytes carried by the pair, in both directions.
  var carriedBytes: Double { (number(.bytesReceived) ?? 0) + (number(.bytesSent) ?? 0) }

  /// Bytes carried since the previous snapshot.
  fileprivate var newBytes: Double { carriedBytes - carriedBefore }
}
