import CallModel

/// What an end was to receive by what was agreed, where no stream of its own says it: by the answers of SDP (RFC 3264), else
/// by a call that was taken up.
public struct Reception: Sendable {
  public private(set) var sound = false
  /// Sound or picture.
  public private(set) var media = false

  /// What is agreed in these events of one end.
  public init(_ events: [EventRecord]) {
    var isAnswered = false
    for event in events {
      guard let agreed = Self.agreed(event) else { continue }
      isAnswered = true
      if !agreed.isEmpty { media = true }
      if agreed.contains(.audio) { sound = true }
    }
    // A PeerConnection that is connected has not been picked up by anyone, and may well only send.
    let established = events.first { $0.event == "call.established" && $0.sdk != "w3c" }
    guard !isAnswered, let established else { return }
    // SIP's descriptions may let one side only send.
    let far = events.contains { $0.event == "call.incoming" } ? "caller" : "callee"
    if let senders = established.argument("sound_from"), senders != far { return }
    sound = true
    media = true
  }

  /// What is to come to this end by an answer; nil for what is none, or does not tell.
  static func agreed(_ event: EventRecord) -> [MediaKind]? {
    guard let isOwn = isOwnAnswer(event) else { return nil }
    let sections = SessionDescription(event.args).sections
    guard !sections.isEmpty else { return nil }
    return sections.filter { isOwn ? $0.flow.receives : $0.flow.sends }.map(\.kind)
  }

  /// Whether an answer is this end's own; nil for what is none. An answer alone says which way media flows: what the offer
  /// does not allow, it may not either.
  public static func isOwnAnswer(_ event: EventRecord) -> Bool? {
    switch event.event {
    case "sdp.answer-created", "sdp.answer-sent": true
    case "sdp.local-setting": event.argument("type") == "answer" ? true : nil
    case "sdp.answer-received": false
    default: nil
    }
  }
}
