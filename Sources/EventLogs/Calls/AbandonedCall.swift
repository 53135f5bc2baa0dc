import CallModel

/// Whether a call was left without a word of its end, as where an application was killed, or a page loaded again.
extension CallProgress {
  /// What the end that calls says of a call, in order, and what the end that is called does.
  static let dialling = [
    "call.created": 1, "call.request-sent": 2, "call.dialing": 3, "call.ringing": 4, "call.early-media": 4,
  ]
  static let ringing = ["call.incoming": 1, "call.alerting": 2]
  /// What begins a session, and what tells that one is lost and comes back.
  private static let starts: Set = [
    "session.registering", "session.registered", "session.connecting", "session.connected",
  ]
  static let troubles: Set = [
    "session.reconnecting", "session.failed", "session.hibernating", "session.hibernated",
    "session.suspended",
    "session.resumed",
  ]
  /// What begins another call where it is told again. Ringing may be told every minute, and a request be one within the call.
  private static let restarts: Set = [
    "call.created", "call.dialing", "call.incoming", "call.alerting", "token.requested",
  ]

  /// Whether these events begin another call though nothing told of the end of this one: after a silence, or where the session began
  /// anew.
  ///
  /// Statistics tell whether a call goes on. A call that stands says nothing for hours: without them, only what sets a call up once more
  /// begins another, and no call that may have come in beside it, unless it has a name of its own.
  /// Whoever calls somebody else once the network was lost for good has given that call up.
  func wasLeft(
    _ events: [String], _ timeMs: Double?, heardMs: Double?, isNamed: Bool, next: CallSegmenter.ID? = nil
  ) -> Bool {
    guard let timeMs else { return false }
    if heardMs != nil {
      return isSilent(timeMs, heardMs) && events.contains(where: Self.beginnings.contains)
    }
    guard isOpen, let opening = events.first(where: Self.restarts.contains), goesBack(to: opening) else {
      return false
    }
    if isLost, wasEstablished, Self.ringing[opening] == nil, isAnother(next) { return true }
    if let anewMs, wasEstablished || dialled >= 4, timeMs - anewMs <= LoggedEnd.silenceMs { return true }
    guard isSilent(timeMs, nil) else { return false }
    if !wasEstablished { return true }
    return Self.ringing[opening] == nil ? !isHeld : isNamed
  }

  /// Whether an event that names no call may be of the next one, as this one may have been left: a session that begins anew, or what
  /// comes after a silence and does not tell of this call.
  mutating func mayHaveBeenLeft(
    _ events: [String], _ timeMs: Double?, heardMs: Double?, isWaiting: Bool
  ) -> Bool {
    guard isOpen, events.allSatisfy({ !$0.hasPrefix("call.") && !$0.hasPrefix("network.") }) else {
      return false
    }
    if !isTroubled, events.contains(where: Self.starts.contains) {
      anewMs = anewMs ?? timeMs
      return true
    }
    guard isWaiting || timeMs.map({ isSilent($0, heardMs) }) == true else { return false }
    return events.allSatisfy {
      $0.hasPrefix("media.local-") || EventVocabulary.preludes.contains($0)
        || EventVocabulary.isEvidenceOfCall($0) != true
    }
  }

  /// Whether an object of the call, as a line prints it, is another call's beside this one: in a line that opens a call, where lines of
  /// this one had another of its kind, and more than once: there are SDKs that make one for each word.
  func isBeside(_ object: CallSegmenter.ID, _ events: [String]) -> Bool {
    guard isOpen, keepsName(object.name), contradicts([object]),
      let opening = events.first(where: Self.beginnings.contains)
    else {
      return false
    }
    return wasEstablished || goesBack(to: opening)
  }

  private func isSilent(_ timeMs: Double, _ heardMs: Double?) -> Bool {
    guard let toldMs = heardMs.map({ max($0, lastMs ?? $0) }) ?? lastMs else { return false }
    return timeMs - toldMs > LoggedEnd.silenceMs
  }

  /// Whether a word that opens a call goes back to what this one had already.
  private func goesBack(to opening: String) -> Bool {
    if wasEstablished { return true }
    if let place = Self.ringing[opening] { return rung >= place || dialled > 0 }
    guard let place = Self.dialling[opening] else { return false }
    // Who answers may be told that the call is set up.
    return dialled >= place || rung > 0 && place > 1
  }
}
