import Bytes
import CallModel
import IO

/// Reads goog-* statistics as printed by Kandy Link's mobile SDK: `id: …, type: …, timestamp: …, values: ( "name:
/// value", … )`, or on one line `values: [name: value], [name: value]`. Comments, page headers and line breaks may
/// occur anywhere in between.
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

  /// Reads the whole source. Throws `SourceError`.
  mutating func read(_ source: any ByteSource) throws {
    try LineReader.each(of: source, longest: context.options.longestLine, for: context.sink) {
      bytes, line, _ in
      _ = try self.line(bytes, number: line)
    }
    try finish()
    if taken == 0 { throw SourceError(.notAFormat, "the text holds no statistics entry") }
  }

  /// Reads a line if it is part of an entry; other lines are left to the caller.
  mutating func line(_ bytes: UnsafeBufferPointer<UInt8>, number: Int) throws -> Bool {
    if entries.isOutside, !GoogTextEntries.mayBegin(bytes) { return false }
    let line = entries.take(String(decoding: bytes, as: UTF8.self), number)
    for entry in line.ended { try add(entry) }
    return line.isPart
  }

  /// Ends the input.
  mutating func finish() throws {
    if let last = entries.finish() { try add(last) }
    try give()
    for connection in connections.values.sorted(by: { $0.number < $1.number }) { try connection.emitChecks() }
  }

  /// A repeated id begins the next snapshot.
  private mutating func add(_ entry: GoogTextEntry) throws {
    if ids.contains(entry.id) || snapshot.count >= context.options.reportsPerSnapshot { try give() }
    ids.insert(entry.id)
    snapshot.append(entry)
    taken += 1
  }

  private mutating func give() throws {
    guard let first = snapshot.first else { return }
    // In libjingle each session is a connection with a number.
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

  /// Nil if there are too many.
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
