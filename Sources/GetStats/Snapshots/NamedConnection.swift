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
    _ name: SnapshotName, _ ids: ConnectionIDs, _ connection: PeerConnection, _ facts: ConnectionFacts,
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
private struct ReplacedConnections {
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

/// Decides, after a gap in the snapshots of one name, whether they are still of the same connection.
///
/// A connection keeps its certificate, and its senders their SSRCs; the path's counters go on whatever its streams do.
/// Counters of streams alone are not evidence, as they are reset when a receiver stops and restarts.
private struct ReconnectDetector {
  /// Without path counters, streams alone are evidence only after a gap longer than this, ms.
  private static let longMs = 600_000.0

  /// The time of the last snapshot with a time.
  private(set) var lastMs: Double?
  /// The length of a gap that could not be interpreted yet, ms.
  private var openMs = 0.0
  private(set) var certificate: [UInt8] = []
  private var pathBytes: Double?
  private var hadPath = false

  /// Whether the open snapshot is of another connection than those before.
  mutating func isBroken(by connection: PeerConnection) -> Bool {
    let nowMs = connection.snapshotMs
    if let lastMs, let nowMs, nowMs - lastMs > LoggedEnd.silenceMs { openMs = nowMs - lastMs }
    guard openMs > 0, let isAnother = isAnother(connection) else { return false }
    openMs = 0
    return isAnother
  }

  /// Records a closed snapshot.
  mutating func note(_ connection: PeerConnection) {
    if let nowMs = connection.snapshotMs { lastMs = max(lastMs ?? nowMs, nowMs) }
    guard openMs == 0 else { return }
    if connection.path.pair != nil { hadPath = true }
    guard let transport = connection.path.transport else { return }
    pathBytes = Self.bytes(transport) ?? pathBytes
    // A connection keeps its certificate.
    if certificate.isEmpty { certificate = transport.bytes(.localCertificate) }
  }

  /// The certificate of the open snapshot if it is of another connection than those before, even without a gap: a
  /// connection keeps its certificate, and nothing of the previous snapshot is left.
  func otherCertificate(of connection: PeerConnection) -> [UInt8]? {
    guard !certificate.isEmpty, connection.differsFromLast else { return nil }
    var other: [UInt8]?
    for report in connection.presentReports where report.type == .transport || report.type == .googComponent {
      let own = report.bytes(.localCertificate)
      if own == certificate { return nil }
      if !own.isEmpty { other = own }
    }
    guard other != nil, !connection.hasKnownReport(where: { $0.type.isOfOnePath }),
      !connection.presentReports.contains(where: { $0.role.isStream && connection.knowsStream($0) })
    else { return nil }
    return other
  }

  /// Nil if the snapshot is inconclusive.
  private func isAnother(_ connection: PeerConnection) -> Bool? {
    var (known, new) = (StreamDirections(), StreamDirections())
    var (hasPath, isOtherCertificate) = (false, false)
    var nowBytes: Double?
    for report in connection.presentReports {
      switch report.role {
      case .transport, .googComponent:
        let own = report.bytes(.localCertificate)
        if !own.isEmpty, !certificate.isEmpty, own != certificate { isOtherCertificate = true }
        if let bytes = Self.bytes(report) { nowBytes = max(nowBytes ?? 0, bytes) }
      case .pair, .localCandidate, .remoteCandidate: hasPath = true
      case let role where role.isStream:
        let isKnown = connection.knowsStream(report)
        if isKnown { known.insert(role.isInbound) } else { new.insert(role.isInbound) }
      default: break
      }
    }
    if isOtherCertificate { return true }
    if !known.isEmpty { return false }
    let hadStreams = connection.hasStreams
    let isPathKnown = connection.hasKnownReport { $0.type.isOfOnePath }
    if hasPath, isPathKnown { return false }
    // The path of a sleeping connection is not remembered.
    let isOtherPath = hasPath && hadPath && connection.knownBefore > 0
    if isOtherPath, hadStreams, new.hasOutbound { return true }
    if let nowBytes, let pathBytes, pathBytes > 0 { return nowBytes < pathBytes }
    if isOtherPath { return true }
    guard hadStreams, !new.isEmpty else { return nil }
    return openMs > Self.longMs
  }

  private static func bytes(_ carrier: Report) -> Double? {
    guard let sent = carrier.number(.bytesSent), let received = carrier.number(.bytesReceived) else {
      return nil
    }
    return sent + received
  }
}

/// Directions of streams.
private struct StreamDirections {
  private(set) var hasInbound = false
  private(set) var hasOutbound = false

  var isEmpty: Bool { !hasInbound && !hasOutbound }

  mutating func insert(_ isInbound: Bool) {
    if isInbound { hasInbound = true } else { hasOutbound = true }
  }
}

extension ReportType {
  /// Whether two connections never share such a report.
  var isOfOnePath: Bool { self == .pair || self == .localCandidate || self == .remoteCandidate }
}

extension PeerConnection {
  /// Time of the open snapshot, by the poll's clock or that of its first report.
  fileprivate var snapshotMs: Double? {
    if !pollMs.isNaN { return pollMs }
    let own = presentReports.first { !$0.isOfFarEnd && ReportTime.isEpoch($0.timeMs) }
    return own?.timeMs
  }

  /// Whether there was any stream before the open snapshot.
  var hasStreams: Bool { !streamsBySSRC.isEmpty || !streamsById.isEmpty }

  /// Whether the open snapshot has a stream that existed before.
  fileprivate func knowsStream(_ report: Report) -> Bool {
    guard let ssrc = report.integer(.ssrc, as: UInt32.self) else { return streamsById[report.id] != nil }
    return streamsBySSRC[Self.key(ssrc, isInbound: report.role.isInbound)] != nil
  }
}
