import CallModel

/// The connection that came last of all that share something.
final class LatestConnection {
  weak var one: NamedConnection?
}

/// The connections of a source by what their lines say. A line without the id of a call, or of an end, is of the connection of
/// that name that came last; what came before the first id is of the one that it names.
struct NamedConnections {
  private var known: [[UInt8]: NamedConnection] = [:]
  private var latest: [[UInt8]: LatestConnection] = [:]
  /// How many calls there were of a name and an end.
  private var calls: [[UInt8]: Int] = [:]
  private var last: NamedConnection?

  /// The one whose lines say just this.
  mutating func exactly(_ name: [UInt8], _ ids: ConnectionIDs) -> NamedConnection? {
    if let last, last.name == name, last.ids == ids { return last }
    return known[ids.key(name)].map { use($0) }
  }

  /// The same by the words of a line, without a copy of them where the line before was its too.
  mutating func exactly(_ head: SnapshotHead) -> NamedConnection? {
    if let last, last.isNamed(by: head) { return last }
    return known[head.ids.key(head.name?.decoded() ?? [])].map { use($0) }
  }

  /// The one that is meant where a line says less than those before, or more.
  mutating func meant(_ name: [UInt8], _ ids: ConnectionIDs) -> NamedConnection? {
    if let one = exactly(name, ids) { return one }
    for one in [latest[ids.end.key(name)]?.one, latest[name]?.one, known[name]] {
      if let one, one.ids.agrees(with: ids) { return use(one) }
    }
    return nil
  }

  /// Takes over what a line says of the one that it means. False if all that was known.
  mutating func learn(_ ids: ConnectionIDs, of one: NamedConnection) -> Bool {
    let before = one.ids
    guard one.ids.agrees(with: ids), one.ids.learn(ids) else { return false }
    known[before.key(one.name)] = nil
    keep(one)
    if before.call.isEmpty { _ = count(one) }
    return true
  }

  /// Adds one. Gives the number of its call among those of its name and end.
  mutating func add(_ one: NamedConnection) -> Int {
    keep(one)
    return count(one)
  }

  /// How many calls of its name and end it is the latest of.
  private mutating func count(_ one: NamedConnection) -> Int {
    guard !one.ids.call.isEmpty else { return 1 }
    calls[one.ids.end.key(one.name), default: 0] += 1
    return calls[one.ids.end.key(one.name)] ?? 1
  }

  private mutating func keep(_ one: NamedConnection) {
    known[one.ids.key(one.name)] = one
    // A name that nothing else is said of is found by itself.
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

/// Whose snapshots are, as their lines say it beside the connection's name: of which call and which end. Empty where they do
/// not.
struct ConnectionIDs: Equatable {
  var call: [UInt8] = []
  var endpoint: [UInt8] = []

  /// Nothing said.
  init() {}

  init(_ facts: ConnectionFacts) {
    call = facts.call.map { Array($0.utf8) } ?? []
    endpoint = facts.endpoint.map { Array($0.utf8) } ?? []
  }

  /// Whether nothing is said.
  var isEmpty: Bool { call.isEmpty && endpoint.isEmpty }

  /// The end, whatever the call.
  var end: ConnectionIDs {
    var end = self
    end.call = []
    return end
  }

  /// Whether neither says what the other denies.
  func agrees(with other: ConnectionIDs) -> Bool {
    (call == other.call || call.isEmpty || other.call.isEmpty)
      && (endpoint == other.endpoint || endpoint.isEmpty || other.endpoint.isEmpty)
  }

  /// Learns what was not known. False where there was nothing to learn.
  mutating func learn(_ other: ConnectionIDs) -> Bool {
    let before = self
    if call.isEmpty { call = other.call }
    if endpoint.isEmpty { endpoint = other.endpoint }
    return self != before
  }

  /// By what a connection of that name is found: the name alone where nothing else is said.
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
