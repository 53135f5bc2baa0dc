import CallModel

/// Cuts the events of an endpoint into attempts: a new one begins with what opens a call after the one before has failed or ended.
///
/// A second PeerConnection of a living call is no new attempt, and neither is an ICE restart. One that is made while the
/// call's streams are all gone, before there are others, is that of a page that was loaded again, which ended nothing.
func splitAttempts(_ events: [EventRecord], gaps: [ClosedRange<Double>] = []) -> [[EventRecord]] {
  var attempts: [[EventRecord]] = []
  var current: [EventRecord] = []
  var isOver = false
  var isEstablished = false
  let gaps = gaps.filter { gap in
    events.contains { $0.event == "call.created" && $0.timeMs.map(gap.contains) == true }
  }
  for event in MediaRenegotiation.left(of: events.inOrder(by: \.timeMs)) {
    let isLoadedAgain =
      isEstablished && event.timeMs.map { time in gaps.contains { $0.contains(time) } } == true
    if isOver || isLoadedAgain, EventVocabulary.openings.contains(event.event) {
      attempts.append(current)
      current = []
      isOver = false
      isEstablished = false
    }
    current.append(event)
    switch event.event {
    case "call.established": isEstablished = true
    case "call.ended", "call.failed": isOver = true
    case "push.expired": isOver = isOver || !current.dropLast().contains { triesToConnect($0.event) }
    default: break
    }
  }
  attempts.append(current)
  return attempts.filter { attempt in
    attempt.contains { triesToConnect($0.event) || isEndOfTry($0) } || isEndedByDevice(attempt)
      || isOfRoom(attempt) || isRestOfCall(attempt)
  }
}

// A look at the camera is no call, unless the page says that one ended with the refusal. What closes a PeerConnection closes one
// of before.
private func isEndedByDevice(_ attempt: [EventRecord]) -> Bool {
  let hasEnded = attempt.contains { event in
    EndOfAttempt.isEnd(event) && (event.sdk != "w3c" || event.raw.lowercased().contains("hangup"))
  }
  return hasEnded && Timeline(attempt).isEndedByDevice
}

// An end that says what went wrong, or a refusal, is that of a call, though the log tells nothing else of it.
private func isEndOfTry(_ event: EventRecord) -> Bool {
  guard event.event == "call.ended" || event.event == "token.failed", let said = event.saidOutcome else {
    return false
  }
  return said != .completed
}

// What a log that begins amid a call tells of it.
private func isRestOfCall(_ attempt: [EventRecord]) -> Bool {
  attempt.contains { $0.event == "call.ended" } && Timeline(attempt).beginsAmidCall
}

// Who was in a room by its event stream, and left it, though the log tells nothing of the media.
private func isOfRoom(_ attempt: [EventRecord]) -> Bool {
  attempt.contains { $0.event == "conference.roster-synced" }
    && attempt.contains { $0.event == "call.ended" && $0.saidOutcome != nil }
}

// A mute, a hang-up or a roster is no try to set a call up.
private let tries: Set<String> = EventVocabulary.openings.subtracting(EventVocabulary.preludes).union([
  "call.early-media", "call.answered", "call.media-pending", "call.established", "call.handed-over",
  "call.failed",
])

private func triesToConnect(_ event: String) -> Bool {
  event.hasPrefix("sdp.") || event.hasPrefix("ice.") || event.hasPrefix("dtls.") || tries.contains(event)
}

/// Media that an end hangs up to offer others at once, as who turns the camera on does in some rooms: the call goes on.
enum MediaRenegotiation {
  /// Longest time without media, ms: within it nobody hangs up and calls again.
  private static let withinMs = 1000.0

  /// Events in order of time, but for the ends of such media.
  static func left(of events: [EventRecord]) -> [EventRecord] {
    let lastAnswer =
      events.lastIndex { ["sdp.answer-received", "call.established"].contains($0.event) } ?? -1
    var left: [EventRecord] = []
    // The opening behind those that are looked at.
    var opening: Int?
    for (place, event) in events.enumerated().reversed() {
      let goesOn = opening.map { $0 <= lastAnswer && isNoEnd(event, before: events[$0]) } ?? false
      if !goesOn { left.append(event) }
      if EventVocabulary.openings.contains(event.event) { opening = place }
    }
    return left.reversed()
  }

  // An end of one's own, without anything that went wrong, and right behind it an offer alone.
  private static func isNoEnd(_ end: EventRecord, before opening: EventRecord) -> Bool {
    guard end.event == "call.ended", end.sdk != "w3c", end.argument("by") == "local",
      let endMs = end.ownTimeMs, end.saidOutcome == nil || end.saidOutcome == .completed,
      opening.event.hasPrefix("sdp.offer"), let offerMs = opening.ownTimeMs
    else { return false }
    return offerMs - endMs < withinMs
  }
}
