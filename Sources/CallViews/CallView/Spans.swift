import CallModel
import Rendering

/// A lasting state: hold, mute, network loss, a presentation.
package struct Span: Equatable {
  package var end: String?
  package var label: String
  package var fromMs: Double
  /// Nil if it lasted to the end of the data.
  package var untilMs: Double?
  /// The event that began it; nil for outages.
  package var cause: EventName?
}

enum Spans {
  /// The events that start and end a state, and its name. The first ending event counts.
  private static let states: [(from: EventName, until: [EventName], label: String)] = [
    (.callHeld, [.callResumed, .callEnded], "on hold"),
    (.callRemotelyHeld, [.callResumed, .callEnded], "held by the other"),
    (.callDoubleHeld, [.callResumed, .callEnded], "held by both"),
    (.callMuted, [.callUnmuted, .callEnded], "muted"),
    (.sessionHibernated, [.sessionResumed, .sessionConnected], "hibernated"),
    (.sessionSuspended, [.sessionResumed, .sessionConnected], "suspended"),
    (.conferencePresentationStarted, [.conferencePresentationStopped, .callEnded], "presentation"),
  ]

  /// Events that start an outage.
  private static let lost: Set<EventName> = [
    .networkLost, .networkRetry, .networkUnavailable, .iceDisconnected, .iceFailed, .sessionReconnecting,
  ]

  /// The spans of a call by start time.
  package static func of(_ account: CallAccount, _ participants: Participants? = nil) -> [Span] {
    let participants = participants ?? Participants(account)
    func whose(_ event: AccountEvent) -> String {
      event.record[.participant].map {
        ": " + VisibleText.cut(VisibleText.visible(participants.name($0)), to: 40)
      } ?? ""
    }
    let events = account.ownEvents.filter { $0.record.timeMs != nil }
    var spans = outages(events)
    for state in states {
      var open: [String: Double] = [:]
      for event in events {
        guard let time = event.record.timeMs else { continue }
        let end = event.end ?? ""
        if event.record.event == state.from {
          if let until = event.record.untilMs {
            spans.append(
              Span(
                end: event.end, label: state.label + whose(event), fromMs: time, untilMs: until,
                cause: state.from))
          } else if open[end] == nil {
            open[end] = time
          }
        } else if state.until.contains(event.record.event), let from = open.removeValue(forKey: end) {
          spans.append(
            Span(end: event.end, label: state.label, fromMs: from, untilMs: time, cause: state.from))
        }
      }
      for (end, from) in open.sorted(by: { $0.key < $1.key }) {
        spans.append(
          Span(
            end: end.isEmpty ? nil : end, label: state.label, fromMs: from, untilMs: nil, cause: state.from))
      }
    }
    let known = Set(states.map(\.from)).union(Self.lost)
    for event in events where !known.contains(event.record.event) {
      guard let from = event.record.timeMs, let until = event.record.untilMs, until > from else { continue }
      let name = EventWords.name(event.record)
      spans.append(
        Span(
          end: event.end, label: VisibleText.cut(name, to: 40) + whose(event), fromMs: from, untilMs: until))
    }
    return spans.sorted { ($0.fromMs, $0.label) < ($1.fromMs, $1.label) }
  }

  /// Outages of network, session and path of each end, by the same rule as in findings and the strip of states. A path
  /// that was never up is not an outage.
  private static func outages(_ events: [AccountEvent]) -> [Span] {
    Set(events.map(\.end)).flatMap { end in
      let records = events.filter { $0.end == end }.map(\.record)
      let connectedMs = records.first { $0.event == .iceConnected || $0.event == .dtlsConnected }?
        .ownTimeMs
      return records.serviceOutages.compactMap { outage -> Span? in
        if outage.service == .path, connectedMs.map({ $0 > outage.startMs }) ?? true { return nil }
        let label =
          switch outage.service {
          case .network: outage.retries > 0 ? "reconnecting" : "network lost"
          case .session: "session reconnecting"
          case .path: "ICE disconnected"
          }
        return Span(end: end, label: label, fromMs: outage.startMs, untilMs: outage.endMs)
      }
    }
  }
}
