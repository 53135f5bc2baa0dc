import Bytes
import CallModel
import IO

/// Reads goog-* statistics as Kandy Link's mobile SDK prints them: `id: …, type: …, timestamp: …, values: ( "name: value", … )`,
/// or on one line `values: [name: value], [name: value]`. Comments, page furniture and line breaks may stand anywhere between.
struct GoogTextReader {
  private let context: RecordContext
  private var entries = GoogTextEntries()
  private var snapshot: [GoogTextEntry] = []
  private var ids: Set<String> = []
  private var connections: [String: PeerConnection] = [:]
  private var taken = 0

  /// Whether any entry was read.
  var hasTaken: Bool { taken > 0 }

  init(_ context: RecordContext) { self.context = context }

  /// Reads all of it. Throws `SourceError`.
  mutating func read(_ source: any ByteSource) throws {
    var lines = LineReader(source, longestLine: context.options.longestLine)
    while try lines.next({ bytes, line, _ in _ = try self.line(bytes, number: line) }) {
      if let long = lines.tooLong {
        try context.sink.reject(
          .line(longerThan: context.options.longestLine, line: long.line, byte: long.offset))
      }
    }
    try finish()
    if taken == 0 { throw SourceError(.notAFormat, "the text holds no statistics entry") }
  }

  /// Takes a line if it is a part of an entry; what stands between is left to others.
  mutating func line(_ bytes: UnsafeBufferPointer<UInt8>, number: Int) throws -> Bool {
    if entries.isOutside, !GoogTextEntries.mayBegin(bytes) { return false }
    let line = entries.take(String(decoding: bytes, as: UTF8.self), number)
    for entry in line.ended { try add(entry) }
    return line.isPart
  }

  /// Says that no more lines come.
  mutating func finish() throws {
    if let last = entries.finish() { try add(last) }
    try give()
    for connection in connections.values.sorted(by: { $0.number < $1.number }) { try connection.emitChecks() }
  }

  /// An entry whose id was there already begins the next snapshot.
  private mutating func add(_ entry: GoogTextEntry) throws {
    if ids.contains(entry.id) || snapshot.count >= context.options.reportsPerSnapshot { try give() }
    ids.insert(entry.id)
    snapshot.append(entry)
    taken += 1
  }

  private mutating func give() throws {
    guard let first = snapshot.first else { return }
    // libjingle makes one session a connection, with a number of its own.
    let session = snapshot.first { $0.type == "googLibjingleSession" }?.id ?? ""
    defer {
      snapshot.removeAll()
      ids.removeAll()
    }
    guard let connection = try connection(session, first.line) else { return }
    connection.beginSnapshot(pollMs: .nan, line: first.line)
    for entry in snapshot {
      if entry.leftOut > 0 {
        try context.sink.reject(
          .beyond(GoogTextEntry.maxValues, "values in one entry", count: entry.leftOut))
      }
      try entry.json.withUnsafeBufferPointer { bytes in
        var scanner = JSONScanner(bytes)
        try Array(entry.id.utf8).withUnsafeBufferPointer { try connection.parse(&scanner, id: $0) }
      }
    }
    try connection.endSnapshot()
  }

  /// Nil where there are too many.
  private mutating func connection(_ session: String, _ line: Int) throws -> PeerConnection? {
    if let known = connections[session] { return known }
    guard try context.takesConnection(line: line) else { return nil }
    let connection = PeerConnection(context, name: session.isEmpty ? nil : session)
    connection.facts.sdk = "kandy-link"
    if !session.isEmpty { connection.facts.identities.insert(Identity(.session, session)) }
    try connection.introduce()
    connections[session] = connection
    return connection
  }
}
