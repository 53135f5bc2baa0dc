import CallModel

/// What an end was to receive by what was agreed, where no stream of its own says it: by the answers of SDP (RFC 3264), else
/// by a call that was taken up.
struct Reception {
  private(set) var sound = false
  /// Sound or picture.
  private(set) var media = false

  init(_ events: [EventRecord]) {
    var isAnswered = false
    for event in events {
      guard let isOwn = Self.isOwnAnswer(event) else { continue }
      let sections = SessionDescription(event.args).sections
      if !sections.isEmpty { isAnswered = true }
      for section in sections where isOwn ? section.flow.receives : section.flow.sends {
        media = true
        if section.kind == .audio { sound = true }
      }
    }
    // A PeerConnection that is connected has not been picked up by anyone, and may well only send.
    guard !isAnswered, events.contains(where: { $0.event == "call.established" && $0.sdk != "w3c" }) else {
      return
    }
    sound = true
    media = true
  }

  /// Whether an answer is this end's own; nil for what is none. An answer alone says which way media flows: what the offer
  /// does not allow, it may not either.
  private static func isOwnAnswer(_ event: EventRecord) -> Bool? {
    switch event.event {
    case "sdp.answer-created", "sdp.answer-sent": true
    case "sdp.local-setting": event.argument("type") == "answer" ? true : nil
    case "sdp.answer-received": false
    default: nil
    }
  }
}
