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
