import CallModel

/// State shared by all connections of a source: the sink, the limits, the numbers assigned.
final class RecordContext {
  let sink: any RecordSink
  let options: ReaderOptions
  var parser = ReportParser()
  /// Where the members without a column of one sample are written.
  let extraText = ExtraText()
  /// Connections with reports in memory; if there are too many, the one idle longest is put to sleep. Unowned
  /// references, as each connection retains its context; a deallocated connection removes itself. (Weak references are
  /// slow.)
  private var awake: [Unmanaged<PeerConnection>] = []
  /// Whether connections must never sleep, because the source has only deltas.
  private let isOfDeltas: Bool
  private var snapshots = 0
  private static let maxAwake = 64
  private var connections = 0
  private var streams = 0
  /// Number of reports in memory, over all connections awake.
  private var reports = 0
  private var notedMembers: Set<String> = []
  private var hasNotedMissingZone = false
  /// Whether any stream report had a time; the number of those without, and the line of the first.
  var hasEmittedSamples = false
  private var leftOut: (count: Int, line: Int?) = (0, nil)

  init(sink: any RecordSink, options: ReaderOptions, isOfDeltas: Bool = false) {
    self.isOfDeltas = isOfDeltas
    self.sink = sink
    self.options = options
  }

  /// Counts a stream report without a time: few such reports are odd; if all are, the source cannot be read.
  func leftOutForTime(line: Int?) throws {
    if leftOut.count == 0 { leftOut.line = line }
    leftOut.count += 1
    try sink.note(Self.withoutTime)
  }

  private static let withoutTime = "a report of a stream without a time that can be, left out"

  /// Notes once that times have no time zone.
  func noteMissingZone() throws {
    guard !hasNotedMissingZone else { return }
    hasNotedMissingZone = true
    try sink.note(SourceNote.noZone)
  }

  /// Notes, at the end, what only the whole source shows: connections that never came up, or that no report has a time.
  func finish() throws {
    for connection in awake { try connection.takeUnretainedValue().emitChecks() }
    guard leftOut.count > 0, !hasEmittedSamples else { return }
    var reject = Reject(Self.withoutTime, line: leftOut.line)
    reject.count = leftOut.count
    try sink.reject(reject)
    leftOut.count = 0
  }

  /// The number of a new connection.
  func newConnection() -> Int {
    connections += 1
    return connections - 1
  }

  /// Whether one more connection is accepted; records of rejected connections are counted.
  func takesConnection(line: Int? = nil) throws -> Bool {
    if connections < options.connectionsPerSource { return true }
    try sink.reject(
      .beyond(options.connectionsPerSource, "connections in one source", line: line, raise: "connections"))
    return false
  }

  /// Maximum number of reports remembered over the whole source: four snapshots' worth.
  var maxReports: Int { options.reportsPerSnapshot * Limit.reportsOfSource.value }

  /// Whether one more report is remembered; counted as rejected otherwise.
  func takesReport(line: Int?) throws -> Bool {
    guard reports < maxReports else {
      try sink.reject(.beyond(maxReports, "reports remembered", line: line, raise: "reports"))
      return false
    }
    reports += 1
    return true
  }

  /// Subtracts reports that were released.
  func forgot(reports count: Int) { reports -= count }

  /// Called when a connection is about to read a snapshot.
  func use(_ connection: PeerConnection) {
    snapshots += 1
    connection.lastUse = snapshots
    if !connection.isAwake, !isOfDeltas {
      connection.isAwake = true
      awake.append(.passUnretained(connection))
      if awake.count > Self.maxAwake,
        let idlest = awake.indices.min(by: { lastUse(awake[$0]) < lastUse(awake[$1]) })
      {
        awake[idlest].takeUnretainedValue().sleep()
        awake.remove(at: idlest)
      }
    }
  }

  private func lastUse(_ connection: Unmanaged<PeerConnection>) -> Int {
    connection.takeUnretainedValue().lastUse
  }

  /// Removes a deallocated connection.
  func forget(_ connection: PeerConnection) {
    let gone = Unmanaged.passUnretained(connection).toOpaque()
    awake.removeAll { $0.toOpaque() == gone }
  }

  /// The number of a new stream; nil if there are too many (`ReaderOptions.streamsPerSource`).
  func newStream() throws -> Int? {
    guard streams < options.streamsPerSource else {
      try sink.reject(.beyond(options.streamsPerSource, "streams in one source", raise: "streams"))
      return nil
    }
    streams += 1
    return streams - 1
  }

  /// Notes unknown members, and members with impossible figures, once each.
  func noteUnexpectedMembers() throws {
    if parser.times.lacksZone { try noteMissingZone() }
    if !parser.odd.impossible.isEmpty {
      for words in parser.odd.impossible.sorted() { try sink.note(words) }
      parser.odd.impossible.removeAll()
    }
    guard !parser.odd.unknown.isEmpty else { return }
    for name in parser.odd.unknown.sorted() where notedMembers.insert(name).inserted {
      try sink.note("unknown member kept: \(name)")
    }
    parser.odd.unknown.removeAll()
  }
}
