import CallModel
import LogText

/// Derives what the order of events in a Pexip event stream shows beyond their names: snapshots and joins,
/// changes, reconnections, the server's clock.
struct PexipConference {
  /// The SDK whose events are followed.
  static let sdk = "pexip"

  /// The meaning of an event at its position in the stream.
  struct Meaning {
    /// The canonical event; nil leaves it to the dialect.
    var event: EventName?
    var added: [(name: String, value: String)] = []
    /// A second event that it implies.
    var also: EventName?
  }

  private var isInBracket = false
  private var brackets = 0
  private var inBracket = 0
  private var known: [String: [PexipMembers.Flag: Bool]] = [:]
  /// The participants named so far in the current snapshot.
  private var snapshot: Set<String> = []
  /// The participant whose stream this is, known once its first snapshot is complete: the only one in it, or
  /// the one that joined last.
  private(set) var own: String?
  private var newest: (uuid: String, startTime: Double)?
  private var isNewestSure = true
  /// Participants that have lost their media.
  private var without: Set<String> = []
  /// Whether this end waits to be admitted.
  private var isWaiting = false
  /// Participants in the waiting room. A snapshot names them before it is known which of them is this end.
  private var outside: Set<String> = []
  /// Log time minus server time at joins, in ms. The smallest value is the most accurate, because delay only
  /// adds to it.
  private(set) var skewMs: Double?
  private(set) var joins = 0
  /// The calls of the participant whose stream this is.
  private(set) var calls = PexipCalls()
  private var gateway = PexipGateway()
  /// Whether the participant has left the room, and has not only ended its media.
  private(set) var hasLeft = false

  /// The maximum number of participants remembered.
  private static let limit = Limit.participants.value

  mutating func meaning(of name: String, _ members: PexipMembers, timeMs: Double?) -> Meaning {
    var meaning = Meaning()
    gateway.note(members)
    own = members.ownUUID ?? own
    noteService(members, &meaning)
    if let uuid = members.uuid { meaning.added.append(("participant", uuid)) }
    if let display = members.name { meaning.added.append(("name", display)) }
    switch name {
    case "participant_sync_begin":
      brackets += 1
      isInBracket = true
      inBracket = 0
      snapshot.removeAll()
      if brackets > 1 { meaning.added.append(("reconnect", String(brackets - 1))) }
    case "participant_sync_end":
      isInBracket = false
      meaning.added.append(("participants", String(inBracket)))
      if brackets > 1 { forgetGone(&meaning) }
      if brackets == 1, own == nil {
        own = snapshot.count == 1 ? snapshot.first : isNewestSure ? newest?.uuid : nil
      }
      if let own, outside.contains(own), !isWaiting {
        (isWaiting, meaning.also) = (true, .conferenceWaiting)
      }
    case "participant_create": create(members, timeMs, &meaning)
    case "participant_update": update(members, &meaning)
    case "participant_delete": delete(members)
    case "on_hold": meaning.event = members.onHold.map { $0 ? .callHeld : .callResumed }
    case "call_disconnected", "disconnect":
      if let reason = members.reason { meaning.added.append(("code", reason)) }
    default: break
    }
    return meaning
  }

  /// What is added to the end of the participant's call.
  var wordsOfEnd: [(name: String, value: String)] { gateway.wordsOfEnd }

  /// Whether the call goes through a gateway and nobody beyond it is known to have answered.
  var isOfGatewayUnanswered: Bool { gateway.isGateway && !gateway.hasAnswered }

  /// Records the final meaning of an event.
  mutating func note(_ meaning: EventNaming.Meaning, of raw: RawEvent) {
    let name = raw.raw
    calls.note(
      meaning, uuid: raw.pexip?.callUUID, isForPresentation: raw.pexip?.isForPresentation == true,
      timeMs: raw.timeMs)
    let isLeaving =
      meaning.events.contains(.tokenReleased)
      || meaning.events.contains(.callEnded) && Self.leavings.contains(LogName.normal(name))
    hasLeft = hasLeft || isLeaving
  }

  // Names for the end of the participation itself. Other names report the end of one of its calls.
  private static let leavings: Set = ["disconnect", "ondisconnect"]

  /// The same room at the start of the participant's next call.
  var forNextCall: PexipConference {
    var next = self
    (next.calls, next.skewMs, next.joins) = (PexipCalls(), nil, 0)
    return next
  }

  /// What the joins show about the log's clock; nil without joins.
  static func skew(of conferences: some Collection<PexipConference>) -> String? {
    guard let skew = conferences.compactMap(\.skewMs).min() else { return nil }
    // start_time is truncated to whole seconds; half a second is the best estimate of what was cut off.
    let seconds = ((skew - 500) / 100).rounded() / 10
    let way = seconds < 0 ? "behind" : "ahead of"
    let joins = conferences.reduce(0) { $0 + $1.joins }
    return
      "clock: the log is \(abs(seconds)) s \(way) the server, to within a second (start_time of \(joins) joins);"
      + " no time was shifted"
  }

  private mutating func create(_ members: PexipMembers, _ timeMs: Double?, _ meaning: inout Meaning) {
    remember(members)
    guard !isInBracket else {
      inBracket += 1
      if let uuid = members.uuid, snapshot.count < Self.limit { snapshot.insert(uuid) }
      noteAge(members)
      meaning.event = .conferenceParticipantPresent
      return
    }
    meaning.event = .conferenceParticipantJoined
    // start_time is the server's time of the join, in whole seconds.
    guard let timeMs, let start = members.startTime, start > 1e9 else { return }
    let skew = timeMs - start * 1000
    skewMs = min(skewMs ?? skew, skew)
    joins += 1
    meaning.added.append(("skew_ms", String(Int(exactly: skew.rounded()) ?? 0)))
  }

  private mutating func update(_ members: PexipMembers, _ meaning: inout Meaning) {
    let before = members.uuid.flatMap { known[$0] } ?? [:]
    let isKnown = members.uuid.flatMap { known[$0] } != nil
    remember(members)
    let changed = PexipMembers.Flag.allCases.filter { flag in
      // The server sends the members for problems only while these last.
      guard let now = members.flags[flag],
        let then = before[flag] ?? (flag.isProblem && isKnown ? false : nil)
      else { return false }
      return now != then
    }
    guard let first = changed.first, let isOn = members.flags[first] else { return }
    meaning.added.append(("changes", changed.map(\.rawValue).joined(separator: " ")))
    switch first {
    case .dropout: meaning.event = isOn ? .mediaDropout : .mediaRecovered
    case .silent: meaning.event = isOn ? .mediaSilent : .mediaRecovered
    case .muted, .clientMuted, .videoMuted:
      meaning.event = isOn ? .callMuted : .callUnmuted
      meaning.added.append(("kind", first == .videoMuted ? "video" : "audio"))
    case .presenting: break
    case .hasMedia:
      guard let uuid = members.uuid else { return }
      if isOn, without.remove(uuid) == nil { return }
      if !isOn, without.count < Self.limit { without.insert(uuid) }
      meaning.event = isOn ? .mediaRecovered : .mediaDropout
      meaning.added.append(("kind", "media"))
    }
  }

  private mutating func noteAge(_ members: PexipMembers) {
    guard brackets == 1, let uuid = members.uuid, let start = members.startTime else { return }
    if start == newest?.startTime { isNewestSure = false }
    guard start > newest?.startTime ?? -.infinity else { return }
    (newest, isNewestSure) = ((uuid, start), true)
  }

  // Tracks the waiting room and admission to the conference, as reported by the token, the snapshot, and
  // updates of waiting participants.
  private mutating func noteService(_ members: PexipMembers, _ meaning: inout Meaning) {
    guard let service = members.serviceType else { return }
    if let uuid = members.uuid {
      if service != "waiting_room" {
        outside.remove(uuid)
      } else if outside.count < Self.limit {
        outside.insert(uuid)
      }
    }
    if service == "waiting_room", !isWaiting, members.uuid == nil {
      isWaiting = true
      meaning.also = .conferenceWaiting
    } else if ["conference", "lecture", "gateway"].contains(service), isWaiting,
      members.uuid == nil || own == nil || members.uuid == own
    {
      isWaiting = false
      meaning.also = .conferenceAdmitted
    }
  }

  // A participant missing from the snapshot after a reconnection has left in the meantime.
  private mutating func forgetGone(_ meaning: inout Meaning) {
    let gone = known.keys.filter { !snapshot.contains($0) }.sorted().prefix(Self.maxGone)
    for uuid in gone {
      known[uuid] = nil
      gateway.noteLeft(uuid)
    }
    if !gone.isEmpty { meaning.added.append(("gone", gone.joined(separator: " "))) }
  }

  private static let maxGone = 500

  private mutating func delete(_ members: PexipMembers) {
    guard let uuid = members.uuid else { return }
    known[uuid] = nil
    gateway.noteLeft(uuid)
  }

  private mutating func remember(_ members: PexipMembers) {
    guard let uuid = members.uuid, known[uuid] != nil || known.count < Self.limit else { return }
    known[uuid, default: [:]].merge(members.flags) { _, new in new }
  }
}

/// The far end that a gateway dialled for this end. The server itself answers the call; only the list of
/// participants shows whether anybody beyond the gateway has.
struct PexipGateway {
  private(set) var isGateway = false
  private(set) var hasAnswered = false
  /// Participants that were dialled and have not answered, and the number of those that have left.
  private var waiting: Set<String> = []
  private var left = 0

  /// The maximum number of them; a gateway dials one.
  private static let limit = Limit.dialled.value

  /// Records what an event says about a participant or the service.
  mutating func note(_ members: PexipMembers) {
    isGateway = isGateway || members.serviceType == "gateway"
    guard let uuid = members.uuid, members.callDirection == "out" || waiting.contains(uuid) else { return }
    let hasMedia = members.flags[.hasMedia]
    if members.serviceType == "connecting" || hasMedia == false {
      if waiting.count < Self.limit { waiting.insert(uuid) }
    } else if hasMedia == true || !waiting.contains(uuid) {
      // A participant never reported without media counts as answered, since nothing shows otherwise.
      hasAnswered = true
    }
  }

  /// Records that a participant has left.
  mutating func noteLeft(_ uuid: String) {
    if waiting.contains(uuid) { left += 1 }
  }

  /// What the end of this end's call says about an answer. If nobody has answered, the end that left first is
  /// the one that gave up.
  var wordsOfEnd: [(name: String, value: String)] {
    if isGateway, hasAnswered { return [("answered", "true")] }
    guard isGateway, !waiting.isEmpty else { return [] }
    return [("answered", "false")] + (left >= waiting.count ? [("by", "remote")] : [])
  }
}
