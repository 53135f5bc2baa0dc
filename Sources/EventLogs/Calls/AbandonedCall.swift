import CallModel

/// Whether a call was abandoned without an event for its end, for example because the application was killed
/// or the page reloaded.
extension CallProgress {
  /// The events that a caller logs while it sets up a call, in order, and those that a callee logs.
  static let dialling: [EventName: Int] = [
    .callCreated: 1, .callRequestSent: 2, .callDialing: 3, .callRinging: 4, .callEarlyMedia: 4,
  ]
  static let ringing: [EventName: Int] = [.callIncoming: 1, .callAlerting: 2]
  /// Events that begin a session, and events that report that a session was lost and is being restored.
  private static let starts: Set<EventName> = [
    .sessionRegistering, .sessionRegistered, .sessionConnecting, .sessionConnected,
  ]
  static let sessionProblems: Set<EventName> = [
    .sessionReconnecting, .sessionFailed, .sessionHibernating, .sessionHibernated, .sessionSuspended,
    .sessionResumed,
  ]
  private static let deviceEvents: Set<EventName> = [
    .mediaLocalRequested, .mediaLocalAcquired, .mediaLocalFailed,
  ]
  /// Events that begin another call if they occur again. `call.ringing` is not one of them, because it may be
  /// reported every minute; nor is `call.request-sent`, which may be a request within the call.
  private static let restarts: Set<EventName> = [
    .callCreated, .callDialing, .callIncoming, .callAlerting, .tokenRequested,
  ]

  /// Whether these events begin another call although no end of this one was logged: after a silence, or
  /// after a new session has begun.
  ///
  /// Statistics show whether a call goes on. An established call may log nothing for hours, so without
  /// statistics only events that set up a call again begin another one; an incoming call that may be
  /// concurrent does so only if it has an id of its own. A caller that dials somebody else after its network
  /// was lost for good has abandoned this call.
  func wasLeft(
    _ events: [EventName], _ timeMs: Double?, statisticsMs: Double?, isNamed: Bool,
    next: CallSegmenter.ID? = nil
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
    _ events: [EventName], _ timeMs: Double?, statisticsMs: Double?, isWaiting: Bool
  ) -> Bool {
    guard isOpen, events.allSatisfy({ $0.group != .call && $0.group != .network }) else {
      return false
    }
    if !hasProblem, events.contains(where: Self.starts.contains) {
      newSessionMs = newSessionMs ?? timeMs
      return true
    }
    guard isWaiting || timeMs.map({ isSilent($0, statisticsMs) }) == true else { return false }
    return events.allSatisfy {
      Self.deviceEvents.contains($0) || EventName.preludes.contains($0)
        || $0.isEvidenceOfCall != true
    }
  }

  /// Whether a printed call object belongs to a second, concurrent call. That is so if the line opens a call
  /// and earlier lines repeated another object of the same kind for this call. A single mention is not
  /// enough, because some SDKs create an object for each event.
  func isBeside(_ object: CallSegmenter.ID, _ events: [EventName]) -> Bool {
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
  private func goesBack(to opening: EventName) -> Bool {
    if wasEstablished { return true }
    if let place = Self.ringing[opening] { return rung >= place || dialled > 0 }
    guard let place = Self.dialling[opening] else { return false }
    // The callee may be informed that the call is being set up.
    return dialled >= place || rung > 0 && place > 1
  }
}
