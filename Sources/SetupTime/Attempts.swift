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
  for event in MediaMadeAnew.left(of: events.inOrder(by: \.timeMs)) {
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
      || isOfRoom(attempt)
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
