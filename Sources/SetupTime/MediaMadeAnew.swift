import CallModel

/// Media that an end hangs up to offer others at once, as who turns the camera on does in some rooms: the call goes on.
enum MediaMadeAnew {
  /// Longest time without media, ms: within it nobody hangs up and calls again.
  private static let withinMs = 1000.0

  /// Events in order of time, but for the ends of such media.
  static func left(of events: [EventRecord]) -> [EventRecord] {
    var left: [EventRecord] = []
    for (place, event) in events.enumerated() where !isNoEnd(event, before: events[(place + 1)...]) {
      left.append(event)
    }
    return left
  }

  // An end of one's own, without anything that went wrong, and right behind it an offer alone that is taken up.
  private static func isNoEnd(_ end: EventRecord, before rest: ArraySlice<EventRecord>) -> Bool {
    guard end.event == "call.ended", end.sdk != "w3c", end.argument("by") == "local",
      let endMs = end.ownTimeMs,
      end.saidOutcome == nil || end.saidOutcome == .completed
    else { return false }
    guard let offer = rest.firstIndex(where: { EventVocabulary.openings.contains($0.event) }),
      rest[offer].event.hasPrefix("sdp.offer"), let offerMs = rest[offer].ownTimeMs,
      offerMs - endMs < withinMs
    else { return false }
    return rest[offer...].contains { ["sdp.answer-received", "call.established"].contains($0.event) }
  }
}
