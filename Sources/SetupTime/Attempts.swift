import CallModel

/// Splits the events of an endpoint into attempts. A new attempt begins with an event that opens a call after
/// the previous one has failed or ended.
///
/// A second PeerConnection in an ongoing call is no new attempt, nor is an ICE restart. A PeerConnection
/// created while all streams of the call have stopped, before new ones begin, means that the page was
/// reloaded without an event for the end of the call.
func splitAttempts(_ events: [EventRecord], gaps: [ClosedRange<Double>] = []) -> [[EventRecord]] {
  var attempts: [[EventRecord]] = []
  var current: [EventRecord] = []
  var isOver = false
  var isEstablished = false
  let gaps = gaps.filter { gap in
    events.contains { $0.event == .callCreated && $0.timeMs.map(gap.contains) == true }
  }
  for event in MediaRenegotiation.left(of: events.inOrder(by: \.timeMs)) {
    let isLoadedAgain =
      isEstablished && event.timeMs.map { time in gaps.contains { $0.contains(time) } } == true
    if isOver || isLoadedAgain, EventName.openings.contains(event.event) {
      attempts.append(current)
      current = []
      isOver = false
      isEstablished = false
    }
    current.append(event)
    switch event.event {
    case .callEstablished: isEstablished = true
    case .callEnded, .callFailed: isOver = true
    case .pushExpired: isOver = isOver || !current.dropLast().contains { triesToConnect($0.event) }
    default: break
    }
  }
  attempts.append(current)
  return attempts.filter { attempt in
    attempt.contains { triesToConnect($0.event) || isEndOfTry($0) } || isEndedByDevice(attempt)
      || isOfRoom(attempt) || isRestOfCall(attempt)
  }
}

// Access to the camera alone is no call, unless the page reports that one ended because access was denied.
// Closing a PeerConnection closes an earlier one.
private func isEndedByDevice(_ attempt: [EventRecord]) -> Bool {
  let hasEnded = attempt.contains { event in
    EndOfAttempt.isEnd(event) && (event.sdk != "w3c" || event.raw.lowercased().contains("hangup"))
  }
  return hasEnded && AttemptEvents(attempt).isEndedByDevice
}

// An end with a failure reason, or a rejection, belongs to a call even if the log says nothing else about it.
private func isEndOfTry(_ event: EventRecord) -> Bool {
  guard event.event == .callEnded || event.event == .tokenFailed, let outcome = event.statedOutcome else {
    return false
  }
  return outcome != .completed
}

// Whether an attempt is the rest of a call whose log begins in the middle of it.
private func isRestOfCall(_ attempt: [EventRecord]) -> Bool {
  attempt.contains { $0.event == .callEnded } && AttemptEvents(attempt).beginsAmidCall
}

// A participant was in a room according to its event stream and left, although the log says nothing about
// media.
private func isOfRoom(_ attempt: [EventRecord]) -> Bool {
  attempt.contains { $0.event == .conferenceRosterSynced }
    && attempt.contains { $0.event == .callEnded && $0.statedOutcome != nil }
}

// Muting, hanging up or a roster is no attempt to set up a call.
private let tries: Set<EventName> = EventName.openings.subtracting(EventName.preludes).union([
  .callEarlyMedia, .callAnswered, .callMediaPending, .callEstablished, .callHandedOver, .callFailed,
])

private func triesToConnect(_ event: EventName) -> Bool {
  [.sdp, .ice, .dtls].contains(event.group) || tries.contains(event)
}

/// Media that an end hangs up in order to offer new ones immediately, as happens in some rooms when the
/// camera is turned on. The call goes on.
enum MediaRenegotiation {
  /// The maximum time without media, ms. Nobody hangs up and calls again so quickly.
  private static let withinMs = 1000.0

  /// Returns events in chronological order, without the ends of such media.
  static func left(of events: [EventRecord]) -> [EventRecord] {
    let lastAnswer =
      events.lastIndex { [.sdpAnswerReceived, .callEstablished].contains($0.event) } ?? -1
    var left: [EventRecord] = []
    // The next opening after the current event.
    var opening: Int?
    for (place, event) in events.enumerated().reversed() {
      let goesOn = opening.map { $0 <= lastAnswer && isNoEnd(event, before: events[$0]) } ?? false
      if !goesOn { left.append(event) }
      if EventName.openings.contains(event.event) { opening = place }
    }
    return left.reversed()
  }

  // A local hang-up without any failure, directly followed by an offer alone.
  private static func isNoEnd(_ end: EventRecord, before opening: EventRecord) -> Bool {
    guard end.event == .callEnded, end.sdk != "w3c", end[.by] == "local",
      let endMs = end.ownTimeMs, end.statedOutcome == nil || end.statedOutcome == .completed,
      opening.event.isOffer, let offerMs = opening.ownTimeMs
    else { return false }
    return offerMs - endMs < withinMs
  }
}
