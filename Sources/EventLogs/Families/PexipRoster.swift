import LogText

/// What the order of a Pexip event stream says beyond its names: snapshots and joins, what changed, reconnects, the server's clock.
struct PexipRoster {
  /// The SDK whose events it follows.
  static let sdk = "pexip"

  /// What an event means in its place.
  struct Meaning {
    /// Canonical event; nil leaves it to the dialect.
    var event: String?
    var added: [(name: String, value: String)] = []
    /// What it tells beside that.
    var also: String?
  }

  private var isInBracket = false
  private var brackets = 0
  private var inBracket = 0
  private var known: [String: [PexipMembers.Flag: Bool]] = [:]
  /// Whom the snapshot that goes on has named.
  private var snapshot: Set<String> = []
  /// The participant whose stream this is, once its first snapshot told: its only one, or the one that came last.
  private(set) var own: String?
  private var newest: (uuid: String, startTime: Double)?
  private var isNewestSure = true
  /// Who was without media after having had some.
  private var without: Set<String> = []
  /// Whether this end waits until somebody lets it in.
  private var isWaiting = false
  /// Who waits, of whom a snapshot tells before it is known which of them is this end.
  private var outside: Set<String> = []
  /// Log time less the server's time at joins, ms: the least is nearest to the truth, for delay only adds to it.
  private(set) var skewMs: Double?
  private(set) var joins = 0
  /// The calls of the participant that the stream is of.
  private(set) var calls = PexipCalls()
  private var gateway = PexipGateway()
  /// Whether the participant has left the room, and not its media alone.
  private(set) var hasLeft = false

  /// Most participants remembered.
  private static let limit = 20_000

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
        (isWaiting, meaning.also) = (true, "conference.waiting")
      }
    case "participant_create": create(members, timeMs, &meaning)
    case "participant_update": update(members, &meaning)
    case "participant_delete": delete(members)
    case "on_hold": meaning.event = members.onHold.map { $0 ? "call.held" : "call.resumed" }
    case "call_disconnected", "disconnect":
      if let reason = members.reason { meaning.added.append(("code", reason)) }
    default: break
    }
    return meaning
  }

  /// What the end of the participant's call says beside its own words.
  var wordsOfEnd: [(name: String, value: String)] { gateway.wordsOfEnd }

  /// Whether it is a call through a gateway behind which nobody is known to have answered.
  var isOfGatewayUnanswered: Bool { gateway.isGateway && !gateway.hasAnswered }

  /// Takes note of what an event came to in the end.
  mutating func note(_ meaning: EventNaming.Meaning, of raw: RawEvent) {
    let name = raw.raw
    calls.note(
      meaning, uuid: raw.pexip?.callUUID, isForPresentation: raw.pexip?.isForPresentation == true,
      timeMs: raw.timeMs)
    let isLeaving =
      meaning.events.contains("token.released")
      || meaning.events.contains("call.ended") && Self.leavings.contains(LogName.normal(name))
    hasLeft = hasLeft || isLeaving
  }

  // The words on the participant's own end; others are on that of a call that it has.
  private static let leavings: Set = ["disconnect", "ondisconnect"]

  /// The same room in the log of the participant's next call.
  var carriedOn: PexipRoster {
    var next = self
    (next.calls, next.skewMs, next.joins) = (PexipCalls(), nil, 0)
    return next
  }

  /// What the joins say of the log's clock, nil where there was none.
  static func skew(of rosters: some Collection<PexipRoster>) -> String? {
    guard let skew = rosters.compactMap(\.skewMs).min() else { return nil }
    // start_time is cut to whole seconds: half of one is the best guess for what was cut off.
    let seconds = ((skew - 500) / 100).rounded() / 10
    let way = seconds < 0 ? "behind" : "ahead of"
    let joins = rosters.reduce(0) { $0 + $1.joins }
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
      meaning.event = "conference.participant-present"
      return
    }
    meaning.event = "conference.participant-joined"
    // start_time is the server's clock in whole seconds, at the moment of joining.
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
      // The server names troubles only while they last.
      guard let now = members.flags[flag],
        let then = before[flag] ?? (flag.isTrouble && isKnown ? false : nil)
      else { return false }
      return now != then
    }
    guard let first = changed.first, let isOn = members.flags[first] else { return }
    meaning.added.append(("changes", changed.map(\.rawValue).joined(separator: " ")))
    switch first {
    case .dropout: meaning.event = isOn ? "media.dropout" : "media.recovered"
    case .silent: meaning.event = isOn ? "media.silent" : "media.recovered"
    case .muted, .clientMuted, .videoMuted:
      meaning.event = isOn ? "call.muted" : "call.unmuted"
      meaning.added.append(("kind", first == .videoMuted ? "video" : "audio"))
    case .presenting: break
    case .hasMedia:
      guard let uuid = members.uuid else { return }
      if isOn, without.remove(uuid) == nil { return }
      if !isOn, without.count < Self.limit { without.insert(uuid) }
      meaning.event = isOn ? "media.recovered" : "media.dropout"
      meaning.added.append(("kind", "media"))
    }
  }

  private mutating func noteAge(_ members: PexipMembers) {
    guard brackets == 1, let uuid = members.uuid, let start = members.startTime else { return }
    if start == newest?.startTime { isNewestSure = false }
    guard start > newest?.startTime ?? -.infinity else { return }
    (newest, isNewestSure) = ((uuid, start), true)
  }

  // A waiting room, and who is let in: told by the token, by the snapshot, and by the updates of whoever waits.
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
      meaning.also = "conference.waiting"
    } else if ["conference", "lecture", "gateway"].contains(service), isWaiting,
      members.uuid == nil || own == nil || members.uuid == own
    {
      isWaiting = false
      meaning.also = "conference.admitted"
    }
  }

  // Who is not in the snapshot of a stream that was connected anew has left meanwhile.
  private mutating func forgetGone(_ meaning: inout Meaning) {
    let gone = known.keys.filter { !snapshot.contains($0) }.sorted().prefix(Self.mostGone)
    for uuid in gone {
      known[uuid] = nil
      gateway.noteLeft(uuid)
    }
    if !gone.isEmpty { meaning.added.append(("gone", gone.joined(separator: " "))) }
  }

  private static let mostGone = 500

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

/// Whom a gateway dialled for this end: the server takes the call itself, and whether anybody answers behind it only the roster tells.
struct PexipGateway {
  private(set) var isGateway = false
  private(set) var hasAnswered = false
  /// Those who were dialled and have not answered, and how many of them have left.
  private var waiting: Set<String> = []
  private var left = 0

  /// Most of them told apart: a gateway dials one.
  private static let limit = 100

  /// Takes note of what an event says of a participant, or of the service.
  mutating func note(_ members: PexipMembers) {
    isGateway = isGateway || members.serviceType == "gateway"
    guard let uuid = members.uuid, members.callDirection == "out" || waiting.contains(uuid) else { return }
    let hasMedia = members.flags[.hasMedia]
    if members.serviceType == "connecting" || hasMedia == false {
      if waiting.count < Self.limit { waiting.insert(uuid) }
    } else if hasMedia == true || !waiting.contains(uuid) {
      // Of one who never was said to be without media nobody knows.
      hasAnswered = true
    }
  }

  /// Takes note of a participant who has left.
  mutating func noteLeft(_ uuid: String) {
    if waiting.contains(uuid) { left += 1 }
  }

  /// What the end of this end's call says of an answer; where nobody has answered, who of both has given up is told by who left first.
  var wordsOfEnd: [(name: String, value: String)] {
    if isGateway, hasAnswered { return [("answered", "true")] }
    guard isGateway, !waiting.isEmpty else { return [] }
    return [("answered", "false")] + (left >= waiting.count ? [("by", "remote")] : [])
  }
}
