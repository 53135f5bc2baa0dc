import CallModel

/// Media that an end hangs up to offer others at once, as who turns the camera on does in some rooms: the call goes on.
enum MediaMadeAnew {
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
