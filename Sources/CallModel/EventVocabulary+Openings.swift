extension EventVocabulary {
  /// What begins another call, or another attempt, once the one before is over.
  public static let openings: Set<String> = [
    "call.created", "call.incoming", "call.alerting", "call.request-sent", "call.dialing", "call.ringing",
    "media.local-requested", "push.received", "token.requested", "sdp.offer-requested", "sdp.offer-created",
    "sdp.offer-sent", "sdp.offer-received",
  ]

  /// Openings that do not always lead to a call: a look at the camera, a push that is for something else.
  public static let preludes: Set<String> = ["media.local-requested", "push.received"]
}
