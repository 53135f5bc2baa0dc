import CallModel

/// The latest connection with something in common.
final class LatestConnection {
  weak var one: NamedConnection?
}

/// The connections of a source by the identification in their lines. A line without the id of a call or end belongs to
/// the latest connection with its name; lines before the first id belong to the connection that the id names.
struct NamedConnections {
  private var known: [[UInt8]: NamedConnection] = [:]
  private var latest: [[UInt8]: LatestConnection] = [:]
  /// The number of calls of a name and an end.
  private var calls: [[UInt8]: Int] = [:]
  private var last: NamedConnection?

  /// The connection whose lines have exactly this identification.
  mutating func exactly(_ name: [UInt8], _ ids: ConnectionIDs) -> NamedConnection? {
    if let last, last.name == name, last.ids == ids { return last }
    return known[ids.key(name)].map { use($0) }
  }

  /// The same by the bytes of a line, without copying them if the previous line had the same.
  mutating func exactly(_ head: SnapshotHead) -> NamedConnection? {
    if let last, last.isNamed(by: head) { return last }
    return known[head.ids.key(head.name?.decoded() ?? [])].map { use($0) }
  }

  /// The connection that a line with more or less identification than before belongs to.
  mutating func meant(_ name: [UInt8], _ ids: ConnectionIDs) -> NamedConnection? {
    if let one = exactly(name, ids) { return one }
    for one in [latest[ids.end.key(name)]?.one, latest[name]?.one, known[name]] {
      if let one, one.ids.agrees(with: ids) { return use(one) }
    }
    return nil
  }

  /// Adds the identification of a line to its connection. False if all of it was known.
  mutating func learn(_ ids: ConnectionIDs, of one: NamedConnection) -> Bool {
    let before = one.ids
    guard one.ids.agrees(with: ids), one.ids.learn(ids) else { return false }
    known[before.key(one.name)] = nil
    keep(one)
    if before.call.isEmpty { _ = count(one) }
    return true
  }

  /// The connections whose lines name no call.
  var withoutCall: [NamedConnection] {
    known.values.filter { $0.ids.call.isEmpty }.sorted { $0.connection.number < $1.connection.number }
  }

  /// Adds a connection. Returns the number of its call among those of its name and end.
  mutating func add(_ one: NamedConnection) -> Int {
    keep(one)
    return count(one)
  }

  /// The number of calls of its name and end, of which it is the latest.
  private mutating func count(_ one: NamedConnection) -> Int {
    guard !one.ids.call.isEmpty else { return 1 }
    calls[one.ids.end.key(one.name), default: 0] += 1
    return calls[one.ids.end.key(one.name)] ?? 1
  }

  private mutating func keep(_ one: NamedConnection) {
    known[one.ids.key(one.name)] = one
    // A name without further identification is found directly.
    one.places = one.ids.isEmpty ? [] : [place(one.ids.end.key(one.name)), place(one.name)]
    _ = use(one)
  }

  private mutating func place(_ key: [UInt8]) -> LatestConnection {
    let place = latest[key] ?? LatestConnection()
    latest[key] = place
    return place
  }

  private mutating func use(_ one: NamedConnection) -> NamedConnection {
    for place in one.places { place.one = one }
    last = one
    return one
  }
}

/// The identification in the lines of snapshots beside the connection's name: the call and the end. Empty if missing.
struct ConnectionIDs: Equatable {
  var call: [UInt8] = []
  var endpoint: [UInt8] = []

  /// Empty.
  init() {}

  init(_ facts: ConnectionFacts) {
    call = facts.call.map { Array($0.utf8) } ?? []
    endpoint = facts.endpoint.map { Array($0.utf8) } ?? []
  }

  /// Whether both are missing.
  var isEmpty: Bool { call.isEmpty && endpoint.isEmpty }

  /// The end, whatever the call.
  var end: ConnectionIDs {
    var end = self
    end.call = []
    return end
  }

  /// Whether they do not contradict each other.
  func agrees(with other: ConnectionIDs) -> Bool {
    (call == other.call || call.isEmpty || other.call.isEmpty)
      && (endpoint == other.endpoint || endpoint.isEmpty || other.endpoint.isEmpty)
  }

  /// Adds missing parts. False if there was nothing to add.
  mutating func learn(_ other: ConnectionIDs) -> Bool {
    let before = self
    if call.isEmpty { call = other.call }
    if endpoint.isEmpty { endpoint = other.endpoint }
    return self != before
  }

  /// The key of a connection with a name: the name alone if there is nothing else.
  func key(_ name: [UInt8]) -> [UInt8] {
    if isEmpty { return name }
    var key: [UInt8] = []
    key.reserveCapacity(call.count + endpoint.count + name.count + 2)
    key += call
    key.append(0xFF)  // No UTF-8 has this byte.
    key += endpoint
    key.append(0xFF)
    return key + name
  }
}
