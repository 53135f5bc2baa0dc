import CallModel

/// What another log of the call may tell too: when it happened, of events that occur once under their name and what tells them
/// from others of that name.
/// - Parameter sameEnd: whether the other log tells of the same end; else only what every end sees counts.
func witnesses(_ events: [EventRecord], sameEnd: Bool) -> [String: Double] {
  let enteredMs = sameEnd ? -.infinity : enteredMs(events)
  var times: [String: Double] = [:]
  var repeated = Set<String>()
  for event in events where event.event != EventVocabulary.unknown {
    guard let time = event.ownTimeMs, time > enteredMs, sameEnd || isSeenByAll(event) else { continue }
    let who = ["participant", "uuid", "messageId", "candidate"].lazy.compactMap { event.argument($0) }.first
    let key = [event.event, who, event.argument("kind")].compactMap { $0 }.joined(separator: " ")
    if times.updateValue(time, forKey: key) != nil { repeated.insert(key) }
  }
  return times.filter { !repeated.contains($0.key) }
}

// What a participant does is told to everybody in the room.
private let deeds: Set = [
  "conference.participant-joined", "conference.participant-changed", "conference.participant-left",
  "conference.message", "call.muted", "call.unmuted", "media.dropout", "media.silent", "media.recovered",
]

// Of these there is one at a time in a room, whoever it is of.
private let ofTheRoom: Set = ["conference.presentation-started", "conference.presentation-stopped"]

// The roster, the stage and the layout are told to each end when it comes, and at any time to it alone.
private func isSeenByAll(_ event: EventRecord) -> Bool {
  if ofTheRoom.contains(event.event) || event.argument("messageId") != nil { return true }
  return deeds.contains(event.event)
    && (event.argument("participant") != nil || event.argument("uuid") != nil)
}

// Until when a log tells the room as its end found it: who was there is no news to those who were, though callbacks call it a join.
private func enteredMs(_ events: [EventRecord]) -> Double {
  func first(_ isWanted: (EventRecord) -> Bool) -> Double? { events.first(where: isWanted)?.timeMs }
  let synced = first { $0.event == "conference.roster-synced" }
  let entered = synced ?? first { $0.event.hasPrefix("conference.participant-") }
  return entered.map { $0 + clockAgreementMs } ?? -.infinity
}
