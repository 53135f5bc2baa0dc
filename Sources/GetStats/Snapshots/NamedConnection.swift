import Bytes
import CallModel

/// A connection as its snapshots name it. Under one name another one may come, where a page was loaded again or the next call
/// began; then the name is of the call that the instant belongs to.
final class NamedConnection {
  let name: [UInt8]
  var ids: ConnectionIDs
  /// Where it is remembered as the one that came last: among those of its name and end, and of its name.
  var places: [LatestConnection] = []
  /// The one that is meant now, and by the number of the call all that there were.
  private(set) var connection: PeerConnection
  private var number: Int
  private var calls: [Int: PeerConnection]
  /// Those that took each other's place within a call.
  private var replaced = ReplacedConnections()
  /// Who it is, but for the number of the call.
  private var facts: ConnectionFacts
  private let logged: LoggedEnd
  private var silence = ReconnectDetector()
  /// Reports that came alone and wait for others of their poll.
  private var rows = ReportRows()
  private let budget: PendingRows
  fileprivate var isWaiting = false
  /// Whether its name is that of a connection, and could not be that of a poll.
  let isSure: Bool
  /// How many others there are that say as little of whose they are.
  var besides = 0
  var context: RecordContext { connection.context }

  /// - Parameter facts: what its calls have in common; the name is the end's.
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

  /// Whether a line says just this, no more and no less; compared as it stands.
  @inline(__always)
  func isNamed(by head: SnapshotHead) -> Bool {
    Self.same(head.name, name) && Self.same(head.call, ids.call) && Self.same(head.endpoint, ids.endpoint)
  }

  private static func same(_ text: JSONText?, _ bytes: [UInt8]) -> Bool {
    guard let text else { return bytes.isEmpty }
    return text.hasEscapes ? text.decoded() == bytes : equal(bytes, text.bytes)
  }

  /// Takes a report that came alone.
  func add(_ row: ReportRow) throws {
    rows.add(row)
    try budget.take(row.size, of: self)
  }

  /// Reads the reports that came alone, poll by poll.
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

  // A snapshot is of the call that was going on then.
  private func begin(pollMs: Double, atMs: Double, _ line: Int?) throws {
    let wanted = ids.call.isEmpty ? logged.number(atMs: atMs) : number
    if wanted != number, let call = try calls[wanted] ?? newCall(wanted, line) { turn(to: call, wanted) }
    connection.beginSnapshot(pollMs: pollMs, line: line)
  }

  /// Closes the snapshot; where it shows that the connection is another one than before, that one is told of it.
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

  /// Gives the open snapshot to the connection of a certificate, made if it is new: of the same call, as far as this source tells.
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

  /// Tells the end's name, which waited.
  func learn(name: ConnectionFacts) throws {
    facts.name = name.name
    var told = name
    told.name =
      LoggedCall(of: name.name, number: number, connection: replaced.place(of: connection, in: number)).name
    try context.sink.connection(connection.number, told)
  }
}

/// What the reports that came alone take of memory, over the connections of a source.
final class PendingRows {
  /// Not their owner: they hold it, and the sink.
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

  /// Reads all that wait.
  func readAll() throws {
    let ready = waiting
    waiting = []
    for one in ready {
      one.connection?.isWaiting = false
      try one.connection?.readRows()
    }
  }
}

/// The connections of one name that took each other's place within a call, by their certificates: one that failed and was made
/// anew, or the next call's, where only another source tells that there was one.
struct ReplacedConnections {
  private struct Key: Hashable {
    var call: Int
    var certificate: [UInt8]
  }

  private var connections: [Key: (connection: PeerConnection, place: Int)] = [:]
  /// How many there are, by the number of the call.
  private var counts: [Int: Int] = [:]

  /// Takes one over; one that is known stays what it is.
  mutating func note(_ connection: PeerConnection, of call: Int, _ certificate: [UInt8]) {
    let key = Key(call: call, certificate: certificate)
    guard connections[key] == nil else { return }
    counts[call, default: 0] += 1
    connections[key] = (connection, count(in: call))
  }

  /// How many a call had.
  func count(in call: Int) -> Int { counts[call] ?? 0 }

  /// The one that a call had with this certificate.
  func known(in call: Int, _ certificate: [UInt8]) -> PeerConnection? {
    connections[Key(call: call, certificate: certificate)]?.connection
  }

  /// Its place among those of a call.
  func place(of connection: PeerConnection, in call: Int) -> Int {
    connections.first { $0.key.call == call && $0.value.connection === connection }?.value.place ?? 1
  }
}
