import CallModel
import Rendering

/// An event as one line of text.
enum EventWords {
  /// Events of little interest: there are many, and others imply them.
  private static let chatter: Set<EventName> = [
    .iceCandidate, .iceRemoteCandidate, .iceCandidatesEnd, .iceConnecting, .sdpNegotiationNeeded,
    .sdpOfferRequested, .sdpAnswerRequested, .sdpLocalSetting, .sdpLocalSet, .sdpRemoteSetting,
    .sdpSignalingState, .mediaTrackAdded, .mediaQualityReported, .mediaSpoke, .mediaPathPairs,
    .mediaImplementationChanged, .unknown, .conferenceStage, .conferenceLayout, .conferenceUpdated,
    .conferenceRosterSyncing, .conferenceParticipantPresent, .conferenceParticipantChanged,
    .conferencePresentationFrame, .conferenceCaptions, .sessionConfigured, .sessionRequest,
  ]

  /// Whether a short list omits the event.
  static func isChatter(_ event: AccountEvent) -> Bool {
    event.record.anomaly == nil && chatter.contains(event.record.event)
  }

  /// Events that tell of trouble by their names.
  private static let troubles: Set<EventName> = [
    .callFailed, .mediaLocalFailed, .mediaDropout, .mediaInterrupted, .mediaTakenAway, .iceDisconnected,
    .iceFailed, .dtlsFailed, .sdpFailed, .networkLost, .networkRetry, .networkUnavailable,
    .sessionReconnecting, .sessionFailed, .sessionRegistrationFailed, .sessionSuspended, .sessionHibernated,
  ]

  /// How soon an event is told: trouble, then what the call, its network and its people did, then the rest.
  static func rank(_ event: AccountEvent) -> Int {
    if event.record.anomaly != nil || troubles.contains(event.record.event) { return 0 }
    return [.call, .network, .session, .conference].contains(event.record.event.group) ? 1 : 2
  }

  /// Longest time between two records of one event: captures at several hops, and an end's own connections.
  private static let onceMs = 500.0

  /// Events without those that tell the same again: of one end, or messages that several captures saw.
  static func once(_ events: [AccountEvent]) -> [AccountEvent] {
    var last: [String: Double] = [:]
    return events.filter { event in
      guard let time = event.record.timeMs else { return true }
      let end = event.record.event == .unknown ? "" : event.end ?? ""
      let key = "\(end) \(event.record.name) \(event.record.raw) \(arguments(event.record))"
      defer { last[key] = time }
      return last[key].map { time - $0 > onceMs } ?? true
    }
  }

  /// The canonical name, or the raw one if there is none.
  package static func name(_ record: EventRecord) -> String {
    record.name == EventName.unknown.rawValue ? "? " + VisibleText.visible(record.raw) : record.name
  }

  /// Arguments that log readers add only for the judging rules.
  private static let marks: Set = ["dials", "is_answer", "tells_media"]

  /// Whether a positional value repeats another argument or a part of a state's name, or means nothing without a name:
  /// yes or no, or a printed object (`MediaStream`, `Call@4f2a`, `<RTCPeer: 0x1d2>`).
  private static func isNamed(
    _ member: (name: String, value: String), _ all: [(name: String, value: String)]
  ) -> Bool {
    guard Int(member.name) != nil else { return false }
    let value = member.value
    return all.contains { Int($0.name) == nil && $0.value == value && value.utf8.count > 1 }
      || value == "true" || value == "false" || value.hasPrefix("<")
      || value.contains("@") && value.split(separator: "@").last?.allSatisfy(\.isHexDigit) == true
      || typeNames.contains(value)
  }

  /// What browsers and SDKs print for an object passed as an argument.
  private static let typeNames: Set = ["MediaStream", "MediaStreamTrack", "Call", "Event", "Object"]

  /// Arguments worth showing: `reason=normal code=487`. Descriptions, settings and other nested values are left to
  /// `--json`; so are words that repeat the event's name.
  package static func arguments(
    _ record: EventRecord, valueWidth: Int = 32, participants: Participants? = nil
  ) -> String {
    let all = JSONMembers.topLevel(of: record.args)
    // `host udp 192.0.2.5:50001` for the line of an ICE candidate.
    let candidate = all.first { $0.name == "candidate" }.flatMap { CandidateLine($0.value) }.map {
      VisibleText.visible("\($0.type) \($0.networkProtocol) \($0.address)")
    }
    let members = all.filter { member in
      !member.value.isEmpty && member.value != "null" && !"{[".contains(member.value.prefix(1))
        && !["sdp", "value", "id", "dispatched", "last_event_id"].contains(member.name)
        && !marks.contains(member.name) && !isNamed(member, all)
        && !(candidate != nil && candidateMembers.contains(member.name))
        && !(member.name == "state" && record.name.contains(member.value.prefix(6)))
    }
    let parts = members.prefix(8).map {
      let text = $0.name == "participant" ? participants?.name($0.value) ?? $0.value : $0.value
      let value = VisibleText.cut(VisibleText.visible(text), to: valueWidth)
      return "\(VisibleText.cut(VisibleText.visible($0.name), to: 24))=\(value)"
    }
    return ((candidate.map { [$0] } ?? []) + parts).joined(separator: " ")
  }

  /// Members of an ICE candidate event that its short form contains, or that are of no use to a reader.
  private static let candidateMembers: Set = [
    "candidate", "sdpMid", "sdpMLineIndex", "usernameFragment", "candidate_type", "protocol", "foundation",
    "priority", "component",
  ]
}

extension CallAccount {
  /// An event for a program that reads words.
  public struct ToldEvent {
    public var atMs: Double?
    public var end: String?
    public var name: String
    public var details: String
  }

  /// The events that a predicate is true of, or those of note where it has no answer, in order; and how many minor ones
  /// were left out.
  public func eventsOfNote(
    during span: ClosedRange<Double>?, where isMeant: (EventRecord) -> Bool?
  ) -> (events: [ToldEvent], minor: Int) {
    let participants = Participants(self)
    let inTime = EventWords.once(ownEvents).filter { event in
      span.map { span in event.record.timeMs.map(span.contains) ?? false } ?? true
    }
    let meant = inTime.filter { isMeant($0.record) ?? !EventWords.isChatter($0) }
    let minor = inTime.count { isMeant($0.record) == nil && EventWords.isChatter($0) }
    let told = meant.map { event in
      let parts = [
        EventWords.arguments(event.record, participants: participants), event.record.anomaly ?? "",
      ]
      return ToldEvent(
        atMs: event.record.timeMs, end: event.end.map(VisibleText.visible),
        name: EventWords.name(event.record),
        details: parts.filter { !$0.isEmpty }.joined(separator: "; "))
    }
    return (told, minor)
  }
}
