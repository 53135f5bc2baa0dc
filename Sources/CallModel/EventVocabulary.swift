/// The canonical events: one vocabulary for every SDK (docs: setup time). The raw name stands beside it wherever it is stored.
public enum EventVocabulary {
  /// Whether a name belongs to the vocabulary.
  public static func contains(_ name: String) -> Bool {
    if name == unknown { return true }
    guard let dot = name.firstIndex(of: ".") else { return false }
    return groups[String(name[..<dot])]?.contains(String(name[name.index(after: dot)...])) ?? false
  }

  /// What an event is called that no dialect knows.
  public static let unknown = "unknown"

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
      "first-audio", "quality-limited", "resolution-changed", "codec-changed", "dropout", "recovered",
      "quality-reported",
      "silent", "remote-muted", "remote-ended", "display-requested", "display-acquired",
      "display-failed", "track-added", "track-removed", "transceiver-changed", "sender-changed",
      "device-changed", "device-requested",
      "interrupted", "statistics", "path-checks",
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
