import Rendering

/// A state that lasted: hold, mute, a lost network, a presentation.
package struct Span: Equatable {
  package var end: String?
  package var label: String
  package var fromMs: Double
  /// Nil where it lasted to the end of what is known.
  package var untilMs: Double?
}

enum Spans {
  /// What begins a state, what ends it, and its name. The first ending that comes counts.
  private static let states: [(from: String, until: [String], label: String)] = [
    ("call.held", ["call.resumed", "call.ended"], "on hold"),
    ("call.remotely-held", ["call.resumed", "call.ended"], "held by the other"),
    ("call.double-held", ["call.resumed", "call.ended"], "held by both"),
    ("call.muted", ["call.unmuted", "call.ended"], "muted"),
    ("network.lost", ["network.reestablished", "call.ended"], "network lost"),
    ("network.retry", ["network.reestablished", "network.lost", "call.ended"], "reconnecting"),
    ("ice.disconnected", ["ice.connected", "ice.failed", "call.ended"], "ICE disconnected"),
    (
      "session.reconnecting", ["session.connected", "session.failed", "session.closed"],
      "session reconnecting"
    ),
    ("session.hibernated", ["session.resumed", "session.connected"], "hibernated"),
    ("session.suspended", ["session.resumed", "session.connected"], "suspended"),
    ("conference.presentation-started", ["conference.presentation-stopped", "call.ended"], "presentation"),
  ]

  /// The spans of a call, in order of their beginning.
  package static func of(_ account: CallAccount, _ roster: Roster? = nil) -> [Span] {
    let roster = roster ?? Roster(account)
    func whose(_ event: AccountEvent) -> String {
      event.record.argument("participant").map {
        ": " + VisibleText.cut(VisibleText.visible(roster.name($0)), to: 40)
      } ?? ""
    }
    let events = account.ownEvents.filter { $0.record.timeMs != nil }
    var spans: [Span] = []
    for state in states {
      var open: [String: Double] = [:]
      var connected: Set<String> = []
      for event in events {
        guard let time = event.record.timeMs else { continue }
        let end = event.end ?? ""
        if event.record.event == "ice.connected" { connected.insert(end) }
        if event.record.event == state.from, state.from != "ice.disconnected" || connected.contains(end) {
          if let until = event.record.untilMs {
            spans.append(
              Span(end: event.end, label: state.label + whose(event), fromMs: time, untilMs: until))
          } else if open[end] == nil {
            open[end] = time
          }
        } else if state.until.contains(event.record.event), let from = open.removeValue(forKey: end) {
          spans.append(Span(end: event.end, label: state.label, fromMs: from, untilMs: time))
        }
      }
      for (end, from) in open.sorted(by: { $0.key < $1.key }) {
        spans.append(Span(end: end.isEmpty ? nil : end, label: state.label, fromMs: from, untilMs: nil))
      }
    }
    let known = Set(states.map(\.from))
    for event in events where !known.contains(event.record.event) {
      guard let from = event.record.timeMs, let until = event.record.untilMs, until > from else { continue }
      let name = EventWords.name(event.record)
      spans.append(
        Span(
          end: event.end, label: VisibleText.cut(name, to: 40) + whose(event), fromMs: from, untilMs: until))
    }
    return spans.sorted { ($0.fromMs, $0.label) < ($1.fromMs, $1.label) }
  }
}
