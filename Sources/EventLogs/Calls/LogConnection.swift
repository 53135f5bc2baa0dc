import CallModel
import LogText

/// One end of a call as a log names it, with what is known about it so far.
struct LogConnection {
  let number: Int
  var states = CallStates()
  var sdk: Dialect?
  private(set) var direction: CallDirection?
  /// Whether an event waits until it is known whether this end is the caller or the callee.
  private(set) var isSideOpen = false
  /// The answer that establishes a call, held back because an explicit event for that may follow immediately.
  var answer: EventRecord?
  /// When the last reconnection attempt, or the loss that led to it, was logged, in ms since the epoch.
  var lastRetryMs: Double?
  /// Facts not yet passed to the sink.
  var news = ConnectionFacts()
  var hasNews = true
  private var known: Set<Identity> = []
  private var namesKept: Set<String> = []
  private var isStandard = false
  private var isNamed = false
  private var hasEndpoint = false

  /// The maximum number of identities kept per connection, and the number of those left out.
  static let limit = 500
  private(set) var leftOut = 0
  /// Normalised names of the members that identify a connection in snapshots, except `pc`, which names the
  /// end itself.
  private static let connectionNames: Set = [
    "pcid", "peerconnectionid", "connectionid", "connection", "peerid",
  ]
  /// The maximum number of connection names kept per end.
  private static let maxNames = 64

  init(number: Int) { self.number = number }

  /// Records, once, that this is a plain PeerConnection, as long as no SDK is known.
  mutating func noteStandard() {
    guard !isStandard else { return }
    isStandard = true
    news.sdk = "w3c"
    hasNews = true
  }

  /// Adds an identity, unless it is known already.
  mutating func add(_ kind: IdentityKind, _ value: String) {
    // A longer text identifies nothing. Its event keeps it anyway.
    guard !value.isEmpty, value.utf8.count <= 200, !known.contains(Identity(kind, value)) else { return }
    guard known.count < Self.limit else { return leftOut += 1 }
    known.insert(Identity(kind, value))
    news.identities.insert(Identity(kind, value))
    hasNews = true
  }

  /// Adds the name that a line gives to its PeerConnection, which may be one of several.
  mutating func add(connectionsOf arguments: LogArguments) {
    for member in arguments.members
    where member.name.utf8.count <= 20 && Self.connectionNames.contains(member.normal) {
      guard let name = LogArguments.plain(member.json), !name.isEmpty, name.utf8.count <= 200,
        namesKept.count < Self.maxNames, namesKept.insert(name).inserted
      else { continue }
      news.connectionNames.insert(name)
      hasNews = true
    }
  }

  /// Adds a fact.
  mutating func set(_ fact: WritableKeyPath<ConnectionFacts, String?>, _ value: String) {
    news[keyPath: fact] = value
    hasNews = true
  }

  /// Adds ids of the call. The first one becomes its name.
  mutating func learn(_ ids: [CallSegmenter.ID]) {
    for id in ids {
      if !isNamed { set(\.call, id.value) }
      isNamed = true
      add(.call, id.value)
    }
  }

  /// Records which end it is, once.
  mutating func learn(endpoint: String) {
    guard !hasEndpoint else { return }
    hasEndpoint = true
    set(\.endpoint, endpoint)
  }

  /// Adds the information that an SDP body gives about this end.
  mutating func add(_ description: SessionDescription, local: Bool) {
    for identity in description.identities(local: local) { add(identity.kind, identity.value) }
  }

  /// What is known about the call so far.
  var context: CallContext {
    CallContext(direction: direction, isActive: states.isActive, state: states.state)
  }

  /// Infers the direction from the meaning of an event, once.
  mutating func learnDirection(_ meaning: EventNaming.Meaning) {
    guard direction == nil else { return }
    if !meaning.ifIncoming.isEmpty { return isSideOpen = true }
    for event in meaning.events {
      switch event {
      case "call.incoming", "call.alerting", "sdp.offer-received", "push.expired": return learn(.incoming)
      case "call.dialing", "call.ringing", "sdp.offer-created", "sdp.offer-sent": return learn(.outgoing)
      default: continue
      }
    }
  }

  /// Infers the direction from events that only one end logs: only the callee answers, rejects or ignores a
  /// call.
  mutating func learnDirection(_ record: EventRecord) {
    guard direction == nil, record.event.hasPrefix("call.") else { return }
    switch record.event {
    case "call.answered" where record.argument("by") == "local": learn(.incoming)
    // Only the caller establishes a call.
    case "call.updated" where record.argument("update") == "establish": learn(.outgoing)
    case "call.ended" where record.argument("by") == "local":
      let outcome = record.argument("outcome").flatMap(Outcome.init(rawValue:))
      if outcome == .rejected || outcome == .busy || outcome == .noAnswer { learn(.incoming) }
    case "call.established": closeSide()
    default: break
    }
  }

  /// Assumes that this end is the caller, since nothing showed it to be the callee.
  mutating func closeSide() {
    if isSideOpen, direction == nil { learn(.outgoing) }
  }

  private mutating func learn(_ direction: CallDirection) {
    self.direction = direction
    news.direction = direction
    hasNews = true
  }

  /// The event that the answer has established the call, unless the next events say so themselves; nil if no
  /// answer is waiting.
  mutating func establishment(before events: [String]) -> EventRecord? {
    guard var record = answer, events.contains(where: { $0.hasPrefix("call.") || $0.hasPrefix("sdp.") })
    else {
      return nil
    }
    answer = nil
    guard !events.contains("call.established") else { return nil }
    record.event = "call.established"
    _ = states.anomaly(record.event, state: nil, dialect: nil)
    return record
  }

  /// Returns the facts that are new since the last call.
  mutating func takeNews() -> ConnectionFacts? {
    guard hasNews else { return nil }
    hasNews = false
    defer {
      news = ConnectionFacts()
    }
    return news
  }
}
