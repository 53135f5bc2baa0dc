import CallModel

/// A connection of the source being written: a future row of table `source_views`.
struct PartRow {
  /// The most identities kept for one connection; a source with more is hostile or broken.
  static let identityLimit = Limit.identities.value

  var facts = ConnectionFacts()
  /// Represents the whole source: events without a connection.
  var whole = false
  /// The part it was merged into, if its name came late.
  var mergedInto: Int?
  var span = Span()
  /// Whether it has events.
  var hasEvents = false
  /// Whether its events are evidence of a call; nil while unknown.
  private(set) var isEvidenceOfCall: Bool?
  /// The path of its last transport sample.
  var lastPath: Int?

  /// Records an event.
  mutating func note(_ event: EventRecord) {
    span.add(event.timeMs)
    // Summaries of candidate pairs from statistics are not events of a call.
    guard event.event != .mediaPathPairs else { return }
    hasEvents = true
    if isEvidenceOfCall != true {
      isEvidenceOfCall = event.event.isEvidenceOfCall ?? isEvidenceOfCall
    }
  }

  /// Whether a connection with the same name is this one: two ends may use the same name, and two readers may number
  /// the calls of one end differently.
  func isNamed(as other: ConnectionFacts) -> Bool {
    if let endpoint = facts.endpoint, let theirs = other.endpoint, endpoint != theirs,
      endpoint != facts.name, theirs != other.name
    {
      return false
    }
    guard LoggedCall(name: other.name).number > 1, let call = facts.call, let theirs = other.call else {
      return true
    }
    return call == theirs
  }

  /// Adds facts: nil leaves known ones unchanged, identities add up. Returns the number of identities beyond the limit.
  mutating func add(_ more: ConnectionFacts) -> Int {
    facts.name = more.name ?? facts.name
    facts.endpoint = more.endpoint ?? facts.endpoint
    facts.call = more.call ?? facts.call
    facts.sdk = more.sdk ?? facts.sdk
    facts.sdkVersion = more.sdkVersion ?? facts.sdkVersion
    facts.direction = more.direction ?? facts.direction
    facts.userAgent = more.userAgent ?? facts.userAgent
    facts.system = more.system ?? facts.system
    facts.person = more.person ?? facts.person
    facts.connectionNames.formUnion(more.connectionNames)
    var identities = more.identities
    // Tickets refer to persons, whatever the reader.
    if let person = more.person, !person.isEmpty { identities.insert(Identity(.person, person)) }
    let new = facts.identities.isEmpty ? identities : identities.subtracting(facts.identities)
    let kept = Identity.first(max(0, Self.identityLimit - facts.identities.count), of: new)
    facts.identities.formUnion(kept)
    return new.count - kept.count
  }
}

/// The name of a connection, with those of its end and call if it needs them.
struct PartName: Hashable {
  private let name: String
  private let endpoint: String?
  private let call: String?

  init(_ name: String, _ facts: ConnectionFacts = ConnectionFacts()) {
    self.name = name
    endpoint = facts.endpoint
    call = facts.call
  }
}

/// First and last time.
struct Span {
  private(set) var first: Double?
  private(set) var last: Double?

  mutating func add(_ time: Double?) {
    guard let time, time.isFinite else { return }
    first = first.map { min($0, time) } ?? time
    last = last.map { max($0, time) } ?? time
  }

  mutating func add(_ other: Span) {
    add(other.first)
    add(other.last)
  }

  /// Whether it ended when the other began.
  func isBefore(_ other: Span) -> Bool { gapMs(to: other) < .infinity && last ?? 0 <= other.first ?? 0 }

  /// The time between the two, ms: 0 if they touch, infinite if one has no time.
  func gapMs(to other: Span) -> Double {
    guard let first, let last, let begin = other.first, let end = other.last else { return .infinity }
    return max(begin - last, first - end, 0)
  }
}
