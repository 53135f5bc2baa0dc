import CallModel

/// Which events last, and what ends them: hold, mute, network change and loss, push wake-up, hibernation, handover, presentation, dropout.
enum LastingEvents {
  /// The span that an event opens: its kind and what tells it from others of its kind.
  static func opened(by event: EventRecord) -> String? {
    switch event.event {
    case "call.held", "call.remotely-held", "call.double-held": "hold"
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
    case "call.resumed": ["hold"]
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
      ["hold", "interruption", "mute/", "mute/audio", "mute/video", "presentation", "waiting"]
    default: []
    }
  }

  /// Whether what is told again is another of its kind: each push is one. Anything else goes on: a retry belongs to the trouble of
  /// the first.
  static func isRepeatable(_ key: String) -> Bool { key == "push" || isTakenOver(key) }

  /// Whether another one ends it: of presentations there is one at a time.
  static func isTakenOver(_ key: String) -> Bool { key == "presentation" }

  private static func whose(_ event: EventRecord) -> String {
    (event.argument("kind") ?? "") + (event.argument("participant").map { "/" + $0 } ?? "")
  }
}
