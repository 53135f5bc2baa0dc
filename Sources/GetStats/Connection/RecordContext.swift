import CallModel

/// What all connections of one source share: the sink, the limits, the numbers given so far.
final class RecordContext {
  let sink: any RecordSink
  let options: ReaderOptions
  var parser = ReportParser()
  /// Connections whose reports are in memory; the one that was idle longest is put to sleep when there are too many. This is
  /// not their owner, for each holds its context: one that goes away says so. (Weak ones are counted slowly.)
  private var awake: [Unmanaged<PeerConnection>] = []
  /// Whether connections must never sleep, because what is written of them are only changes.
  private let isOfDeltas: Bool
  private var snapshots = 0
  private static let maxAwake = 64
  private var connections = 0
  private var streams = 0
  /// Reports in memory, over all connections that are awake.
  private var reports = 0
  private var toldMembers: Set<String> = []
  private var hasNotedMissingZone = false
  /// Whether any report of a stream had a time, and of those that had none how many, and the line of the first.
  var hasEmittedSamples = false
  private var leftOut: (count: Int, line: Int?) = (0, nil)

  init(sink: any RecordSink, options: ReaderOptions, isOfDeltas: Bool = false) {
    self.isOfDeltas = isOfDeltas
    self.sink = sink
    self.options = options
  }

  /// Takes note of a report of a stream that has no time: few such are odd, no other ones are a source that is not read.
  func leftOutForTime(line: Int?) throws {
    if leftOut.count == 0 { leftOut.line = line }
    leftOut.count += 1
    try sink.note(Self.withoutTime)
  }

  private static let withoutTime = "a report of a stream without a time that can be, left out"

  /// Says once that times did not say in which zone they are.
  func noteMissingZone() throws {
    guard !hasNotedMissingZone else { return }
    hasNotedMissingZone = true
    try sink.note(SourceNote.noZone)
  }

  /// Says, at the end, what only all that came tells: which connections never found a way, that nothing could be placed in time.
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

  /// Whether one more connection is taken; what is said of one that is not is counted as rejected.
  func takesConnection(line: Int? = nil) throws -> Bool {
    if connections < options.connectionsPerSource { return true }
    try sink.reject(
      .beyond(options.connectionsPerSource, "connections in one source", line: line, raise: "connections"))
    return false
  }

  /// Reports that are remembered over the whole source: four snapshots' worth.
  var maxReports: Int { options.reportsPerSnapshot * 4 }

  /// Whether one more report is remembered; counted as rejected where not.
  func takesReport(line: Int?) throws -> Bool {
    guard reports < maxReports else {
      try sink.reject(.beyond(maxReports, "reports remembered", line: line, raise: "reports"))
      return false
    }
    reports += 1
    return true
  }

  /// Says that so many reports were forgotten.
  func forgot(reports count: Int) { reports -= count }

  /// Says that a connection is about to take a snapshot.
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

  /// Says that a connection is no more.
  func forget(_ connection: PeerConnection) {
    let gone = Unmanaged.passUnretained(connection).toOpaque()
    awake.removeAll { $0.toOpaque() == gone }
  }

  /// The number of a new stream, nil when there are too many (`ReaderOptions.streamsPerSource`).
  func newStream() throws -> Int? {
    guard streams < options.streamsPerSource else {
      try sink.reject(.beyond(options.streamsPerSource, "streams in one source", raise: "streams"))
      return nil
    }
    streams += 1
    return streams - 1
  }

  /// Tells the source of members that no table knows, or whose figures cannot be, each once.
  func noteUnexpectedMembers() throws {
    if parser.times.lacksZone { try noteMissingZone() }
    if !parser.odd.impossible.isEmpty {
      for words in parser.odd.impossible.sorted() { try sink.note(words) }
      parser.odd.impossible.removeAll()
    }
    guard !parser.odd.unknown.isEmpty else { return }
    for name in parser.odd.unknown.sorted() where toldMembers.insert(name).inserted {
      try sink.note("unknown member kept: \(name)")
    }
    parser.odd.unknown.removeAll()
  }
}
