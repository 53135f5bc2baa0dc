import Bytes
import CallModel

/// A connection with a name in its snapshots. After a page reload or a new call, the name may refer to another
/// connection: the one of the call at the time.
final class NamedConnection {
  let name: [UInt8]
  var ids: ConnectionIDs
  /// Where it is the latest connection: for its name and end, and for its name.
  var places: [LatestConnection] = []
  /// The current connection and, by call number, all connections so far.
  private(set) var connection: PeerConnection
  private var number: Int
  private var calls: [Int: PeerConnection]
  /// Connections that replaced each other within a call.
  private var replaced = ReplacedConnections()
  /// Its facts, except the number of the call.
  private var facts: ConnectionFacts
  private let logged: LoggedEnd
  private var silence = ReconnectDetector()
  /// Reports that arrived alone, waiting for others of their poll.
  private var rows = ReportRows()
  private let budget: PendingRows
  fileprivate var isWaiting = false
  /// Whether its name is certainly that of a connection, not of a poll.
  let isSure: Bool
  /// Number of other connections with as little identification.
  var besides = 0
  var context: RecordContext { connection.context }

  /// - Parameter facts: common to its calls; the name is the end's.
  init(
    _ name: ConnectionName, _ ids: ConnectionIDs, _ connection: PeerConnection, _ facts: ConnectionFacts,
    _ logged: LoggedEnd, _ budget: PendingRows
  ) {
    self.name = name.bytes
    isSure = name.basis == .name || name.bytes.isEmpty
    self.budget = budget
    self.ids = ids
    self.connection = connection
    self.facts = facts
    self.logged = logged
    number = 1
    calls = [1: connection]
  }

  /// Whether a line has exactly this identification, compared bytewise.
  @inline(__always)
  func isNamed(by head: SnapshotHead) -> Bool {
    Self.same(head.name, name) && Self.same(head.call, ids.call) && Self.same(head.endpoint, ids.endpoint)
  }

  private static func same(_ text: JSONText?, _ bytes: [UInt8]) -> Bool {
    guard let text else { return bytes.isEmpty }
    return text.hasEscapes ? text.decoded() == bytes : equal(bytes, text.bytes)
  }

  /// Adds a report that arrived alone.
  func add(_ row: ReportRow) throws {
    rows.add(row)
    try budget.take(row.size, of: self)
  }

  /// Reads the reports that arrived alone, poll by poll.
  func readRows() throws {
    guard !rows.rows.isEmpty else { return }
    let polls = rows.polls()
    budget.release(rows.size)
    rows = ReportRows()
    for poll in polls {
      guard let first = poll.first(where: { !$0.instantMs.isNaN }) ?? poll.first else { continue }
      try begin(pollMs: first.pollMs, atMs: first.ownMs.isNaN ? first.pollMs : first.ownMs, first.line)
      for row in poll { try row.report.withUnsafeBufferPointer { try parse($0, id: row.id) } }
      try endSnapshot()
    }
  }

  /// Opens a snapshot.
  func beginSnapshot(pollMs: Double, line: Int?) throws {
    try readRows()
    try begin(pollMs: pollMs, atMs: pollMs, line)
  }

  /// Reads a report into the open snapshot.
  func parse(_ report: UnsafeBufferPointer<UInt8>, id: [UInt8]) throws {
    var scanner = JSONScanner(report)
    try id.withUnsafeBufferPointer { try connection.parse(&scanner, id: $0) }
  }

  // A snapshot belongs to the call at its time.
  private func begin(pollMs: Double, atMs: Double, _ line: Int?) throws {
    let wanted = ids.call.isEmpty ? logged.number(atMs: atMs) : number
    if wanted != number, let call = try calls[wanted] ?? newCall(wanted, line) { turn(to: call, wanted) }
    connection.beginSnapshot(pollMs: pollMs, line: line)
  }

  /// Closes the snapshot; if it turns out to be of another connection, it is transferred to that one.
  func endSnapshot() throws {
    if ids.call.isEmpty, silence.isBroken(by: connection) {
      let next = max(number, logged.number(atMs: nil)) + 1
      if let call = try newCall(next, connection.line) {
        logged.noteCall(next, atMs: connection.snapshotMs)
        try connection.transfer(to: call)
        turn(to: call, next)
      }
    } else if ids.call.isEmpty, let other = silence.otherCertificate(of: connection) {
      try replace(by: other)
    }
    try connection.endSnapshot()
    silence.note(connection)
    if let lastMs = silence.lastMs { logged.noteStatistics(atMs: lastMs) }
  }

  /// Transfers the open snapshot to the connection with a certificate, created if it is new, in the same call according
  /// to this source.
  private func replace(by certificate: [UInt8]) throws {
    replaced.note(connection, of: number, silence.certificate)
    var next = replaced.known(in: number, certificate)
    if next == nil {
      next = try newCall(number, connection: replaced.count(in: number) + 1, connection.line)
      if let next { replaced.note(next, of: number, certificate) }
    }
    guard let next else { return }
    try connection.transfer(to: next)
    turn(to: next, number)
  }

  private func turn(to call: PeerConnection, _ number: Int) {
    connection = call
    calls[number] = call
    self.number = number
    silence = ReconnectDetector()
  }

  private func newCall(_ number: Int, connection place: Int = 1, _ line: Int?) throws -> PeerConnection? {
    guard try connection.context.takesConnection(line: line) else { return nil }
    let name = LoggedCall(of: facts.name, number: number, connection: place).name
    let call = PeerConnection(connection.context, name: name)
    call.facts = facts
    call.facts.name = name
    try call.introduce()
    return call
  }

  /// Emits the end's name, which was held back.
  func learn(name: ConnectionFacts) throws {
    facts.name = name.name
    var renamed = name
    renamed.name =
      LoggedCall(of: name.name, number: number, connection: replaced.place(of: connection, in: number)).name
    try context.sink.connection(connection.number, renamed)
  }
}

/// The memory of reports that arrived alone, over the connections of a source.
final class PendingRows {
  /// Unowned, as they retain this object, and the sink.
  private struct Pending {
    weak var connection: NamedConnection?
  }

  private var waiting: [Pending] = []
  private var size = 0
  private var isOver = false

  fileprivate func take(_ size: Int, of connection: NamedConnection) throws {
    if !connection.isWaiting { waiting.append(Pending(connection: connection)) }
    connection.isWaiting = true
    self.size += size
    guard self.size > ReportRows.maxBytes else { return }
    if !isOver {
      try connection.context.sink.note(
        "more reports came one at a time than are sorted at once: those further apart than that are not joined"
      )
    }
    isOver = true
    try readAll()
  }

  fileprivate func release(_ size: Int) { self.size -= size }

  /// Reads all waiting reports.
  func readAll() throws {
    let ready = waiting
    waiting = []
    for one in ready {
      one.connection?.isWaiting = false
      try one.connection?.readRows()
    }
  }
}

/// The connections of one name that replaced each other within a call, by certificate: one that failed and was
/// recreated, or one of the next call, if only another source shows that there was one.
struct ReplacedConnections {
  private struct Key: Hashable {
    var call: Int
    var certificate: [UInt8]
  }

  private var connections: [Key: (connection: PeerConnection, place: Int)] = [:]
  /// Number of connections by call number.
  private var counts: [Int: Int] = [:]

  /// Adds a connection, unless it is known.
  mutating func note(_ connection: PeerConnection, of call: Int, _ certificate: [UInt8]) {
    let key = Key(call: call, certificate: certificate)
    guard connections[key] == nil else { return }
    counts[call, default: 0] += 1
    connections[key] = (connection, count(in: call))
  }

  /// The number of connections of a call.
  func count(in call: Int) -> Int { counts[call] ?? 0 }

  /// The connection of a call with this certificate.
  func known(in call: Int, _ certificate: [UInt8]) -> PeerConnection? {
    connections[Key(call: call, certificate: certificate)]?.connection
  }

  /// Its index among those of a call.
  func place(of connection: PeerConnection, in call: Int) -> Int {
    connections.first { $0.key.call == call && $0.value.connection === connection }?.value.place ?? 1
  }
}
