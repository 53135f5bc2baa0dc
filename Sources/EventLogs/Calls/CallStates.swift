/// Watches the states of one call and says when one comes that should not.
///
/// Two rules: the table of transitions of the SDK, where its dialect has one; and what is obvious of any call.
struct CallStates {
  /// The state of the table that was named last.
  private(set) var state: String?
  private(set) var isOver = false
  private(set) var isEstablished = false
  /// Who holds the call.
  private(set) var isHeldHere = false
  private(set) var isHeldThere = false
  /// What an answer told of hold, until a state tells of it.
  var heldByAnswer: String?
  private var hadTrouble = false
  /// Since when something else holds the microphone, a native call for one; nil where nothing does.
  private(set) var interruptedMs: Double?
  /// Whether this end has signed off: that its line is closed then is no trouble.
  private(set) var isSignedOff = false

  /// Whether anyone holds the call.
  var isHeld: Bool { isHeldHere || isHeldThere }

  /// Whether the call was set up and is not over.
  var isStanding: Bool { isEstablished && !isOver }

  /// Takes note of an event; the reason why it should not have come here, or nil.
  ///
  /// - Parameter by: whose doing it was, where the word is of one end alone: of the other it says nothing.
  mutating func anomaly(
    _ event: String, state next: String?, by: String? = nil, dialect: Dialect?, timeMs: Double? = nil
  )
    -> String?
  {
    let illegal = next.flatMap { transition(to: $0, dialect) }
    let reason = illegal ?? obvious(event)
    if !noteHold(event, by) { note(event) }
    if event == "media.interrupted" { interruptedMs = interruptedMs ?? timeMs }
    return reason
  }

  /// Whether what holds the microphone has held it for so long that the SDK ended its call: shorter interruptions end nothing
  /// (Rebtel's guide: more than 30 s).
  func isEndedByInterruption(at timeMs: Double?) -> Bool {
    guard let timeMs, let interruptedMs else { return false }
    return timeMs - interruptedMs >= Self.longestInterruptionMs
  }

  // A little less than the guide says: the notification of its beginning is late.
  private static let longestInterruptionMs = 29_000.0

  private mutating func transition(to next: String, _ dialect: Dialect?) -> String? {
    guard let table = dialect?.transitions, table[next] != nil else { return nil }
    // A state that repeats itself is a callback fired twice, not a transition.
    guard next != state else { return nil }
    defer { state = next }
    // After its end, a new call begins with a state to which none leads.
    guard let before = state, !(table[before]?.isEmpty ?? true && isBeginning(next, table)) else {
      return nil
    }
    guard let allowed = table[before], !allowed.contains(next) else { return nil }
    return "\(before) does not lead to \(next)"
  }

  private func isBeginning(_ next: String, _ table: [String: Set<String>]) -> Bool {
    !table.values.contains { $0.contains(next) }
  }

  private func obvious(_ event: String) -> String? {
    switch event {
    case "call.ringing", "call.early-media":
      if isOver { return "after the call was over" }
      return isEstablished ? "after the call was established" : nil
    case "call.established", "call.answered", "call.held", "call.media-pending", "call.remotely-held",
      "call.double-held":
      return isOver ? "after the call was over" : nil
    case "call.resumed":
      return isOver ? "after the call was over" : isHeld ? nil : "without having been held"
    case "network.reestablished":
      return hadTrouble ? nil : "without having been lost"
    default: return nil
    }
  }

  // What one end alone does about the hold; false where it is something else.
  private mutating func noteHold(_ event: String, _ by: String?) -> Bool {
    switch (event, by) {
    case ("call.held", "local"): isHeldHere = true
    case ("call.remotely-held", "remote"): isHeldThere = true
    case ("call.resumed", "local"): isHeldHere = false
    case ("call.resumed", "remote"): isHeldThere = false
    default: return false
    }
    return true
  }

  private mutating func note(_ event: String) {
    switch event {
    case "call.idle", "call.created", "call.dialing", "call.incoming", "call.alerting", "call.request-sent",
      "sdp.offer-sent":
      if isOver { self = CallStates(state: state) }
    case "call.established", "call.handed-over": isEstablished = true
    case "call.held": (isHeldHere, isHeldThere) = (true, false)
    case "call.remotely-held": (isHeldHere, isHeldThere) = (false, true)
    case "call.double-held": (isHeldHere, isHeldThere) = (true, true)
    case "call.resumed": (isHeldHere, isHeldThere) = (false, false)
    case "call.failed", "call.ended": isOver = true
    case "session.unregistered": isSignedOff = true
    case "session.registering", "session.registered": isSignedOff = false
    case "media.recovered": interruptedMs = nil
    case "network.lost", "network.retry", "network.unavailable", "session.reconnecting":
      hadTrouble = true
    default: break
    }
  }

  init(state: String? = nil) { self.state = state }
}

extension CallStates {
  /// What a word on hold means in this call.
  ///
  /// States tell of hold. Where an SDK only answers that its end holds the call, or goes on with it, the answer does, and the state that
  /// says the same behind it tells nothing new. In a call after a hold "established" means that it goes on.
  mutating func settled(_ meaning: EventNaming.Meaning, of dialect: Dialect?) -> EventNaming.Meaning {
    guard meaning.events.count == 1, let event = meaning.events.first else { return meaning }
    var meaning = meaning
    if isSignedOff, event == "session.reconnecting" {
      meaning.events = ["session.closed"]
      return meaning
    }
    guard !isOver else { return meaning }
    if event == "call.resumed", !isHeldThere, isEstablished,
      meaning.added.contains(where: { $0 == ("by", "remote") })
    {
      // A state told it before.
      meaning.events = ["call.updated"]
    } else if event == "call.updated" {
      guard let held = answered(meaning.added) else { return meaning }
      heldByAnswer = held
      meaning.events = [held]
      meaning.state =
        dialect?.state(meaning: held == "call.resumed" ? "call.established" : held) ?? meaning.state
    } else if event == "call.established" || Self.words.contains(event) {
      let isTold =
        meaning.state != nil && heldByAnswer == (event == "call.established" ? "call.resumed" : event)
      heldByAnswer = nil
      if isTold {
        meaning.events = ["call.updated"]
      } else if event == "call.established", isHeld {
        meaning.events = ["call.resumed"]
      }
    }
    return meaning
  }

  // What the answer to this end's request makes of the hold; nil where it changes nothing, a state having told of it before.
  private func answered(_ added: [(name: String, value: String)]) -> String? {
    func says(_ name: String, _ value: String) -> Bool {
      added.contains { $0.name == name && $0.value == value }
    }
    guard says("result", "accepted") else { return nil }
    if says("update", "hold"), !isHeldHere { return isHeldThere ? "call.double-held" : "call.held" }
    if says("update", "unhold"), isHeldHere { return isHeldThere ? "call.remotely-held" : "call.resumed" }
    return nil
  }

  private static let words: Set<String> = [
    "call.held", "call.remotely-held", "call.double-held", "call.resumed",
  ]
}

extension Dialect {
  /// The state of the table of transitions that means an event.
  fileprivate func state(meaning event: String) -> String? {
    self.enums.lazy.flatMap(\.values).filter { $0.value.events == [event] && self.transitions[$0.key] != nil }
      .map(\.key).min()
  }
}
