import CallModel

/// An event on one line.
enum EventWords {
  /// Events that a reader of the whole call can do without: many, and told by others.
  private static let chatter: Set<String> = [
    "ice.candidate", "ice.remote-candidate", "ice.candidates-end", "ice.connecting", "sdp.negotiation-needed",
    "sdp.offer-requested", "sdp.answer-requested", "sdp.local-setting", "sdp.local-set", "sdp.remote-setting",
    "sdp.signaling-state", "media.track-added", "media.quality-reported", "unknown", "conference.stage",
    "conference.layout", "conference.updated", "conference.roster-syncing", "conference.participant-present",
    "conference.participant-changed", "conference.presentation-frame", "conference.captions",
    "session.configured", "session.request",
  ]

  /// Whether a short list leaves the event out.
  static func isChatter(_ event: AccountEvent) -> Bool {
    event.record.anomaly == nil && chatter.contains(event.record.event)
  }

  /// The canonical name, or the raw one where there is none.
  static func name(_ record: EventRecord) -> String {
    record.event == "unknown" ? "? " + VisibleText.visible(record.raw) : record.event
  }

  /// Arguments worth a line: `reason=normal code=487`. Descriptions, settings and anything else nested are left to `--json`,
  /// and so are words that repeat the event's name.
  static func arguments(_ record: EventRecord, valueWidth: Int = 32, roster: Roster? = nil) -> String {
    let members = JSONMembers.topLevel(of: record.args).filter { member in
      !member.value.isEmpty && member.value != "null" && !"{[".contains(member.value.prefix(1))
        && !["sdp", "value", "id", "dispatched", "last_event_id"].contains(member.name)
        && !(member.name == "state" && record.event.contains(member.value.prefix(6)))
    }
    let parts = members.prefix(8).map {
      let text = $0.name == "participant" ? roster?.name($0.value) ?? $0.value : $0.value
      let value = VisibleText.cut(VisibleText.visible(text), to: valueWidth)
      return "\(VisibleText.cut(VisibleText.visible($0.name), to: 24))=\(value)"
    }
    return parts.joined(separator: " ")
  }
}
