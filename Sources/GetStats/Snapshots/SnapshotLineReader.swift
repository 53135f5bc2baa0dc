import Bytes
import CallModel

/// Reads getStats snapshots, one per line: `{"ts","pc","report":{…}}`, or in any other wrapper; or one report per line:
/// `{"id","type","timestamp",…}`.
public struct SnapshotLineReader {
  private var walk: SnapshotWalk
  private var loose = LenientSnapshot()
  /// Whether there were single reports on lines, among which there may be unknown types.
  private var hasRows = false
  /// Whether lines with the names of statistics but without reports are counted, rather than left to other readers.
  private let countsOthers: Bool

  /// A reader that passes its records to the sink.
  ///
  /// - Parameters:
  /// - isAmidText: whether the lines are from the log of any application, where names of reports are common words.
  /// - ends: the ends of the log, shared with the reader of its events.
  public init(
    sink: any RecordSink, options: ReaderOptions = ReaderOptions(), isAmidText: Bool = false,
    ends: LoggedEnds? = nil
  ) {
    self.init(RecordContext(sink: sink, options: options), isAmidText: isAmidText, ends: ends)
  }

  init(_ context: RecordContext, isAmidText: Bool, ends: LoggedEnds?) {
    countsOthers = !isAmidText
    walk = SnapshotWalk(context, ends: ends)
  }

  /// Reads a line if it is a snapshot; false if it is other JSON.
  ///
  /// Throws `SourceError` (`not-json`, with line and byte of the source) if it is not JSON, and the errors of the sink.
  public mutating func line(_ bytes: UnsafeBufferPointer<UInt8>, number: Int, offset: Int) throws -> Bool {
    do {
      return try take(bytes, number)
    } catch let error as JSONError {
      throw SourceError(.notJSON, error.reason, byte: offset + error.byte, line: number)
    }
  }

  /// Ends the input.
  public mutating func finish() throws {
    try loose.close()
    try walk.connections.finish()
  }

  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ number: Int) throws -> Bool {
    var scanner = JSONScanner(bytes)
    let kind = try scanner.peek()
    guard kind == .object else { return try kind == .array && list(&scanner, bytes, number) }
    var head = SnapshotHead()
    var reports: JSONScanner?
    var isTick = false
    // Nearly always the report comes last: then it is read in place, and only once.
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "report", "reports", "stats", "getStats":
        if try scanner.peek() == .string, let opened = try QuotedReports.opened(bytes) {
          return try opened.withUnsafeBufferPointer { try take($0, number) }
        }
        if head.name != nil, !head.timeMs.isNaN, reports == nil, let known = walk.connections.known(head) {
          let place = scanner
          let isReported = try snapshot(&scanner, known, head, number)
          while let key = try scanner.nextKey() { try head.take(key, &scanner) }
          try scanner.finish()
          if !known.isNamed(by: head) { try walk.connections.learn(head, of: known) }
          return try isReported || search(bytes, place, head, number)
        }
        if reports == nil { reports = scanner }
        try scanner.skip()
      case "peerConnections":
        isTick = true
        if reports == nil { reports = scanner }
        try scanner.skip()
      default: try head.take(key, &scanner)
      }
    }
    try scanner.finish()
    guard var place = reports else {
      return try report(bytes, head, number) || search(bytes, nil, head, number)
    }
    let isNamed = head.name != nil || head.peer != nil || head.marks.id == nil
    guard isNamed, !isTick, try SnapshotShapes.isPlain(place) else {
      return try search(bytes, reports, head, number)
    }
    guard let connection = try connection(for: head, number, reports: place) else { return true }
    return try snapshot(&place, connection, head, number) || search(bytes, reports, head, number)
  }

  /// Reads a line that is a list of reports.
  private mutating func list(
    _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>, _ number: Int
  ) throws -> Bool {
    try scanner.skip()
    try scanner.finish()
    return try search(bytes, nil, SnapshotHead(), number)
  }

  /// Reads a line that is a single report; false if it is not one.
  private mutating func report(
    _ bytes: UnsafeBufferPointer<UInt8>, _ head: SnapshotHead, _ number: Int
  ) throws -> Bool {
    let marks = head.marks
    guard let id = marks.id, let type = marks.type, marks.hasTimestamp,
      loose.isOpen || hasRows || ReportType.names(type, id: id)
    else { return false }
    let name = id.decoded()
    // Its own time is the line's.
    if let row = try ReportRow(bytes, id: name, pollMs: .nan, line: number) {
      try loose.close()
      hasRows = true
      try connection(for: head, number)?.add(row)
      return true
    }
    try loose.makeRoom(for: name)
    if !loose.isOpen, let connection = try connection(for: head, number) {
      loose.begin(connection, line: number)
    }
    try loose.add(bytes, id: name)
    return true
  }

  /// Reads the next reports as one snapshot. False if it contains none, unless it is empty.
  private mutating func snapshot(
    _ scanner: inout JSONScanner, _ one: NamedConnection, _ head: SnapshotHead, _ number: Int
  ) throws -> Bool {
    try loose.close()
    if head.lacksZone { try walk.connections.context.noteMissingZone() }
    try one.beginSnapshot(pollMs: head.timeMs, line: number)
    let start = scanner
    try SnapshotShapes.read(&scanner, into: one.connection)
    let isReported = one.connection.presentReports.contains { !$0.typeName.isEmpty }
    try one.endSnapshot()
    return try isReported || SnapshotShapes.isEmpty(start)
  }

  /// Searches a line for reports. `place` is where they should be.
  private mutating func search(
    _ bytes: UnsafeBufferPointer<UInt8>, _ place: JSONScanner?, _ head: SnapshotHead, _ number: Int
  ) throws -> Bool {
    guard try ReportSearch.holdsReport(bytes) else {
      guard let place, !head.isEvent else {
        return try countsOthers
          && (SnapshotShapes.isEmpty(JSONScanner(bytes))
            || !head.timeMs.isNaN && !head.isEvent && SnapshotShapes.hasEmptyParts(JSONScanner(bytes)))
      }
      // Before there is media it is empty; an unknown structure is not.
      if try ReportSearch.isBlank(place) { return true }
      if countsOthers { try walk.reject(1, SnapshotWalk.Place(line: number)) }
      return countsOthers
    }
    try loose.close()
    return try walk.take(bytes, SnapshotWalk.Place(line: number))
  }

  /// Nil if there are too many. Without a name, the connection is found by its reports.
  private mutating func connection(
    for head: SnapshotHead, _ number: Int, reports: JSONScanner? = nil
  ) throws -> NamedConnection? {
    var name = SnapshotName(bytes: (head.name ?? head.peer)?.decoded() ?? [])
    let facts = head.facts(within: ConnectionFacts())
    if name.bytes.isEmpty, let reports {
      name = try walk.connections.nameless(facts, atMs: head.timeMs) { try SnapshotStreams(reports) }
    }
    return try walk.connections.connection(name, facts, line: number)
  }
}
