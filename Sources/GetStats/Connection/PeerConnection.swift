import Bytes
import CallModel

/// One PeerConnection of a source: its reports as last heard, and what is made of each snapshot.
///
/// A dialect begins a snapshot, fills reports (in any order), ends it; then the streams' samples go to the sink, joined with what
/// the far end, the device that plays or records, obsolete tracks and codecs say in the same snapshot.
final class PeerConnection {
  let number: Int
  let context: RecordContext
  /// Everything told so far of who this is.
  var facts = ConnectionFacts()
  var emittedIdentities: Set<Identity> = []
  /// The path whose addresses were told last.
  var emittedPath = TransportSample(timeMs: 0)
  /// When the first of its events was, as far as events have times.
  var firstEventMs: Double?
  /// The reports by id, and in the order in which the last snapshot had them.
  @exclusivity(unchecked) private var reports = FlatList<Report>()
  private var places: [[UInt8]: Int] = [:]
  @exclusivity(unchecked) private var order = FlatList<Int>()
  @exclusivity(unchecked) private var lastOrder = FlatList<Int>()
  /// How many reports were known before the open snapshot.
  private(set) var knownBefore = 0
  /// Where in the last order the next report is expected.
  @exclusivity(unchecked) private var cursor = 0
  /// Number of the open snapshot, and when it was taken by the poll's clock; NaN where the source does not say.
  private(set) var snapshot = 0
  private(set) var pollMs = Double.nan
  var line: Int?
  /// Whether the reports are in memory, and the number of the source's snapshot that was taken last.
  var isAwake = false
  var lastUse = 0
  /// The streams of a connection that sleeps, by key and number.
  private var sleeping: [(key: UInt64, number: Int)] = []

  var streamsBySSRC: [UInt64: StreamState] = [:]
  var streamsById: [[UInt8]: StreamState] = [:]
  var path = PathState()
  /// What the times of reports count from that are not of the epoch.
  private var clock: ReportClock?
  /// What is added to the times of reports since a clock was set back, ms.
  var shiftMs = 0.0
  /// Whether the reports' own times were found to stand still.
  var doubtsOwnTimes = false
  var isChanged = false

  init(_ context: RecordContext, name: String?) {
    self.context = context
    number = context.newConnection()
    facts.name = name
  }

  deinit { context.forget(self) }

  /// Tells the sink who this is; must come before anything else of it.
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

  /// Whether a report of the open snapshot has an id that came before it.
  func hasKnownReport(where isMeant: (Report) -> Bool) -> Bool {
    order.indices.contains { order[$0] < knownBefore && isMeant(reports[order[$0]]) }
  }

  /// Whether there ever was a report of a kind.
  func everHadReport(where isMeant: (Report) -> Bool) -> Bool {
    reports.indices.contains { isMeant(reports[$0]) }
  }

  /// Gives the open snapshot to another connection, whose it turned out to be.
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

  /// Forgets everything but the numbers of the streams, so that a source of any number of connections can be read.
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

  /// The report of an id, made if it is new; nil when a snapshot holds too many.
  func report(_ id: UnsafeBufferPointer<UInt8>) throws -> Report? { try place(of: id).map { reports[$0] } }

  /// The place of that report.
  ///
  /// Snapshots hold the same reports in the same order nearly always, so the next one is guessed before it is looked up.
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
      // Where reports went away, the rest comes in the old order.
      let ahead = cursor..<max(cursor, min(cursor + 16, lastOrder.count))
      if let skipped = ahead.first(where: { lastOrder[$0] == known }) { cursor = skipped + 1 }
    } else {
      guard try context.takesReport(line: line) else { return nil }
      place = reports.count
      // Connections of one source have much the same reports: each begins at another place.
      reports.append(Report(id: Array(id), templatePlace: number &* 61 &+ place))
      places[Array(id)] = place
    }
    return try mention(place) ? place : nil
  }

  /// Takes note that the snapshot holds a report; false when it holds too many.
  private func mention(_ place: Int) throws -> Bool {
    guard order.count < context.options.reportsPerSnapshot else {
      try context.sink.reject(
        .beyond(context.options.reportsPerSnapshot, "reports in one snapshot", line: line, raise: "reports"))
      return false
    }
    let before = reports[place].snapshot
    if before != snapshot {
      // A report that was away may have come back as another one: its joins are worked out again.
      if before != snapshot - 1 { isChanged = true }
      reports[place].snapshot = snapshot
      order.append(place)
    }
    return true
  }

  /// Takes over the reports of the last snapshot that this one does not mention, for deltas in which that means "as before".
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

  /// A report by its id in text, if this snapshot holds it; a reference that is not there means none, not one without an id.
  func present(_ id: [UInt8]) -> Report? {
    guard !id.isEmpty, let place = places[id], reports[place].snapshot == snapshot else { return nil }
    return reports[place]
  }

  /// The reports of this snapshot, in its order.
  var presentReports: some Collection<Report> { order.indices.lazy.map { self.reports[self.order[$0]] } }

  /// Every report that there ever was, as last heard.
  var knownReports: [Report] { reports.indices.map { reports[$0] } }

  /// Whether the open snapshot holds other reports than the one before, or facts of one changed.
  var differsFromLast: Bool { isChanged || order.count != lastOrder.count }

  /// The report of an id, whether or not this snapshot holds it.
  func known(_ id: UnsafeBufferPointer<UInt8>) -> Report? { places[Array(id)].map { reports[$0] } }

  /// Whether there ever was a report of the id.
  func knows(_ id: [UInt8]) -> Bool { places[id] != nil }

  /// Whether a report of that id stood in the snapshot before this one.
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

  /// Takes note that a fact of a report changed.
  func changed(_ report: Report) throws {
    isChanged = true
    if let unknown = context.parser.unknownReport {
      try context.sink.note(
        "unknown report type kept as an event: \(String(decoding: report.typeName.bytes, as: UTF8.self))")
      var event = EventRecord(
        timeMs: try time(of: report), event: "unknown",
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

  /// When a report was made, by the epoch: its own clock, or the poll's where it has none.
  func time(of report: Report) throws -> Double? { try clockTime(of: report).map { $0 + shiftMs } }

  /// The same as the clock has it, set back or not.
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
        ? "reports count their time from another instant than 1970: placed by the time that stands beside them"
        : "reports count their time from an unknown instant, and no time stands beside them: when that was is not known"
    )
    return ms
  }
}

extension PeerConnection {
  /// Reads the stream's own report out of one of the far end that it was merged with: peermetrics' WebRTCStats and others
  /// write `{...report, ...stats.get(report.remoteId)}`. Of members that both have there are those of the far end: its id,
  /// its type, and its time, so that the time is the poll's.
  func parseStream(_ scanner: inout JSONScanner, mergedWith farEnd: Report) throws {
    var id = farEnd.bytes(.localId)
    if id.isEmpty || id == farEnd.id { id = farEnd.id + Array("/stream".utf8) }
    let stream = try id.withUnsafeBufferPointer { id in
      // It may stand in the same poll as it was.
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
    // In its own report they have other units, or are nobody's.
    stream.sample.clear(.rttMs)
    if stream.type == .outbound {
      for metric in [Metric.lost, .fractionLost, .jitterMs] { stream.sample.clear(metric) }
    }
    if stream.isChanged { try changed(stream) }
  }
}

extension PeerConnection {
  /// Under BUNDLE there is one; else, of those with a selected pair, the one that was taken before: that the media of others goes
  /// another way is no change of this. At first the one that carries most.
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

  /// The pair that the transport names; else (Firefox, Safari, goog-*) the one that says so itself; else one that works.
  func selectedPair() -> Report? {
    if let named = path.transport?.bytes(.selectedPair), let pair = present(named) { return pair }
    let pairs = presentReports.filter { $0.type == .pair || $0.type == .googPair }
    if let pair = pairs.first(where: { $0.number(.selected) == 1 }) { return pair }
    path.nominated = pairs.filter { $0.number(.nominated) == 1 }
    return carryingPair()
  }

  /// Of nominated pairs, which after an ICE restart may be several, the one whose bytes grow: that of before as long as its own
  /// do. At first the one that has most.
  func carryingPair() -> Report? {
    let working = path.nominated.filter { $0.snapshot == snapshot && $0.text(.pairState) == "succeeded" }
    guard let taken = path.pair, working.contains(where: { $0 === taken }) else {
      return working.max { ($0.number(.bytesReceived) ?? 0) < ($1.number(.bytesReceived) ?? 0) }
    }
    guard taken.newBytes <= 0 else { return taken }
    // Without BUNDLE each transport has a pair of its own.
    let transport = taken.bytes(.transportId)
    let others = working.filter { $0.newBytes > 0 && $0.bytes(.transportId) == transport }
    return others.max { $0.newBytes < $1.newBytes } ?? taken
  }
}

extension Report {
  /// Bytes that the pair carried, both ways.
  var carriedBytes: Double { (number(.bytesReceived) ?? 0) + (number(.bytesSent) ?? 0) }

  /// How many of them since the snapshot before.
  fileprivate var newBytes: Double { carriedBytes - carriedBefore }
}
