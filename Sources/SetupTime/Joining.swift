import CallModel

extension Timeline {
  /// The first word of a call. Whoever asked to be let into a room began with that, however many steps towards media followed; where
  /// those came only later, `askedInside` tells.
  var wished: Moment? {
    let opening = [
      "token.requested", "call.request-sent", "call.dialing", "sdp.offer-requested", "sdp.offer-created",
      "sdp.offer-received",
    ]
    let from = askedAgainMs ?? -.infinity
    guard let created = first(of: ["call.created"], from: from) else { return first(of: opening, from: from) }
    guard let token = first(of: ["token.requested"], from: from) else { return created }
    return token.timeMs < created.timeMs ? token : created
  }

  /// Where media were asked for by somebody who had been in the room for a while without any; nil where they were asked for in one
  /// go. The time between is a person's, and joining no part of what followed.
  var askedInside: Moment? {
    let steps = [
      "call.created", "media.local-requested", "sdp.offer-requested", "sdp.offer-created", "sdp.local-set",
      "ice.gathering-started", "sdp.offer-sent",
    ]
    guard let inside, let asked = first(of: steps, from: inside.timeMs),
      asked.timeMs - inside.timeMs > Self.joiningMs,
      !moments.contains(where: { $0.timeMs < inside.timeMs && steps.dropFirst().contains($0.event) })
    else { return nil }
    return asked
  }

  /// Longest time that a client takes by itself from the room to its offer, ms: PexRTC gathers candidates for 10 s at most.
  private static let joiningMs = 15_000.0

  // When this end was in a room, with or without media.
  private var inside: Moment? {
    first(of: ["conference.roster-synced"])
      ?? first(of: ["token.requested"], from: askedAgainMs ?? -.infinity)
  }

  /// Whether the server wanted something of a person and nothing tells when it was given: how much of the time to the call was that
  /// person's, nobody knows.
  var isTypingUntold: Bool {
    let asking = joining.filter { $0.event == "token.requested" || $0.event == "token.failed" }
    return asking.last.map { $0.event == "token.failed" && $0.argument("wants") != nil } ?? false
  }

  private var joining: ArraySlice<EventRecord> { events.prefix { $0.event != "call.established" } }

  // When a token was asked for with what the server had wanted of a person first, a PIN for one; nil where it wanted nothing. Until
  // then a person typed, perhaps several times.
  private var askedAgainMs: Double? {
    let joining = joining
    guard
      let wanted = joining.firstIndex(where: { $0.event == "token.failed" && $0.argument("wants") != nil }),
      let asked = joining.lastIndex(where: { $0.event == "token.requested" }), asked > wanted,
      let refused = joining[wanted..<asked].lastIndex(where: { $0.event == "token.failed" })
    else { return nil }
    return joining[refused...].first { $0.event == "token.requested" }?.ownTimeMs
  }
}
