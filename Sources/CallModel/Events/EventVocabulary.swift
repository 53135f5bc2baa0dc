/// The canonical events: one vocabulary for all SDKs (docs: setup time). The raw name is stored beside it.
public enum EventVocabulary {
  /// Whether the vocabulary contains a name.
  public static func contains(_ name: String) -> Bool {
    if name == unknown { return true }
    guard let dot = name.firstIndex(of: ".") else { return false }
    return groups[String(name[..<dot])]?.contains(String(name[name.index(after: dot)...])) ?? false
  }

  /// The name of an event that no dialect knows.
  public static let unknown = "unknown"

  /// The event by which statistics report each candidate pair, with the last figures seen.
  public static let pathPairs = "media.path-pairs"

  /// The names by group; `groups["call"]` holds `ringing`, which is `call.ringing` in full.
  public static let groups: [String: Set<String>] = [
    "call": [
      "created", "incoming", "request-sent", "dialing", "alerting", "ringing", "early-media", "answered",
      "media-pending", "established", "held", "resumed", "remotely-held", "double-held", "updated",
      "transferred",
      "joined", "muted", "unmuted", "dtmf", "failed", "ended", "handed-over", "connection-state", "idle",
    ],
    "media": [
      "local-requested", "local-acquired", "local-failed", "remote-stream", "first-packet", "first-frame",
      "first-audio", "quality-limited", "resolution-changed", "codec-changed", "implementation-changed",
      "dropout", "recovered",
      "quality-reported", "spoke",
      "silent", "remote-muted", "remote-ended", "display-requested", "display-acquired",
      "display-failed", "track-added", "track-removed", "transceiver-changed", "sender-changed",
      "device-changed", "device-requested", "taken-away", "given-back",
      "interrupted", "statistics", "path-checks", "path-pairs",
    ],
    "sdp": [
      "offer-requested", "offer-created", "offer-sent", "offer-received", "answer-requested",
      "answer-created",
      "answer-sent", "answer-received", "provisional-answer-received", "local-setting", "local-set",
      "remote-setting", "remote-set", "signaling-state", "negotiation-needed", "rollback", "failed",
    ],
    "ice": [
      "gathering-new", "gathering-started", "gathering-complete", "gathering-state", "candidate",
      "candidates-end", "candidate-error", "remote-candidate", "remote-candidate-added",
      "remote-candidate-failed", "pair-changed", "new", "checking", "connecting", "connected", "disconnected",
      "failed", "restarted", "closed", "state", "legacy-state",
    ],
    "dtls": ["new", "started", "retransmitted", "connected", "failed", "closed", "state"],
    "network": [
      "retry", "lost", "reestablished", "unavailable", "available", "changed", "type-changed",
    ],
    "session": [
      "registering", "registered", "registration-failed", "unregistered", "connecting", "connected",
      "reconnecting",
      "failed", "closed", "hibernating", "hibernated", "suspended", "resumed", "configured", "keepalive",
      "data-channel-created", "data-channel-opened", "data-channel-closed", "data-channel-failed",
      "internal-error",
      "frame", "request",
    ],
    "push": ["sent", "received", "subscribed", "unsubscribed", "expired", "relayed", "invalid"],
    "app": [
      "message", "message-sent", "message-delivered", "message-failed", "topic-connected", "topic-updated",
      "topic-deleted", "topic-failed", "background", "foreground",
    ],
    "token": ["requested", "granted", "refreshed", "released", "expired", "failed"],
    "conference": [
      "participant-joined", "participant-present", "participant-changed", "participant-left",
      "roster-syncing",
      "roster-synced", "stage", "presentation-started", "presentation-stopped", "presentation-frame",
      "message",
      "layout", "updated", "waiting", "admitted", "captions", "splash-screen", "breakout", "error", "control",
    ],
  ]
}

extension EventVocabulary {
  /// Events that begin another call, or another attempt, once the one before is over.
  public static let openings: Set<String> = [
    "call.created", "call.incoming", "call.alerting", "call.request-sent", "call.dialing", "call.ringing",
    "media.local-requested", "push.received", "push.expired", "token.requested", "sdp.offer-requested",
    "sdp.offer-created", "sdp.offer-sent", "sdp.offer-received",
  ]

  /// Openings that do not always lead to a call: a request for the camera, or a push sent for another reason.
  public static let preludes: Set<String> = ["media.local-requested", "push.received"]

  /// Whether an event is evidence of a call; false for events of a session, the network, the application or
  /// its devices, which also occur without a call; nil if unknown.
  public static func isEvidenceOfCall(_ event: String) -> Bool? {
    if event == unknown || event == pathPairs { return nil }
    if idle.contains(event) { return false }
    return !["session.", "network.", "app."].contains { event.hasPrefix($0) }
  }

  private static let idle: Set<String> = [
    "push.subscribed", "push.unsubscribed", "media.device-changed", "media.device-requested",
  ]
}

/// How long before a call a push, a camera prompt or a device query still counts as part of it, ms: about as
/// long as a telephone rings or a permission prompt stays open.
private let leadMs = 60_000.0

/// The time range of a call, from its own events and its media.
///
/// Events of the application and its session are left out, as an application may have logged in hours ago.
/// Events that lead up to a call count if they come shortly before it. If no event belongs to the call
/// itself, all events count.
public func spanOfCall(_ events: [EventRecord], media: [Double]) -> ClosedRange<Double>? {
  var own = Moments()
  var leading: [Double] = []
  var all = Moments()
  var overMs: Double?
  for time in media { own.add(time) }
  for event in events {
    guard let time = event.timeMs else { continue }
    all.add(time)
    switch EventVocabulary.relation(of: event.event) {
    case .own:
      own.add(time)
      if event.event == "call.ended" || event.event == "call.failed" { overMs = max(overMs ?? time, time) }
    case .leading: leading.append(time)
    case .session: break
    }
  }
  guard let span = own.span else { return all.span }
  for time in leading where time >= span.lowerBound - leadMs && time <= overMs ?? .infinity { own.add(time) }
  // Without an event that ends it, the call lasts until the last event.
  if overMs == nil, let last = all.span?.upperBound { own.add(max(last, span.lowerBound)) }
  return own.span
}

private struct Moments {
  private(set) var span: ClosedRange<Double>?

  mutating func add(_ ms: Double) {
    span = min(span?.lowerBound ?? ms, ms)...max(span?.upperBound ?? ms, ms)
  }
}

extension EventVocabulary {
  /// How an event in the log of a call relates to that call.
  enum Relation { case own, leading, session }

  static func relation(of event: String) -> Relation {
    let group = event.prefix { $0 != "." }
    switch group {
    case "call": return event == "call.idle" ? .session : .own
    case "sdp", "ice", "dtls", "conference": return .own
    // Requesting a token, or failing to get one, is part of joining a call; refreshing one belongs to the
    // session.
    case "token": return event == "token.requested" ? .own : event == "token.failed" ? .leading : .session
    // The call came too late.
    case "push" where event == "push.expired": return .own
    case "push": return ["push.sent", "push.received", "push.relayed"].contains(event) ? .leading : .session
    case "media": return .leading
    default: return .session
    }
  }
}
