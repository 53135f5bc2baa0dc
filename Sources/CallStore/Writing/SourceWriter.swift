import CallModel

/// Receives the records of one source and stores all or none of them.
///
/// Memory is bounded: samples, events and path samples wait in short queues; facts and totals are kept for each stream.
/// Made by `Store.write` and `SourceQueue.write`.
public final class SourceWriter: RecordSink {
  /// The most samples queued over all streams before a source gets a transaction of its own.
  static let maxQueuedSamples = Limit.queuedSamples.value
  /// The most samples of a batch from then on, and the number of batches in progress. A batch fits into the second-level
  /// cache of a processor core, as other threads store and score it.
  private static let maxBatchSamples = 384
  static let maxQueuedBatches = 3
  /// The most events and path samples queued, and the most bytes of events.
  static let maxQueuedEvents = Limit.queuedEvents.value
  static let maxQueuedEventBytes = Limit.queuedEventBytes.value
  /// How many recent paths a sample is compared with, in case the connection went back to an earlier one.
  static let pathsCompared = 64
  /// How many connections and streams that are complete are kept before they are stored.
  private static let maxOpenRows = 4096

  private(set) var header: SourceHeader
  let database: SourceTransaction
  var parts: [PartRow] = []
  var streams: [StreamRow] = []
  var paths: [PathRow] = []
  var ledger = RejectCounter()
  var span = Span()
  var packetCount = 0
  var eventCount = 0
  var settled = SettledRows()
  /// Number of events that no dialect knows.
  private var unknownEvents = 0
  private var partOfConnection: [Int: Int] = [:]
  private var partOfName: [PartName: Int] = [:]
  /// By stream index, the samples that wait.
  private var queues: [SampleQueue] = []
  /// The index of a stream by the reader's number.
  private var streamOfNumber: [Int: Int] = [:]
  private var wholePart: Int?
  private var samplesInQueues = 0
  /// Whether it replaced earlier versions, or goes on with them.
  private(set) var hasSuperseded = false
  /// The sources of other runs that it goes on with.
  private(set) var continued: [Int64] = []
  /// Called before its first record goes into the database.
  var beforeDatabase: (() throws -> Void)?
  private var events: [(part: Int, record: EventRecord)] = []
  /// Bytes of queued events.
  private(set) var eventBytes = 0
  private var pathSamples: [QueuedPathSample] = []
  /// Passes samples to the observer.
  private var passing: SampleTee?

  init(store: Store, header: SourceHeader, watch: (any SampleObserver)? = nil) {
    self.header = header
    self.database = SourceTransaction(store: store, header: header)
    passing = watch.map(SampleTee.init)
  }

  /// Number of records received: samples count before those of one time are merged.
  public private(set) var receivedSamples = 0
  /// Whether it has any connection, sample or event, and not only rejects.
  public var hasRecords: Bool {
    receivedSamples > 0 || eventCount > 0 || !streams.isEmpty || !paths.isEmpty || packetCount > 0
      || settled.streams > 0
  }
  /// Whether it has only events that no dialect knows.
  public var hasOnlyUnknownEvents: Bool {
    eventCount > 0 && unknownEvents == eventCount && receivedSamples == 0 && streams.isEmpty && paths.isEmpty
  }
  /// Whether it has paths, but no media stream.
  public var hasOnlyPaths: Bool { !paths.isEmpty && streams.isEmpty }
  /// The first reject, for a source without records.
  public var firstReject: Reject? { ledger.rejects.first?.reject }
  /// Whether some of it is in the database already, in a transaction of its own.
  var isInDatabase: Bool { database.begun }
  /// Number of queued records, as a measure of memory: most of it is samples.
  var queuedRecords: Int {
    samplesInQueues + events.count + pathSamples.count + parts.count + streams.count + ledger.rejects.count
  }
  /// Number of rejected lines, records or packets.
  public var rejected: Int { ledger.rejected }
  /// Whether it has no records: such a source cannot be `partial`.
  public var isEmpty: Bool {
    receivedSamples == 0 && eventCount == 0 && parts.isEmpty && streams.isEmpty && settled.ends == 0
  }

  public func connection(_ connection: Int, _ facts: ConnectionFacts) throws {
    // Both may have been merged in the meantime.
    let named = facts.name.flatMap { partOfName[PartName($0, facts)] ?? partOfName[PartName($0)] }
      .map(resolved).flatMap { parts[$0].isNamed(as: facts) ? $0 : nil }
    guard let known = partOfConnection[connection].map(resolved) else {
      let part = named ?? parts.count
      if part == parts.count { parts.append(PartRow()) }
      partOfConnection[connection] = part
      remember(part, facts)
      add(facts, to: part)
      return
    }
    if let named, named != known {
      // Its name came late, and another connection has it: they are one end.
      add(parts[known].facts, to: named)
      parts[named].span.add(parts[known].span)
      parts[known].mergedInto = named
      add(facts, to: named)
    } else {
      remember(known, facts)
      add(facts, to: known)
    }
  }

  // By name and, if another end or call has that name, with theirs.
  private func remember(_ part: Int, _ facts: ConnectionFacts) {
    guard let name = facts.name else { return }
    let own = partOfName[PartName(name)].map { parts[resolved($0)].isNamed(as: facts) } ?? true
    partOfName[own ? PartName(name) : PartName(name, facts)] = part
  }

  func add(_ facts: ConnectionFacts, to part: Int) {
    let leftOut = parts[part].add(facts)
    if leftOut > 0 {
      ledger.add(.beyond(PartRow.identityLimit, "identities of one connection", count: leftOut))
    }
  }

  public func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) throws {
    if let index = streamOfNumber[stream] {
      streams[index].add(facts)
      streams[index].part = part(of: connection)
    } else {
      streamOfNumber[stream] = streams.count
      streams.append(StreamRow(index: streams.count, part: part(of: connection), facts: facts))
      queues.append(SampleQueue())
    }
  }

  public func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) throws {
    guard let index = streamOfNumber[stream], sample.timeMs.isFinite else {
      ledger.add(note: "samples of an unknown stream or without a time")
      return
    }
    receivedSamples &+= 1
    if queues[index].enqueue(sample, extra: extra.map(BoundedJSON.bounded)) { samplesInQueues &+= 1 }
    if samplesInQueues >= (database.begun ? Self.maxBatchSamples : Self.maxQueuedSamples) { try letGo() }
  }

  public func totals(_ totals: StreamTotals, of stream: Int) throws {
    if let index = streamOfNumber[stream] { streams[index].totals = totals }
  }

  public func transport(_ transport: TransportSample, of connection: Int) throws {
    guard transport.timeMs.isFinite else { return }
    let part = part(of: connection)
    parts[part].span.add(transport.timeMs)
    let path: Int
    if let last = parts[part].lastPath, paths[last].isSame(as: transport) {
      path = last
    } else if let known = paths.suffix(Self.pathsCompared).lastIndex(where: {
      $0.part == part && $0.isSame(as: transport)
    }) {
      path = known
    } else {
      path = paths.count
      paths.append(PathRow(part: part, transport))
    }
    parts[part].lastPath = path
    paths[path].note(transport)
    pathSamples.append(QueuedPathSample(path: path, connection: part, sample: transport))
    if pathSamples.count >= Self.maxQueuedEvents { try letGo() }
  }

  public func event(_ event: EventRecord, of connection: Int?) throws {
    let part = connection.map { self.part(of: $0) } ?? wholeSource()
    parts[part].note(event)
    eventCount &+= 1
    if event.event == .unknown { unknownEvents &+= 1 }
    events.append((part, event))
    eventBytes &+= event.size
    if events.count >= Self.maxQueuedEvents || eventBytes >= Self.maxQueuedEventBytes { try letGo() }
  }

  public func reject(_ reject: Reject) throws { ledger.add(reject) }
  public func note(_ note: String) throws { ledger.add(note: note) }
  public func packets(_ count: Int) throws { packetCount &+= count }

  /// Stores and forgets connections and streams that are complete, once there are many.
  public func settle() throws {
    guard parts.count + streams.count >= Self.maxOpenRows else { return }
    // Its observer knows streams by their indices, which begin again.
    passing?.stop()
    passing = nil
    try letGo()
    try database.begin()
    try recountLateSamples()
    joinEventsAndStatistics()
    try storeRowsOfEnds()
    database.advance(parts: parts.count, streams: streams.count, paths: paths.count)
    forgetRows()
  }

  private func forgetRows() {
    (parts, streams, queues, paths) = ([], [], [], [])
    (streamOfNumber, partOfConnection, partOfName, wholePart) = ([:], [:], [:], nil)
  }

  /// Waits for the digest of a source that is hashed while it is read.
  func settleDigest() throws {
    guard let late = header.lateDigest else { return }
    header.sha256 = try late()
    header.lateDigest = nil
    try database.take(digest: header.sha256)
  }

  /// Passes the rest to the observer at the end of the source.
  func finishPassing() throws {
    guard let passing else { return }
    let runs = streams.indices.filter { !queues[$0].waiting.isEmpty }.map {
      (streams[$0], queues[$0].waiting)
    }
    try passing.finish(runs, pathSamples)
  }

  /// Passes the keys in the database to the observer.
  func passKeys() {
    guard let passing else { return }
    let merged = Set(parts.indices.compactMap { parts[$0].mergedInto == nil ? nil : resolved($0) })
    var connections: [Int: Int64] = [:]
    for part in parts.indices where parts[part].mergedInto == nil && !merged.contains(part) {
      connections[part] = database.key(ofPart: part)
    }
    passing.stored(connections: connections, streams: streams.indices.map(database.key(ofStream:)))
  }

  /// Stores all queued records, groups the source into calls and commits.
  func finish(_ status: SourceStatus, sortingAtOnce: Bool = true) throws -> StoredSource {
    let source = try store(status)
    try database.sortIn([source.id] + continued, views: settled.ends, atOnce: sortingAtOnce || hasSuperseded)
    try database.commit()
    return source
  }

  /// Stores all queued records as part of the open transaction.
  func storePart(_ status: SourceStatus) throws -> StoredSource {
    let source = try store(status)
    try database.commit()
    return source
  }

  private func store(_ status: SourceStatus) throws -> StoredSource {
    if !status.isTaken { forget() }
    try storeQueued()
    try recountLateSamples()
    joinEventsAndStatistics()
    var source = try storeRows(status)
    guard status.isTaken else { return source }
    let supersession = SourceReplacement(connection: database.connection)
    let grown = try supersession.sources(ofDigests: header.supersedes)
    try supersession.replace(grown, by: source.id)
    let corrected = try PreviousContent(connection: database.connection).settle(
      &source, aside: header.continues)
    try supersession.replace(corrected, by: source.id)
    continued = try supersession.sources(ofDigests: header.continues)
    try supersession.leave(to: continued, from: source.id)
    hasSuperseded = !grown.isEmpty || !corrected.isEmpty || !continued.isEmpty
    return source
  }

  /// Rolls back the source.
  func abandon() {
    passing?.stop()
    database.rollBack()
  }

  /// Leaves out ends without any records: they are no calls.
  public func leaveOutNames() {
    if !hasRecords { parts = [] }
  }

  /// For a rejected source only rejects and notes are kept.
  private func forget() {
    passing?.stop()
    database.rollBack()
    forgetRows()
    settled = SettledRows()
    events = []
    eventBytes = 0
    pathSamples = []
    samplesInQueues = 0
    span = Span()
    packetCount = 0
    eventCount = 0
    unknownEvents = 0
  }

  /// Too many records for memory: from now on the source is stored while it is read.
  private func letGo() throws {
    if !database.begun {
      try beforeDatabase?()
      try database.begin()
    }
    let batch = takeQueued()
    try database.inBackground { try batch.store(in: $0) }
    try passing?.begin(batch.runs, batch.paths)
  }

  /// Stores all queued records.
  private func storeQueued() throws {
    guard samplesInQueues > 0 || !events.isEmpty || !pathSamples.isEmpty else { return }
    try database.begin()
    try takeQueued().store(in: database)
  }

  /// All queued records. When one queue is full, all are written, as writing often is expensive.
  private func takeQueued() -> QueuedBatch {
    let runs = streams.indices.filter { !queues[$0].waiting.isEmpty }.map {
      (row: streams[$0], samples: queues[$0].takeQueued())
    }
    defer { (events, pathSamples, samplesInQueues, eventBytes) = ([], [], 0, 0) }
    return QueuedBatch(runs: runs, events: events, paths: pathSamples)
  }

  /// Samples that arrived after later ones were stored are in the database, but were left out of the totals.
  private func recountLateSamples() throws {
    for stream in streams where stream.hasLateSamples { try database.retally(stream) }
  }

  private func wholeSource() -> Int {
    if let wholePart { return wholePart }
    var part = PartRow()
    part.whole = true
    parts.append(part)
    wholePart = parts.count - 1
    return parts.count - 1
  }

  /// The part of a connection; without facts if there were none.
  private func part(of connection: Int) -> Int {
    if let part = partOfConnection[connection] { return resolved(part) }
    parts.append(PartRow())
    partOfConnection[connection] = parts.count - 1
    return parts.count - 1
  }

  /// The part that a part was merged into.
  func resolved(_ part: Int) -> Int {
    var part = part
    while let next = parts[part].mergedInto {
      // Path halving: thousands of names may come late.
      if let after = parts[next].mergedInto { parts[part].mergedInto = after }
      part = next
    }
    return part
  }
}

/// Counts of the connections and streams of a source whose rows are in the database.
struct SettledRows {
  /// Ends, and those of them that are about no call.
  var ends = 0
  var idle = 0
  var streams = 0
  var samples = 0
}

/// The log of an idle evening has a session that was opened, lost and restored, and no call.
extension SourceWriter {
  /// Ends with events only of a session, the network or the application, not assigned to a call.
  func idleParts() -> Set<Int> {
    guard header.call == nil else { return [] }
    let ofCalls = parts.indices.filter { parts[$0].isEvidenceOfCall == true || parts[$0].namesCall }
    let measured = streams.map(\.part) + paths.map(\.part)
    return Set(parts.indices.filter { parts[$0].isEvidenceOfCall == false }.map(resolved))
      .subtracting((ofCalls + measured).map(resolved))
  }

  /// Adds a note about records that are no call.
  func noteIdle() {
    let (idle, ends) = (settled.idle, settled.ends)
    // A capture has the registrations of whoever is on the network.
    guard idle > 0, header.format?.isCapture != true else { return }
    let only = "only a session, the network or the application"
    ledger.add(
      note: idle < ends
        ? "\(idle) of \(Plural.of(ends, "end")) in it \(Plural.word(idle, "is", "are")) about no call, \(only)"
        : "nothing in it is about a call, \(only): \(Plural.of(eventCount, "event"))")
  }
}

extension PartRow {
  /// Whether it has the id of a call.
  fileprivate var namesCall: Bool {
    facts.call != nil || facts.identities.contains { $0.kind == .call }
  }
}
