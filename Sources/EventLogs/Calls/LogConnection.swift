import CallModel
import LogText

/// One end of a call as a log names it, with what is known about it so far.
struct LogConnection {
  let number: Int
  /// The name of its PeerConnection.
  var pc: String?
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
  static let limit = Limit.logIdentities.value
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
      case .callIncoming, .callAlerting, .sdpOfferReceived, .pushExpired: return learn(.incoming)
      case .callDialing, .callRinging, .sdpOfferCreated, .sdpOfferSent: return learn(.outgoing)
      default: continue
      }
    }
  }

  /// Infers the direction from events that only one end logs: only the callee answers, rejects or ignores a
  /// call.
  mutating func learnDirection(_ record: EventRecord) {
    guard direction == nil, record.event.group == .call else { return }
    switch record.event {
    case .callAnswered where record[.by] == "local": learn(.incoming)
    // Only the caller establishes a call.
    case .callUpdated where record[.update] == "establish": learn(.outgoing)
    case .callEnded where record[.by] == "local":
      let outcome = record[.outcome]
      if outcome == .rejected || outcome == .busy || outcome == .noAnswer { learn(.incoming) }
    case .callEstablished: closeSide()
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
  mutating func establishment(before events: [EventName]) -> EventRecord? {
    guard var record = answer, events.contains(where: { $0.group == .call || $0.group == .sdp })
    else {
      return nil
    }
    answer = nil
    guard !events.contains(.callEstablished) else { return nil }
    record.event = .callEstablished
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

/// Tracks the states of one call and reports transitions that should not happen.
///
/// Two sets of rules apply: the SDK's table of transitions, if its dialect has one, and rules that hold for
/// every call.
struct CallStates {
  /// The last state of the table that was reported.
  private(set) var state: String?
  private(set) var isOver = false
  private(set) var isEstablished = false
  /// Whether this end holds the call.
  private(set) var isHeldHere = false
  private(set) var isHeldThere = false
  /// The hold state reported by the answer to a request, until a state event reports it.
  var heldByAnswer: EventName?
  private var wasNetworkLost = false
  /// Since when something else, such as a cellular call, has held the microphone, in ms since the epoch; nil
  /// if nothing does.
  private(set) var interruptedMs: Double?
  /// Whether this end has signed off. A connection that closes afterwards is no problem.
  private(set) var isSignedOff = false

  /// Whether either end holds the call.
  var isHeld: Bool { isHeldHere || isHeldThere }

  /// Whether the call is established and not over.
  var isActive: Bool { isEstablished && !isOver }

  /// Records an event and returns the reason why it should not occur at this point, or nil.
  ///
  /// - Parameter by: The end that acted, if the event concerns only one end; it then says nothing about the
  ///   other end.
  mutating func anomaly(
    _ event: EventName, state next: String?, by: String? = nil, dialect: Dialect?, timeMs: Double? = nil
  )
    -> String?
  {
    let illegal = next.flatMap { transition(to: $0, dialect) }
    let reason = illegal ?? obvious(event)
    if !noteHold(event, by) { note(event) }
    if event == .mediaInterrupted { interruptedMs = interruptedMs ?? timeMs }
    return reason
  }

  /// Whether the microphone has been interrupted for so long that the SDK ended the call. Shorter
  /// interruptions do not end it (Rebtel's guide: more than 30 s).
  func isEndedByInterruption(at timeMs: Double?) -> Bool {
    guard let timeMs, let interruptedMs else { return false }
    return timeMs - interruptedMs >= Self.longestInterruptionMs
  }

  // Slightly less than in the guide, because the notification of the start comes late.
  private static let longestInterruptionMs = 29_000.0

  private mutating func transition(to next: String, _ dialect: Dialect?) -> String? {
    guard let table = dialect?.transitions, table[next] != nil else { return nil }
    // A repeated state is a callback that fired twice, not a transition.
    guard next != state else { return nil }
    defer { state = next }
    // After the end of a call, a new call begins with a state that has no predecessor.
    guard let before = state, !(table[before]?.isEmpty ?? true && isBeginning(next, table)) else {
      return nil
    }
    guard let allowed = table[before], !allowed.contains(next) else { return nil }
    return "\(before) does not lead to \(next)"
  }

  private func isBeginning(_ next: String, _ table: [String: Set<String>]) -> Bool {
    !table.values.contains { $0.contains(next) }
  }

  private func obvious(_ event: EventName) -> String? {
    switch event {
    case .callRinging, .callEarlyMedia:
      if isOver { return "after the call was over" }
      return isEstablished ? "after the call was established" : nil
    case .callEstablished, .callAnswered, .callHeld, .callMediaPending, .callRemotelyHeld, .callDoubleHeld:
      return isOver ? "after the call was over" : nil
    case .callResumed:
      return isOver ? "after the call was over" : isHeld ? nil : "without having been held"
    case .networkReestablished:
      return wasNetworkLost ? nil : "without having been lost"
    default: return nil
    }
  }

  // Handles a hold event of one end; false if the event is something else.
  private mutating func noteHold(_ event: EventName, _ by: String?) -> Bool {
    switch (event, by) {
    case (.callHeld, "local"): isHeldHere = true
    case (.callRemotelyHeld, "remote"): isHeldThere = true
    case (.callResumed, "local"): isHeldHere = false
    case (.callResumed, "remote"): isHeldThere = false
    default: return false
    }
    return true
  }

  private mutating func note(_ event: EventName) {
    switch event {
    case .callIdle, .callCreated, .callDialing, .callIncoming, .callAlerting, .callRequestSent,
      .sdpOfferSent:
      if isOver { self = CallStates(state: state) }
    case .callEstablished, .callHandedOver: isEstablished = true
    case .callHeld: (isHeldHere, isHeldThere) = (true, false)
    case .callRemotelyHeld: (isHeldHere, isHeldThere) = (false, true)
    case .callDoubleHeld: (isHeldHere, isHeldThere) = (true, true)
    case .callResumed: (isHeldHere, isHeldThere) = (false, false)
    case .callFailed, .callEnded: isOver = true
    case .sessionUnregistered: isSignedOff = true
    case .sessionRegistering, .sessionRegistered: isSignedOff = false
    case .mediaRecovered: interruptedMs = nil
    case .networkLost, .networkRetry, .networkUnavailable, .sessionReconnecting:
      wasNetworkLost = true
    default: break
    }
  }

  init(state: String? = nil) { self.state = state }
}

extension CallStates {
  /// Returns what a hold event means in this call.
  ///
  /// Hold is normally reported by states. If an SDK only answers that its end holds or resumes the call, that
  /// answer counts, and a state that repeats it afterwards adds nothing. In a call that is on hold,
  /// "established" means that it is resumed.
  mutating func settled(_ meaning: EventNaming.Meaning, of dialect: Dialect?) -> EventNaming.Meaning {
    guard meaning.events.count == 1, let event = meaning.events.first else { return meaning }
    var meaning = meaning
    if isSignedOff, event == .sessionReconnecting {
      meaning.events = [.sessionClosed]
      return meaning
    }
    guard !isOver else { return meaning }
    if event == .callResumed, !isHeldThere, isEstablished,
      meaning.added.contains(where: { $0 == ("by", "remote") })
    {
      // A state has reported it before.
      meaning.events = [.callUpdated]
    } else if event == .callUpdated {
      guard let held = answered(meaning.added) else { return meaning }
      heldByAnswer = held
      meaning.events = [held]
      meaning.state =
        dialect?.state(meaning: held == .callResumed ? .callEstablished : held) ?? meaning.state
    } else if event == .callEstablished || Self.words.contains(event) {
      let isRepeated =
        meaning.state != nil && heldByAnswer == (event == .callEstablished ? .callResumed : event)
      heldByAnswer = nil
      if isRepeated {
        meaning.events = [.callUpdated]
      } else if event == .callEstablished, isHeld {
        meaning.events = [.callResumed]
      }
    }
    return meaning
  }

  // Returns how the answer to this end's request changes the hold state; nil if it changes nothing because a
  // state has reported it before.
  private func answered(_ added: [(name: String, value: String)]) -> EventName? {
    func says(_ name: String, _ value: String) -> Bool {
      added.contains { $0.name == name && $0.value == value }
    }
    guard says("result", "accepted") else { return nil }
    if says("update", "hold"), !isHeldHere { return isHeldThere ? .callDoubleHeld : .callHeld }
    if says("update", "unhold"), isHeldHere { return isHeldThere ? .callRemotelyHeld : .callResumed }
    return nil
  }

  private static let words: Set<EventName> = [
    .callHeld, .callRemotelyHeld, .callDoubleHeld, .callResumed,
  ]
}

extension Dialect {
  /// The state in the table of transitions that stands for an event.
  fileprivate func state(meaning event: EventName) -> String? {
    self.enums.lazy.flatMap(\.values).filter { $0.value.events == [event] && self.transitions[$0.key] != nil }
      .map(\.key).min()
  }
}
