import CallModel

/// How an attempt ended, as one log tells it in several lines: a state first, its code or its reason behind it.
///
/// The first of them gives the time. What ends long after it is something else: the media, a connection.
struct EndOfAttempt {
  /// What a log still says of an end so soon after it belongs to it, ms.
  static let sameEndMs = 1000.0

  private let told: [EventRecord]

  /// - Parameter events: an attempt's, from its first end on.
  init(_ events: ArraySlice<EventRecord>) {
    var first: Double?
    told = events.prefix { event in
      guard let time = event.timeMs else { return true }
      first = first ?? time
      return time - (first ?? time) <= Self.sameEndMs
    }.filter(Self.isEnd)
  }

  static func isEnd(_ event: EventRecord) -> Bool {
    event.event == "call.failed" || event.event == "call.ended"
  }

  /// What a dialect or its codes say of it: the first word that is more than that a call ended as calls do.
  var outcome: Outcome? {
    let said = told.compactMap(\.saidOutcome)
    return said.first { $0 != .completed } ?? said.first
  }

  /// Whether it gives a reason in words that no table knows, and does not say that this end wanted it.
  var isUnexplained: Bool {
    guard let code = argument("code"), argument("by") != "local" else { return false }
    return code.contains { $0.isLetter }
  }

  /// An argument of the first line that has it.
  func argument(_ name: String) -> String? { told.lazy.compactMap { $0.argument(name) }.first }
}

extension EventRecord {
  /// What a dialect or its codes say of it.
  var saidOutcome: Outcome? { argument("outcome").flatMap(Outcome.init(rawValue:)) }
}

extension [EventRecord] {
  /// The server's word that it lets nobody in, where an attempt came no further: nobody asked again. That it wants
  /// a PIN is no refusal; that the PIN was wrong is one.
  var refusal: EventRecord? {
    let steps = ["token.requested", "token.failed"]
    guard let last = lastIndex(where: { steps.contains($0.event) }), self[last].event == "token.failed",
      self[last].saidOutcome != nil
        || self[last].argument("wants") == nil && self[last].argument("code") != nil,
      !contains(where: { Self.isLetIn($0.event) })
    else { return nil }
    return self[last]
  }

  /// Why camera and microphone could not be had, in an attempt that ended for it.
  var deviceFailure: EventRecord? {
    guard Timeline(self).isEndedByDevice else { return nil }
    return last { $0.event == "media.local-failed" && $0.argument("words") != nil }
  }

  /// The server's word that it does not renew the right to be in the room, where nothing went on after it.
  var refusedRefresh: EventRecord? {
    guard let last = lastIndex(where: { $0.event == "token.failed" && $0.argument("stage") == "refresh" }),
      !self[(last + 1)...].contains(where: { $0.event == "token.refreshed" || $0.event == "token.granted" })
    else { return nil }
    return self[last]
  }

  /// The SDK's word that its session did not come back, where nothing of the call came after it.
  var lostSession: EventRecord? {
    guard let last = lastIndex(where: { $0.event == "session.failed" }),
      self[..<last].contains(where: { $0.event == "session.reconnecting" }),
      !self[(last + 1)...].contains(where: { Self.goesOn($0.event) || $0.event == "session.connected" })
    else { return nil }
    return self[last]
  }

  /// The word that the session went to another device, where nothing of the call came after it.
  var handedOver: EventRecord? {
    guard let last = lastIndex(where: { $0.event == "session.suspended" }),
      !self[(last + 1)...].contains(where: { $0.event.hasPrefix("call.") || $0.event.hasPrefix("session.") })
    else { return nil }
    return self[last]
  }

  /// The SDK's word that it gave its connection up, where it is the last of a call: nothing came back, nothing went on.
  var loss: EventRecord? {
    guard let last = lastIndex(where: { $0.event == "network.lost" && $0.saidOutcome == .dropped }),
      !self[(last + 1)...].contains(where: { Self.goesOn($0.event) })
    else { return nil }
    return self[last]
  }

  private static func goesOn(_ event: String) -> Bool {
    event == "network.reestablished" || ["call.", "media."].contains { event.hasPrefix($0) }
      || ["ice.connected", "dtls.connected"].contains(event)
  }

  private static func isLetIn(_ event: String) -> Bool {
    event == "session.connected" || event.hasPrefix("call.") && event != "call.created"
      || ["sdp.", "ice.", "dtls.", "conference."].contains { event.hasPrefix($0) }
  }
}

/// The word on how a call ended: of its last attempt's ends the last one with a code, else with a reason, that does not contradict
/// what the first ones said; without an end, the server's refusal, or that the connection was given up. Nil where none has either.
public func wordsOfEnd(_ events: [EventRecord]) -> EventRecord? {
  let attempt = splitAttempts(events).last ?? events
  guard let first = attempt.firstIndex(where: EndOfAttempt.isEnd) else {
    return attempt.refusal ?? attempt.loss ?? attempt.refusedRefresh
      ?? attempt.lostSession
  }
  let said = EndOfAttempt(attempt[first...]).outcome
  let ends = attempt[first...].filter { end in
    guard EndOfAttempt.isEnd(end) else { return false }
    guard let said, said != .completed, let own = end.saidOutcome else { return true }
    return own == said
  }
  // A code that names the cause says more than a word behind it that no table knows (`Call failed`).
  return ends.last { $0.argument("verdict_cause") != nil } ?? ends.last { $0.argument("code") != nil }
    ?? ends.last { $0.argument("reason") != nil } ?? ends.last { $0.argument("words") != nil }
    ?? attempt.deviceFailure
}
