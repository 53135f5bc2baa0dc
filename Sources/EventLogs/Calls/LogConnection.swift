import Bytes
import CallModel

/// One end of a call as a log names it, with what was learnt of it so far.
struct LogConnection {
  let number: Int
  var states = CallStates()
  var sdk: Dialect?
  var direction: CallDirection?
  /// When the last attempt to reconnect was announced, or the loss that led to it.
  var lastRetryMs: Double?
  /// Facts not yet told to the sink.
  var news = ConnectionFacts()
  var hasNews = true
  private var known: Set<Identity> = []
  private var isStandard = false
  private var isNamed = false
  private var hasEndpoint = false

  /// Most identities taken of one connection, and how often there were more.
  static let limit = 500
  private(set) var leftOut = 0

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

  /// Adds a fact.
  mutating func tell(_ fact: WritableKeyPath<ConnectionFacts, String?>, _ value: String) {
    news[keyPath: fact] = value
    hasNews = true
  }

  /// Adds ids of the call; the first one is its name.
  mutating func learn(_ ids: [CallCut.ID]) {
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

  /// Learns the direction from an event, once.
  mutating func learnDirection(_ event: String) {
    guard direction == nil else { return }
    switch event {
    case "call.incoming", "call.alerting", "sdp.offer-received": direction = .incoming
    case "call.dialing", "call.ringing", "sdp.offer-created", "sdp.offer-sent": direction = .outgoing
    default: return
    }
    news.direction = direction
    hasNews = true
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
