import CallModel

/// How an attempt ended, which a log may report in several lines: first a state, then its code or reason.
///
/// The first line gives the time. What ends much later is something else, such as the media or a connection.
struct EndOfAttempt {
  /// Lines within this time after an end belong to it, ms.
  static let sameEndMs = 1000.0

  private let ends: [EventRecord]

  /// - Parameter events: The events of an attempt, from its first end on.
  init(_ events: ArraySlice<EventRecord>) {
    var first: Double?
    ends = events.prefix { event in
      guard let time = event.timeMs else { return true }
      first = first ?? time
      return time - (first ?? time) <= Self.sameEndMs
    }.filter(Self.isEnd)
  }

  static func isEnd(_ event: EventRecord) -> Bool {
    event.event.isEnd
  }

  /// The outcome according to a dialect or its codes: the first that is more specific than a normal end.
  var outcome: Outcome? {
    let outcomes = ends.compactMap(\.statedOutcome)
    return outcomes.first { $0 != .completed } ?? outcomes.first
  }

  /// Whether it gives a reason in words that are in no table, without saying that this end hung up.
  var isUnexplained: Bool {
    guard let code = self[.code], self[.by] != "local" else { return false }
    return code.contains { $0.isLetter }
  }

  /// Whether an SDK passes on what its server said about the end.
  var isReportedByServer: Bool { self[.reportedBy] == "server" }

  /// An argument from the first line that has it.
  subscript<Value>(_ argument: EventArgument<Value>) -> Value? {
    ends.lazy.compactMap { $0[argument] }.first
  }
}

extension EventRecord {
  /// The outcome according to a dialect or its codes.
  var statedOutcome: Outcome? { self[.outcome] }
}

extension [EventRecord] {
  /// The server's refusal to admit this end, if the attempt went no further and was not repeated. A request
  /// for a PIN is no refusal; a wrong PIN is one.
  var refusal: EventRecord? {
    let steps: [EventName] = [.tokenRequested, .tokenFailed]
    guard let last = lastIndex(where: { steps.contains($0.event) }), self[last].event == .tokenFailed,
      self[last].statedOutcome != nil
        || self[last][.wants] == nil && self[last][.code] != nil,
      !contains(where: { Self.isAdmitted($0.event) })
    else { return nil }
    return self[last]
  }

  /// The event with the reason why camera and microphone were not available, in an attempt that ended because
  /// of it.
  var deviceFailure: EventRecord? {
    guard AttemptEvents(self).isEndedByDevice else { return nil }
    return last { $0.event == .mediaLocalFailed && $0[.words] != nil }
  }

  /// The server's refusal to renew the token for the room, if nothing went on after it.
  var refusedRefresh: EventRecord? {
    guard let last = lastIndex(where: { $0.event == .tokenFailed && $0[.stage] == "refresh" }),
      !self[(last + 1)...].contains(where: { $0.event == .tokenRefreshed || $0.event == .tokenGranted })
    else { return nil }
    return self[last]
  }

  /// The SDK's report that its session was not restored, if no events of the call follow.
  var lostSession: EventRecord? {
    guard let last = lastIndex(where: { $0.event == .sessionFailed }),
      self[..<last].contains(where: { $0.event == .sessionReconnecting }),
      !self[(last + 1)...].contains(where: { Self.goesOn($0.event) || $0.event == .sessionConnected })
    else { return nil }
    return self[last]
  }

  /// The event that the session moved to another device, if no events of the call follow.
  var handedOver: EventRecord? {
    guard let last = lastIndex(where: { $0.event == .sessionSuspended }),
      !self[(last + 1)...].contains(where: { $0.event.group == .call || $0.event.group == .session })
    else { return nil }
    return self[last]
  }

  /// The SDK's report that it gave up its connection, if it is the last event of a call: the connection was
  /// not restored and nothing went on.
  var loss: EventRecord? {
    guard let last = lastIndex(where: { $0.event == .networkLost && $0.statedOutcome == .dropped }),
      !self[(last + 1)...].contains(where: { Self.goesOn($0.event) })
    else { return nil }
    return self[last]
  }

  private static func goesOn(_ event: EventName) -> Bool {
    event == .networkReestablished || [.call, .media].contains(event.group)
      || [.iceConnected, .dtlsConnected].contains(event)
  }

  private static func isAdmitted(_ event: EventName) -> Bool {
    event == .sessionConnected || event.group == .call && event != .callCreated
      || [.sdp, .ice, .dtls, .conference].contains(event.group)
  }
}

/// The event that describes how a call ended. Of the ends of its last attempt, it is the last with a code,
/// else the last with a reason, that does not contradict the first ones. Without an end, it is the server's
/// refusal, or the loss of the connection. Nil if there is none of these.
public func endingEvent(of events: [EventRecord]) -> EventRecord? {
  let attempt = splitAttempts(events).last ?? events
  guard let first = attempt.firstIndex(where: EndOfAttempt.isEnd) else {
    return attempt.refusal ?? attempt.loss ?? attempt.refusedRefresh
      ?? attempt.lostSession
  }
  let outcome = EndOfAttempt(attempt[first...]).outcome
  let ends = attempt[first...].filter { end in
    guard EndOfAttempt.isEnd(end) else { return false }
    guard let outcome, outcome != .completed, let own = end.statedOutcome else { return true }
    return own == outcome
  }
  // A code that names the cause says more than a word behind it that no table knows (`Call failed`).
  return ends.last { $0[.verdictCause] != nil } ?? ends.last { $0[.code] != nil }
    ?? ends.last { $0[.reason] != nil } ?? ends.last { $0[.words] != nil }
    ?? attempt.deviceFailure
}
