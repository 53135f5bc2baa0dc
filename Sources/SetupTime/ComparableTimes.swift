import CallModel

/// The times of events that another log of the call may report too. The key is the event's name together with
/// what distinguishes it from others of that name, and each key occurs only once.
/// - Parameter sameEnd: Whether the other log is from the same end. If not, only events that every end sees
///   count.
func comparableTimes(_ events: [EventRecord], sameEnd: Bool) -> [String: Double] {
  let enteredMs = sameEnd ? -.infinity : enteredMs(events)
  var times: [String: Double] = [:]
  var repeated = Set<String>()
  for event in events {
    let message = sameEnd ? sipMessage(event) : nil
    guard event.event != .unknown || message != nil, let time = event.ownTimeMs, time > enteredMs,
      sameEnd || isSeenByAll(event)
    else { continue }
    let who = ["participant", "uuid", "messageId", "candidate"].lazy.compactMap { event.argument($0) }.first
    let key = message ?? [event.event.rawValue, who, event[.kind]].compactMap { $0 }.joined(separator: " ")
    // A capture has each message for both ends.
    if let known = times.updateValue(time, forKey: key), known != time { repeated.insert(key) }
  }
  return times.filter { !repeated.contains($0.key) }
}

// By its start line and CSeq a message is the same in two captures of a call, whatever it means there; one that a proxy
// passed on, or that was sent again, occurs twice.
private func sipMessage(_ event: EventRecord) -> String? {
  event[.cseq].map { "\(event.raw) \($0)" }
}

// Actions of a participant, which are reported to everybody in the room.
private let participantEvents: Set<EventName> = [
  .conferenceParticipantJoined, .conferenceParticipantChanged, .conferenceParticipantLeft,
  .conferenceMessage, .callMuted, .callUnmuted, .mediaDropout, .mediaSilent, .mediaRecovered,
]

private let comingsAndGoings: Set<EventName> = [
  .conferenceParticipantJoined, .conferenceParticipantPresent, .conferenceParticipantChanged,
  .conferenceParticipantLeft,
]

// Only one of these exists in a room at a time, regardless of the participant.
private let roomEvents: Set<EventName> = [.conferencePresentationStarted, .conferencePresentationStopped]

// The roster, the stage and the layout are sent to each end when it joins, and at any time to it alone.
private func isSeenByAll(_ event: EventRecord) -> Bool {
  if roomEvents.contains(event.event) || event.argument("messageId") != nil { return true }
  return participantEvents.contains(event.event)
    && (event[.participant] != nil || event.argument("uuid") != nil)
}

// The time until which a log reports the room as its end found it. Those who were already there did not just
// join, although callbacks say so.
private func enteredMs(_ events: [EventRecord]) -> Double {
  func first(_ isWanted: (EventRecord) -> Bool) -> Double? { events.first(where: isWanted)?.timeMs }
  let synced = first { $0.event == .conferenceRosterSynced }
  let entered = synced ?? first { comingsAndGoings.contains($0.event) }
  return entered.map { $0 + clockAgreementMs } ?? -.infinity
}
