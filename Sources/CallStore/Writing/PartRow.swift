import CallModel

/// A connection of the source that is being written: a row of table `connections` to be.
struct PartRow {
  /// Identities kept for one connection; a source that names more is hostile or broken.
  static let identityLimit = 10_000

  var facts = ConnectionFacts()
  /// Stands for the source as a whole: events that name no connection.
  var whole = false
  /// The part that this one turned out to be, when its name came late.
  var mergedInto: Int?
  var span = Span()
  /// Whether anything happened at it.
  var hasEvents = false
  /// Whether its events tell of a call; nil as long as nothing says so or otherwise.
  private(set) var isEvidenceOfCall: Bool?
  /// The path its last transport sample took.
  var lastPath: Int?

  /// Takes note of an event.
  mutating func note(_ event: EventRecord) {
    span.add(event.timeMs)
    // What statistics sum up of pairs is nothing that happened.
    guard event.event != EventVocabulary.pathPairs else { return }
    hasEvents = true
    if isEvidenceOfCall != true { isEvidenceOfCall = EventVocabulary.isEvidenceOfCall(event.event) ?? isEvidenceOfCall }
  }

  /// Whether a connection of the same name is this one: two ends may call theirs alike, and a reader that keeps the calls of
  /// one end apart may number them otherwise than another does.
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

  /// Adds facts: nil leaves what is known, identities add up. Gives how many identities there was no room for.
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
    var told = more.identities
    // A person is what tickets name, whatever the reader.
    if let person = more.person, !person.isEmpty { told.insert(Identity(.person, person)) }
    let new = facts.identities.isEmpty ? told : told.subtracting(facts.identities)
    let kept = Identity.first(max(0, Self.identityLimit - facts.identities.count), of: new)
    facts.identities.formUnion(kept)
    return new.count - kept.count
  }
}

/// The name of a connection, with those of its end and its call where it needs them.
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

/// First and last instant of something.
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

  /// The time between the two, ms: 0 where they touch, infinite where one has no time.
  func gapMs(to other: Span) -> Double {
    guard let first, let last, let begin = other.first, let end = other.last else { return .infinity }
    return max(begin - last, first - end, 0)
  }
}
