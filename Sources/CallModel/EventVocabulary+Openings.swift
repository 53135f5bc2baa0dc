extension EventVocabulary {
  /// What begins another call, or another attempt, once the one before is over.
  public static let openings: Set<String> = [
    "call.created", "call.incoming", "call.alerting", "call.request-sent", "call.dialing", "call.ringing",
    "media.local-requested", "push.received", "push.expired", "token.requested", "sdp.offer-requested",
    "sdp.offer-created", "sdp.offer-sent", "sdp.offer-received",
  ]

  /// Openings that do not always lead to a call: a look at the camera, a push that is for something else.
  public static let preludes: Set<String> = ["media.local-requested", "push.received"]

  /// Whether an event tells that there was a call; false where it is of a session, the network, the application or its devices, which
  /// an idle evening has too, and nil where nobody knows.
  public static func tellsOfCall(_ event: String) -> Bool? {
    if event == unknown { return nil }
    if idle.contains(event) { return false }
    return !["session.", "network.", "app."].contains { event.hasPrefix($0) }
  }

  private static let idle: Set<String> = [
    "push.subscribed", "push.unsubscribed", "media.device-changed", "media.device-requested",
  ]
}
