import Bytes
import CallModel

/// The connections of a source of snapshots, by the names that their snapshots give.
struct SnapshotConnections {
  let context: RecordContext
  /// What is known of every connection of which its snapshots say nothing else.
  var facts = ConnectionFacts()
  private var known: [[UInt8]: PeerConnection] = [:]
  private var last: (name: [UInt8], connection: PeerConnection)?
  /// The latest connections whose names might as well be those of polls.
  private var unsure: [(name: ConnectionName, connection: PeerConnection)] = []
  /// One whose name was not told yet, as it never came again and there was no other.
  private var untold: (name: [UInt8], connection: PeerConnection)?
  private static let mostUnsure = 64

  init(_ context: RecordContext) { self.context = context }

  /// The connection of a name, if there is one.
  mutating func named(_ name: [UInt8]) throws -> PeerConnection? {
    if let last, last.name == name { return last.connection }
    guard let connection = known[name] else { return nil }
    last = (name, connection)
    return connection
  }

  /// The same, made if it is new; nil where there are too many.
  mutating func connection(
    _ name: ConnectionName, _ own: ConnectionFacts, line: Int?
  ) throws -> PeerConnection? {
    if let connection = try named(name.bytes) { return connection }
    guard try context.takesConnection(line: line) else { return nil }
    let isUnsure = name.basis != .name && !name.bytes.isEmpty
    // One alone may be a message that has an id.
    let waits = name.basis == .id && unsure.isEmpty
    let text = name.bytes.isEmpty || waits ? nil : String(decoding: name.bytes, as: UTF8.self)
    let connection = PeerConnection(context, name: text)
    connection.facts.endpoint = own.endpoint ?? (isUnsure ? nil : text)
    connection.facts.call = own.call
    connection.facts.sdk = own.sdk
    connection.facts.userAgent = own.userAgent
    if !isUnsure, let text { connection.facts.identities.insert(Identity(.connection, text)) }
    try connection.introduce()
    known[name.bytes] = connection
    guard isUnsure else {
      last = (name.bytes, connection)
      return connection
    }
    try tell()
    if waits { untold = (name.bytes, connection) }
    if unsure.count == Self.mostUnsure { unsure.removeFirst() }
    unsure.append((name, connection))
    return connection
  }

  /// Tells the name that waited.
  private mutating func tell() throws {
    guard let (name, connection) = untold else { return }
    untold = nil
    var facts = ConnectionFacts()
    facts.name = String(decoding: name, as: UTF8.self)
    try context.sink.connection(connection.number, facts)
  }

  /// Of which connection reports are that stand under a name, or have an id, that may be a poll's.
  ///
  /// What comes later and tells of the same streams is the next poll; what tells of others at the same time is beside it.
  mutating func owner(
    _ name: ConnectionName, within around: ConnectionName, seen: () throws -> StreamsSeen
  ) throws -> ConnectionName {
    if known[name.bytes] != nil {
      if untold?.name == name.bytes { try tell() }
      return name
    }
    let seen = try seen()
    if name.basis == .number {
      guard let connection = known[around.bytes], seen.isBeside(connection) else { return around }
      return name
    }
    return unsure.last { seen.isLater($0.connection) }?.name ?? name
  }
}
