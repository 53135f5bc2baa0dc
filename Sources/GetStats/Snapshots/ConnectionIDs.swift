import CallModel

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
