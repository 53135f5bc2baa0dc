import CallModel

/// Whether a call was abandoned without an event for its end, for example because the application was killed
/// or the page reloaded.
extension CallProgress {
  /// The events that a caller logs while it sets up a call, in order, and those that a callee logs.
  static let dialling = [
    "call.created": 1, "call.request-sent": 2, "call.dialing": 3, "call.ringing": 4, "call.early-media": 4,
  ]
  static let ringing = ["call.incoming": 1, "call.alerting": 2]
  /// Events that begin a session, and events that report that a session was lost and is being restored.
  private static let starts: Set = [
    "session.registering", "session.registered", "session.connecting", "session.connected",
  ]
  static let sessionProblems: Set = [
    "session.reconnecting", "session.failed", "session.hibernating", "session.hibernated",
    "session.suspended",
    "session.resumed",
  ]
  /// Events that begin another call if they occur again. `call.ringing` is not one of them, because it may be
  /// reported every minute; nor is `call.request-sent`, which may be a request within the call.
  private static let restarts: Set = [
    "call.created", "call.dialing", "call.incoming", "call.alerting", "token.requested",
  ]

  /// Whether these events begin another call although no end of this one was logged: after a silence, or
  /// after a new session has begun.
  ///
  /// Statistics show whether a call goes on. An established call may log nothing for hours, so without
  /// statistics only events that set up a call again begin another one; an incoming call that may be
  /// concurrent does so only if it has an id of its own. A caller that dials somebody else after its network
  /// was lost for good has abandoned this call.
  func wasLeft(
    _ events: [String], _ timeMs: Double?, statisticsMs: Double?, isNamed: Bool, next: CallSegmenter.ID? = nil
  ) -> Bool {
    guard let timeMs else { return false }
    if statisticsMs != nil {
      return isSilent(timeMs, statisticsMs) && events.contains(where: Self.beginnings.contains)
    }
    guard isOpen, let opening = events.first(where: Self.restarts.contains), goesBack(to: opening) else {
      return false
    }
    if isLost, wasEstablished, Self.ringing[opening] == nil, isAnother(next) { return true }
    if let newSessionMs, wasEstablished || dialled >= 4, timeMs - newSessionMs <= LoggedEnd.silenceMs {
      return true
    }
    guard isSilent(timeMs, nil) else { return false }
    if !wasEstablished { return true }
    return Self.ringing[opening] == nil ? !isHeld : isNamed
  }

  /// Whether an event that names no call may belong to the next call because this one may have been
  /// abandoned: a session begins anew, or the event follows a silence and says nothing about this call.
  mutating func mayHaveBeenLeft(
    _ events: [String], _ timeMs: Double?, statisticsMs: Double?, isWaiting: Bool
  ) -> Bool {
    guard isOpen, events.allSatisfy({ !$0.hasPrefix("call.") && !$0.hasPrefix("network.") }) else {
      return false
    }
    if !hasProblem, events.contains(where: Self.starts.contains) {
      newSessionMs = newSessionMs ?? timeMs
      return true
    }
    guard isWaiting || timeMs.map({ isSilent($0, statisticsMs) }) == true else { return false }
    return events.allSatisfy {
      $0.hasPrefix("media.local-") || EventVocabulary.preludes.contains($0)
        || EventVocabulary.isEvidenceOfCall($0) != true
    }
  }

  /// Whether a printed call object belongs to a second, concurrent call. That is so if the line opens a call
  /// and earlier lines repeated another object of the same kind for this call. A single mention is not
  /// enough, because some SDKs create an object for each event.
  func isBeside(_ object: CallSegmenter.ID, _ events: [String]) -> Bool {
    guard isOpen, keepsName(object.name), contradicts([object]),
      let opening = events.first(where: Self.beginnings.contains)
    else {
      return false
    }
    return wasEstablished || goesBack(to: opening)
  }

  private func isSilent(_ timeMs: Double, _ statisticsMs: Double?) -> Bool {
    guard let latestMs = statisticsMs.map({ max($0, lastMs ?? $0) }) ?? lastMs else { return false }
    return timeMs - latestMs > LoggedEnd.silenceMs
  }

  /// Whether an event that opens a call repeats a step that this call has already passed.
  private func goesBack(to opening: String) -> Bool {
    if wasEstablished { return true }
    if let place = Self.ringing[opening] { return rung >= place || dialled > 0 }
    guard let place = Self.dialling[opening] else { return false }
    // The callee may be informed that the call is being set up.
    return dialled >= place || rung > 0 && place > 1
  }
}
