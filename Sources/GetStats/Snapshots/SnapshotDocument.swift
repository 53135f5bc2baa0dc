import Bytes
import CallModel

/// Reads a JSON file of one or many getStats snapshots, whatever they are wrapped in, with one value in memory at a time.
///
/// A report alone belongs to the open snapshot; a report whose id the open snapshot already holds begins the next one. Wrapped
/// snapshots (`{"ts","pc","report"}`, ticks) are those of `SnapshotLineReader`.
struct SnapshotDocument {
  private let context: RecordContext
  private let stream: JSONStream
  private var lines: SnapshotLineReader
  /// Connections of snapshots that do not name theirs, by the member they were found under.
  private var connections: [[UInt8]: PeerConnection] = [:]
  private var loose = LooseSnapshot()
  /// Time and name that stand beside the reports rather than around them.
  private var pollMs = Double.nan
  private var snapshots = 0

  init(_ source: any ByteSource, into sink: any RecordSink, options: ReaderOptions) {
    context = RecordContext(sink: sink, options: options)
    lines = SnapshotLineReader(context: context)
    stream = JSONStream(source, longestValue: options.longestValue)
  }

  /// Reads all of it. Throws `SourceError`.
  mutating func read() throws {
    while try !stream.isAtEnd() {
      switch try stream.peek() {
      case .array: try array(under: [])
      case .object: try object()
      default: _ = try stream.value()
      }
      try loose.close()
    }
    if snapshots == 0 { throw SourceError(.notAFormat, "the JSON holds no getStats report") }
  }

  private mutating func object() throws {
    try stream.beginObject()
    while let key = try stream.nextKey() {
      switch try stream.peek() {
      case .array: try array(under: key)
      case .object:
        let offset = stream.offset
        try member(try stream.value(), key, offset)
      default:
        try beside(key, try stream.value())
      }
    }
  }

  /// Takes what stands beside the snapshots: when they were taken, and whose they are.
  private mutating func beside(_ key: [UInt8], _ value: UnsafeBufferPointer<UInt8>) throws {
    var scanner = JSONScanner(value)
    if ["ts", "t", "time", "timestamp"].contains(String(decoding: key, as: UTF8.self)) {
      pollMs = try ReportTime.read(&scanner) ?? pollMs
    } else {
      _ = try key.withUnsafeBufferPointer { try lines.facts.take(JSONText(escaped: $0), &scanner) }
    }
  }

  private mutating func array(under key: [UInt8]) throws {
    try stream.beginArray()
    while try stream.nextElement() {
      let offset = stream.offset
      try element(try stream.value(), key, offset)
    }
  }

  /// A member of the outermost object: a report by its id, a snapshot, or something with snapshots in it.
  private mutating func member(_ value: UnsafeBufferPointer<UInt8>, _ key: [UInt8], _ offset: Int) throws {
    switch try SnapshotShape(value) {
    case .report:
      try report(value, id: key)
    default: try element(value, SnapshotShape.isContainerName(key) ? [] : key, offset)
    }
  }

  private mutating func element(_ value: UnsafeBufferPointer<UInt8>, _ key: [UInt8], _ offset: Int) throws {
    var scanner = JSONScanner(value)
    let name = SnapshotShape.isContainerName(key) ? [] : key
    switch try SnapshotShape(value) {
    case .report: try report(value, id: try SnapshotShape.id(of: value) ?? [])
    case .entry:
      try openIfNeeded(name)
      if let open = loose.connection { try SnapshotShapes.readElement(&scanner, into: open) }
    case .snapshot:
      try loose.close()
      snapshots += 1
      guard let connection = try connection(name) else { return }
      connection.beginSnapshot(pollMs: .nan)
      try SnapshotShapes.read(&scanner, into: connection)
      try connection.endSnapshot()
    case .wrapped:
      try loose.close()
      if try lines.line(value, number: 1, offset: offset, name: name) { snapshots += 1 }
    case .list:
      // Lists in lists: one level of recursion for each, so only as deep as snapshots are ever wrapped.
      try nested(&scanner, name, offset)
    case .other: break
    }
  }

  private mutating func nested(_ scanner: inout JSONScanner, _ name: [UInt8], _ offset: Int) throws {
    try scanner.beginArray()
    while try scanner.nextElement() {
      let value = try scanner.skip()
      switch try SnapshotShape(value) {
      case .list, .other: continue
      default: try element(value, name, offset)
      }
    }
    try loose.close()
  }

  private mutating func report(_ value: UnsafeBufferPointer<UInt8>, id: [UInt8]) throws {
    try loose.makeRoom(for: id)
    try openIfNeeded([])
    try loose.add(value, id: id)
  }

  private mutating func openIfNeeded(_ name: [UInt8]) throws {
    guard !loose.isOpen else { return }
    snapshots += 1
    if let connection = try connection(name) { loose.begin(connection, pollMs: pollMs) }
  }

  /// Nil where there are too many.
  private mutating func connection(_ name: [UInt8]) throws -> PeerConnection? {
    if let known = connections[name] { return known }
    guard try context.takesConnection() else { return nil }
    let text = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    let connection = PeerConnection(context, name: text)
    connection.facts = lines.facts
    connection.facts.name = text
    try connection.introduce()
    connections[name] = connection
    return connection
  }
}
