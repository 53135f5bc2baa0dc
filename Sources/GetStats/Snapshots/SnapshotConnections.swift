import CallModel

/// The connections of a source of snapshots, by their names.
struct SnapshotConnections {
  let context: RecordContext
  private var named = NamedConnections()
  /// The latest connections whose names might be those of polls.
  private var unsure: [(name: SnapshotName, one: NamedConnection)] = []
  /// A connection whose name was not emitted yet, as it occurred only once and is the only one.
  private var withheld: (name: [UInt8], one: NamedConnection)?
  private static let maxUnsure = 64
  /// The ends of the log, shared with other readers.
  private let ends: LoggedEnds?
  /// Reports that arrived one at a time.
  let rows = PendingRows()

  init(_ context: RecordContext, ends: LoggedEnds? = nil) {
    self.context = context
    self.ends = ends
  }

  /// Reads all waiting reports. Call it at the end.
  func finish() throws {
    try rows.readAll()
    for one in named.withoutCall where one.isSure {
      guard let call = ends?.calls.settled(String(decoding: one.name, as: UTF8.self)) else { continue }
      var own = ConnectionFacts()
      own.call = call
      try context.sink.connection(one.connection.number, own)
    }
    try context.finish()
  }

  /// The connection with exactly the identification of a line, if there is one.
  mutating func known(_ head: SnapshotHead) -> NamedConnection? { named.exactly(head) }

  /// Adds the identification that follows a connection's reports in a line.
  mutating func learn(_ head: SnapshotHead, of one: NamedConnection) throws {
    let own = head.facts(within: ConnectionFacts())
    try learn(one.isSure ? settled(own, one.name) : own, of: one)
  }

  private mutating func learn(_ own: ConnectionFacts, of one: NamedConnection) throws {
    guard named.learn(ConnectionIDs(own), of: one) else { return }
    var more = ConnectionFacts()
    more.call = own.call
    more.endpoint = own.endpoint
    more.person = own.person
    try context.sink.connection(one.connection.number, more)
  }

  /// The identification of a line, with the call that its connection has.
  private func settled(_ stated: ConnectionFacts, _ name: [UInt8]) -> ConnectionFacts {
    guard let calls = ends?.calls, !name.isEmpty else { return stated }
    var own = stated
    own.call = calls.call(of: String(decoding: name, as: UTF8.self), named: stated.call)
    return own
  }

  /// The connection with a name, call and end, created if it is new; nil if there are too many.
  mutating func connection(
    _ name: SnapshotName, _ stated: ConnectionFacts, line: Int?
  ) throws -> NamedConnection? {
    let own = name.basis == .name ? settled(stated, name.bytes) : stated
    let ids = ConnectionIDs(own)
    if let one = named.meant(name.bytes, ids) {
      try learn(own, of: one)
      return one
    }
    guard try context.takesConnection(line: line) else { return nil }
    let isUnsure = name.basis != .name && !name.bytes.isEmpty
    // A single one may be a message with an id.
    let waits = name.basis == .id && unsure.isEmpty
    let said = waits ? name.around : name.bytes
    let text = said.isEmpty ? nil : String(decoding: said, as: UTF8.self)
    let connection = PeerConnection(context, name: text ?? own.endpoint)
    connection.facts.endpoint = own.endpoint ?? (isUnsure ? nil : text)
    connection.facts.call = own.call
    connection.facts.person = own.person
    connection.facts.sdk = own.sdk
    connection.facts.userAgent = own.userAgent
    let logged = ends?.end(own.endpoint, connection: isUnsure ? nil : text) ?? LoggedEnd()
    let one = NamedConnection(name, ids, connection, connection.facts, logged, rows)
    let number = named.add(one)
    connection.facts.name = LoggedCall(of: connection.facts.name, number: number).name
    if !isUnsure, let text {
      connection.facts.identities.insert(Identity(.connection, text))
      if let page = ConnectionName.identity(ofPageIn: text) { connection.facts.identities.insert(page) }
    }
    try connection.introduce()
    if name.basis == .place {
      try context.sink.note(
        "a list has several connections at a time without saying whose they are: each is an end, by its place in the list"
      )
    }
    if name.basis == .path {
      try context.sink.note(
        "statistics without the name of a connection are of several at a time: told apart by their paths")
    }
    guard isUnsure else { return one }
    try emitWithheld()
    if waits { withheld = (name.bytes, one) }
    if unsure.count == Self.maxUnsure { unsure.removeFirst() }
    unsure.append((name, one))
    return one
  }

  /// Emits the name that was held back.
  private mutating func emitWithheld() throws {
    guard let (name, one) = withheld else { return }
    withheld = nil
    var facts = ConnectionFacts()
    facts.name = String(decoding: name, as: UTF8.self)
    try one.learn(name: facts)
  }

  /// The connection of a poll without a name: another one than the last if it was at the same time on another path, and
  /// so are later polls like it.
  mutating func nameless(
    _ own: ConnectionFacts, atMs: Double, seen: () throws -> SnapshotStreams
  ) throws -> SnapshotName {
    let ids = ConnectionIDs(own)
    guard let first = named.exactly([], ids) else { return SnapshotName() }
    // Nearly always there is one, which is polled later.
    let isLater = atMs > first.connection.pollMs + SnapshotStreams.stepMs
    if isLater, first.besides == 0 { return SnapshotName() }
    let seen = try seen()
    if seen.hasOwn(of: first.connection) { return SnapshotName() }
    let known = unsure.last {
      $0.name.basis == .path && $0.one.ids == ids && seen.hasOwn(of: $0.one.connection)
    }
    if let known { return known.name }
    guard !isLater, seen.isOnAnotherPath(first.connection) else { return SnapshotName() }
    first.besides += 1
    let around = SnapshotName(bytes: ids.endpoint)
    return around.member(Array("connection \(first.besides + 1)".utf8), .path)
  }

  /// The connection of reports under a name, or with an id, that may be a poll's.
  ///
  /// A later value with the same streams is the next poll; one with other streams at the same time is another
  /// connection.
  mutating func owner(
    _ name: SnapshotName, within place: SnapshotWalk.Place, seen: () throws -> SnapshotStreams
  ) throws -> SnapshotName {
    let ids = ConnectionIDs(place.facts)
    if named.exactly(name.bytes, ids) != nil {
      if withheld?.name == name.bytes { try emitWithheld() }
      return name
    }
    if name.basis == .number {
      guard let around = named.exactly(place.name.bytes, ids) else { return place.name }
      try around.readRows()
      return try seen().isBeside(around.connection) ? name : place.name
    }
    if name.basis == .place {
      // A later poll by its time or number, as nearly all list elements are.
      guard let around = named.exactly(place.name.bytes, ids)?.connection, !(place.timeMs > around.pollMs)
      else { return place.name }
      let seen = try seen()
      guard seen.isApart(around) else { return place.name }
      return unsure.last { seen.isLater($0.one.connection) }?.name ?? name
    }
    let seen = try seen()
    return unsure.last { seen.isLater($0.one.connection) || seen.sharesPath($0.one.connection) }?.name ?? name
  }
}

/// The name of a connection in a source of snapshots, and why it is one.
struct SnapshotName {
  enum Basis {
    /// A member that names connections.
    case name
    /// The name of the member above the reports, their number in it, or their index in a list.
    case key, number, place
    /// An id beside the reports, which may be that of a message.
    case id
    /// The path of a member among others, without any identification.
    case path
  }

  /// Empty without a name.
  var bytes: [UInt8] = []
  var basis = Basis.name
  /// The name of the enclosing object.
  var around: [UInt8] = []

  /// The name of a member's contents within an object with this name.
  func member(_ key: [UInt8], _ basis: Basis) -> SnapshotName {
    SnapshotName(
      bytes: bytes.isEmpty ? key : bytes + [UInt8(ascii: "/")] + key, basis: basis, around: bytes)
  }
}
