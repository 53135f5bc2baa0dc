import CallModel
import LogText

/// One end of a call as a log names it, with what was learnt of it so far.
struct LogConnection {
  let number: Int
  var states = CallStates()
  var sdk: Dialect?
  private(set) var direction: CallDirection?
  /// Whether an event waits for what tells which end this is.
  private(set) var isSideOpen = false
  /// The answer of a call that it establishes, unless a word of its own on that follows at once.
  var answer: EventRecord?
  /// When the last attempt to reconnect was announced, or the loss that led to it.
  var lastRetryMs: Double?
  /// Facts not yet told to the sink.
  var news = ConnectionFacts()
  var hasNews = true
  private var known: Set<Identity> = []
  private var told: Set<String> = []
  private var isStandard = false
  private var isNamed = false
  private var hasEndpoint = false

  /// Most identities taken of one connection, and how often there were more.
  static let limit = 500
  private(set) var leftOut = 0
  /// By what snapshots are known to name a connection, normalised, but for `pc`, which names the end itself.
  private static let connectionNames: Set = [
    "pcid", "peerconnectionid", "connectionid", "connection", "peerid",
  ]
  /// Most names of connections taken of one end.
  private static let mostTold = 64

  init(number: Int) { self.number = number }

  /// Says once that this is a plain PeerConnection, as long as no SDK is known.
  mutating func tellStandard() {
    guard !isStandard else { return }
    isStandard = true
    news.sdk = "w3c"
    hasNews = true
  }

  /// Adds an identity once.
  mutating func add(_ kind: IdentityKind, _ value: String) {
    // What is longer identifies nothing; its event keeps it all the same.
    guard !value.isEmpty, value.utf8.count <= 200, !known.contains(Identity(kind, value)) else { return }
    guard known.count < Self.limit else { return leftOut += 1 }
    known.insert(Identity(kind, value))
    news.identities.insert(Identity(kind, value))
    hasNews = true
  }

  /// Adds what a line calls the PeerConnection that it tells of, which may be one of several.
  mutating func add(connectionsOf arguments: LogArguments) {
    for member in arguments.members
    where member.name.utf8.count <= 20 && Self.connectionNames.contains(member.normal) {
      guard let name = LogArguments.plain(member.json), !name.isEmpty, name.utf8.count <= 200,
        told.count < Self.mostTold, told.insert(name).inserted
      else { continue }
      news.connectionNames.insert(name)
      hasNews = true
    }
  }

  /// Adds a fact.
  mutating func tell(_ fact: WritableKeyPath<ConnectionFacts, String?>, _ value: String) {
    news[keyPath: fact] = value
    hasNews = true
  }

  /// Adds ids of the call; the first one is its name.
  mutating func learn(_ ids: [CallSegmenter.ID]) {
    for id in ids {
      if !isNamed { tell(\.call, id.value) }
      isNamed = true
      add(.call, id.value)
    }
  }

  /// Learns which end it is, once.
  mutating func learn(endpoint: String) {
    guard !hasEndpoint else { return }
    hasEndpoint = true
    tell(\.endpoint, endpoint)
  }

  /// Adds what an SDP text says of this end.
  mutating func add(_ description: SessionDescription, local: Bool) {
    for identity in description.identities(local: local) { add(identity.kind, identity.value) }
  }

  /// What is known of the call so far.
  var soFar: CallContext {
    CallContext(direction: direction, isStanding: states.isStanding, state: states.state)
  }

  /// Learns the direction from what an event means, once.
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

  /// Learns the direction from what only one of the ends does: the called one answers, refuses and ignores.
  mutating func learnDirection(_ record: EventRecord) {
    guard direction == nil, record.event.hasPrefix("call.") else { return }
    switch record.event {
    case "call.answered" where record.argument("by") == "local": learn(.incoming)
    // Only who calls establishes a call.
    case "call.updated" where record.argument("update") == "establish": learn(.outgoing)
    case "call.ended" where record.argument("by") == "local":
      let outcome = record.argument("outcome").flatMap(Outcome.init(rawValue:))
      if outcome == .rejected || outcome == .busy || outcome == .noAnswer { learn(.incoming) }
    case "call.established": closeSide()
    default: break
    }
  }

  /// Nothing told that this is the end that was called: it is the one that called.
  mutating func closeSide() {
    if isSideOpen, direction == nil { learn(.outgoing) }
  }

  private mutating func learn(_ direction: CallDirection) {
    self.direction = direction
    news.direction = direction
    hasNews = true
  }

  /// That the answer has established the call, where what comes next is not the word on it; nil where nothing waits for that.
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

  /// What is new, to be told once.
  mutating func takeNews() -> ConnectionFacts? {
    guard hasNews else { return nil }
    hasNews = false
    defer {
      news = ConnectionFacts()
    }
    return news
  }
}
