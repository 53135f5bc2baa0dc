import CallModel

/// Which events last, and what ends them: hold, mute, network change and loss, push wake-up, hibernation, handover, presentation, dropout.
enum LastingEvents {
  /// The span that an event opens: its kind and what tells it from others of its kind.
  static func opened(by event: EventRecord) -> String? {
    switch event.event {
    case "call.held": local
    case "call.remotely-held": remote
    case "call.double-held": both
    case "call.muted": "mute/" + whose(event)
    case "media.dropout": "dropout/" + whose(event)
    case "media.silent": "silent/" + whose(event)
    case "media.interrupted": "interruption"
    case "network.changed": event.argument("state") == "started" ? "network-change" : nil
    case "network.retry", "network.unavailable", "network.lost": "network-loss"
    case "push.received": "push"
    case "session.hibernated": "hibernation"
    case "session.suspended": "handover"
    case "session.reconnecting": "reconnection"
    case "conference.waiting": "waiting"
    case "conference.presentation-started": "presentation"
    default: nil
    }
  }

  /// The spans that an event ends.
  static func ended(by event: EventRecord) -> [String] {
    switch event.event {
    // A state tells who holds the call, and who does not; a word that says by whom it is tells of that one alone.
    case "call.held": event.argument("by") == nil ? [remote, both] : []
    case "call.remotely-held": event.argument("by") == nil ? [local, both] : []
    case "call.resumed":
      switch event.argument("by") {
      case "local": [local, both]
      case "remote": [remote, both]
      default: [local, remote, both]
      }
    case "call.unmuted": ["mute/" + whose(event)]
    case "media.recovered":
      // What holds this end's sound is nothing of a participant's.
      ["dropout/" + whose(event), "silent/" + whose(event)]
        + (event.argument("participant") == nil ? ["interruption"] : [])
    case "network.changed": event.argument("state") == "ended" ? ["network-change"] : []
    case "network.reestablished", "network.available": ["network-loss"]
    case "call.incoming", "call.alerting": ["push"]
    case "call.handed-over": ["handover", "push"]
    case "session.connected", "session.resumed": ["hibernation", "handover", "reconnection", "network-loss"]
    case "session.failed": ["reconnection"]
    case "session.closed": ["reconnection", "presentation"]
    case "conference.admitted": ["waiting"]
    case "conference.presentation-stopped": ["presentation"]
    case "call.ended", "call.failed":
      [
        local, remote, both, "interruption", "mute/", "mute/audio", "mute/video", "presentation", "waiting",
      ]
    default: []
    }
  }

  /// Whether what is told again is another of its kind: each push is one. Anything else goes on: a retry belongs to the trouble of
  /// the first.
  static func isRepeatable(_ key: String) -> Bool { key == "push" || isTakenOver(key) }

  /// Whether another one ends it: of presentations there is one at a time.
  static func isTakenOver(_ key: String) -> Bool { key == "presentation" }

  // Who holds the call: this end, the far one, each the other.
  private static let local = "hold/local"
  private static let remote = "hold/remote"
  private static let both = "hold/both"

  private static func whose(_ event: EventRecord) -> String {
    (event.argument("kind") ?? "") + (event.argument("participant").map { "/" + $0 } ?? "")
  }
}
