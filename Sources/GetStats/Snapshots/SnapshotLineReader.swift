import Bytes
import CallModel

/// Reads getStats snapshots, one a line: `{"ts","pc","report":{…}}`, or a tick `{"timestamp","peerConnections":[[id,[…]]]}`; or
/// reports, one a line: `{"id","type","timestamp",…}`.
public struct SnapshotLineReader {
  private let context: RecordContext
  private var connections: [[UInt8]: PeerConnection] = [:]
  private var fallbackName: [UInt8] = []
  /// What is known of every connection of which its snapshots say nothing else.
  var facts = ConnectionFacts()
  private var last: (name: [UInt8], connection: PeerConnection)?
  private var loose = LooseSnapshot()

  /// A reader that gives its records to the sink.
  public init(sink: any RecordSink, options: ReaderOptions = ReaderOptions()) {
    context = RecordContext(sink: sink, options: options)
  }

  init(context: RecordContext) { self.context = context }

  /// Takes a line if it is a snapshot; false if it is JSON of another kind.
  ///
  /// Throws `SourceError` (`not-json`, with line and byte of the source) where it is no JSON at all, and what the sink throws.
  public mutating func line(_ bytes: UnsafeBufferPointer<UInt8>, number: Int, offset: Int) throws -> Bool {
    try line(bytes, number: number, offset: offset, name: [])
  }

  /// The same with a name for the connection of a snapshot that does not name its own.
  mutating func line(
    _ bytes: UnsafeBufferPointer<UInt8>, number: Int, offset: Int, name: [UInt8]
  ) throws -> Bool {
    do {
      fallbackName = name
      return try take(bytes, number, Head(facts: facts))
    } catch let error as JSONError {
      throw SourceError(.notJSON, error.reason, byte: offset + error.byte, line: number)
    }
  }

  /// Says that no more lines come.
  public mutating func finish() throws { try loose.close() }

  private struct Head {
    var timeMs = Double.nan
    var name: JSONText?
    var facts = ConnectionFacts()
    var reports: JSONScanner?
    var ticks: JSONScanner?
    /// What a report says of itself: its id, its type, and whether it has the time as a report has it.
    var id: JSONText?
    var type: JSONText?
    var hasTimestamp = false
    /// Whether it is one of a list of snapshots: then it has no such list in it again.
    var isListed = false
  }

  /// `around` is what stands beside the list that the snapshot is in.
  private mutating func take(
    _ bytes: UnsafeBufferPointer<UInt8>, _ number: Int, _ around: Head
  ) throws -> Bool {
    var scanner = JSONScanner(bytes)
    guard try scanner.peek() == .object else { return false }
    var head = around
    // Nearly always the report comes last: then it is read where it stands, and only once.
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "report", "reports", "stats", "getStats":
        let kind = try scanner.peek()
        guard kind == .object || kind == .array, head.reports == nil else { fallthrough }
        if head.name != nil, !head.timeMs.isNaN {
          try snapshot(&scanner, head, number)
          while try scanner.nextKey() != nil { try scanner.skip() }
          try scanner.finish()
          return true
        }
        head.reports = scanner
        try scanner.skip()
      default: try member(key, &scanner, &head)
      }
    }
    try scanner.finish()
    if var ticks = head.ticks {
      try readTicks(&ticks, head, number)
      return true
    }
    guard var reports = head.reports else { return try report(bytes, head, number) }
    try snapshot(&reports, head, number)
    return true
  }

  /// Takes a report that has a line of its own; false if it is none.
  private mutating func report(
    _ bytes: UnsafeBufferPointer<UInt8>, _ head: Head, _ number: Int
  ) throws -> Bool {
    guard let id = head.id, let type = head.type, head.hasTimestamp,
      loose.isOpen || ReportType.names(type, id: id)
    else { return false }
    let name = id.decoded()
    try loose.makeRoom(for: name)
    if !loose.isOpen, let connection = try connection(for: head, number) {
      loose.begin(connection, line: number)
    }
    try loose.add(bytes, id: name)
    return true
  }

  /// Whether what is called reports are snapshots with their times beside them.
  private func isList(_ reports: JSONScanner) throws -> Bool {
    var scanner = reports
    guard try scanner.peek() == .array else { return false }
    try scanner.beginArray()
    guard try scanner.nextElement(), try scanner.peek() == .object else { return false }
    if case .wrapped = try SnapshotShape(scanner.skip()) { return true }
    return false
  }

  private mutating func readList(_ scanner: inout JSONScanner, _ head: Head, _ number: Int) throws {
    try scanner.beginArray()
    while try scanner.nextElement() {
      var one = head
      (one.timeMs, one.reports, one.isListed) = (.nan, nil, true)
      if try !take(scanner.skip(), number, one) { try reject(number) }
    }
  }

  private func reject(_ number: Int) throws {
    try context.sink.reject(Reject("a snapshot in which no report is found", line: number))
  }

  /// Reads the reports that come next as one snapshot of the connection that the head names.
  private mutating func snapshot(_ scanner: inout JSONScanner, _ head: Head, _ number: Int) throws {
    guard let connection = try connection(for: head, number) else {
      try scanner.skip()
      return
    }
    try loose.close()
    connection.beginSnapshot(pollMs: head.timeMs, line: number)
    var start = scanner
    try SnapshotShapes.read(&scanner, into: connection)
    let isEmpty = connection.presentReports.isEmpty
    try connection.endSnapshot()
    // Nothing is told before media; something that nobody understands is not nothing.
    guard isEmpty, try !SnapshotShapes.isEmpty(start) else { return }
    if try !head.isListed && isList(start) { try readList(&start, head, number) } else { try reject(number) }
  }

  private func member(_ key: JSONText, _ scanner: inout JSONScanner, _ head: inout Head) throws {
    switch key {
    case "id" where try scanner.peek() == .string: head.id = try scanner.string()
    case "type" where try scanner.peek() == .string: head.type = try scanner.string()
    case "ts", "t", "time", "timestamp", "timestamp_us", "timestampUs":
      // A long name is that of a report.
      if key.bytes.count > 4 { head.hasTimestamp = true }
      if let time = try ReportTime.read(&scanner), head.timeMs.isNaN { head.timeMs = time }
    case "pc", "peerConnectionId", "pcId", "connection":
      if try scanner.peek() == .string { head.name = try scanner.string() } else { try scanner.skip() }
    case "peerConnections" where try scanner.peek() == .array:
      head.ticks = scanner
      try scanner.skip()
    default: if try !head.facts.take(key, &scanner) { try scanner.skip() }
    }
  }

  /// `[["pc-1",[report…]],…]`, or an array of objects with a name and reports.
  private mutating func readTicks(_ scanner: inout JSONScanner, _ head: Head, _ number: Int) throws {
    try scanner.beginArray()
    while try scanner.nextElement() {
      guard try scanner.peek() == .array else {
        try scanner.skip()
        continue
      }
      var one = head
      one.name = nil
      try scanner.beginArray()
      while try scanner.nextElement() {
        switch try scanner.peek() {
        case .string where one.name == nil: one.name = try scanner.string()
        case .array, .object: try snapshot(&scanner, one, number)
        default: try scanner.skip()
        }
      }
    }
  }

  /// Nil where there are too many.
  private mutating func connection(for head: Head, _ number: Int) throws -> PeerConnection? {
    let name = head.name?.decoded() ?? fallbackName
    if let last, last.name == name { return last.connection }
    if let known = connections[name] {
      last = (name, known)
      return known
    }
    guard try context.takesConnection(line: number) else { return nil }
    let connection = PeerConnection(context, name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
    connection.facts.endpoint = head.facts.endpoint ?? connection.facts.name
    connection.facts.call = head.facts.call
    connection.facts.sdk = head.facts.sdk
    connection.facts.userAgent = head.facts.userAgent
    if let name = connection.facts.name { connection.facts.identities.insert(Identity(.connection, name)) }
    try connection.introduce()
    connections[name] = connection
    last = (name, connection)
    return connection
  }
}
