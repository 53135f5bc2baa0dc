import Bytes
import CallModel
import Rendering

/// The participants of a conference, from its events.
struct Participants {
  /// One participant.
  package struct Person {
    package var id: String
    package var name: String
    package var role: String?
    /// How they joined: `sip`, `webrtc` …
    package var way: String?
    /// Nil if they joined before the log began.
    package var joinedMs: Double?
    /// Nil if they were still present at the end of the log.
    var leftMs: Double?
    /// Time as the first participant on the stage with voice activity, ms.
    var spokeMs = 0.0
    var presentedMs = 0.0
    /// Number of times their video did not arrive.
    var dropouts = 0
    /// Whether they were called but have not answered.
    var isDialled = false
  }

  package private(set) var people: [Person] = []
  /// Who spoke when, one span per turn of a speaker.
  package private(set) var turns: [Span] = []
  private var places: [String: Int] = [:]
  /// Maximum number of participants.
  private static let most = 5000

  package init(_ account: CallAccount) {
    var speaker: (id: String, end: String?, sinceMs: Double)?
    for event in account.ownEvents {
      let record = event.record
      let members = JSONMembers.topLevel(of: Self.data(of: record))
      if let id = record[.participant] { update(id, record, members) }
      guard let time = record.timeMs else { continue }
      // A participant missing from a later snapshot left at some time before it.
      for id in (record[.gone] ?? "").split(separator: " ") {
        if let place = places[String(id)] { people[place].leftMs = people[place].leftMs ?? time }
      }
      if record.event == .conferencePresentationStarted {
        present(members, lastedMs: (record.untilMs ?? account.lastMs ?? time) - time)
      }
      guard record.event == .conferenceStage else { continue }
      let next = Stage.speaker(Self.data(of: record))
      if next != speaker?.id {
        if let speaker { turn(speaker, untilMs: time) }
        speaker = next.map { ($0, event.end, time) }
      }
    }
    if let speaker, let last = account.lastMs { turn(speaker, untilMs: last) }
  }

  // The data of an event: as text, as JSON, or as arguments, one after the other for a list.
  private static func data(of record: EventRecord) -> String {
    if let data = record[.data] ?? memberStructure("data", of: record.args) { return data }
    guard record.event == .conferenceStage else { return record.args }
    let listed = (0..<maxListed).lazy.map { memberObject(String($0), of: record.args) }.prefix { $0 != nil }
    let entries = listed.compactMap { $0 }
    return "[\(entries.isEmpty ? record.args : entries.joined(separator: ","))]"
  }

  private static let maxListed = 40

  /// The name of a participant, or the id if no name is known.
  package func name(_ id: String) -> String { places[id].map { people[$0].name } ?? id }

  /// Participants who were present: all but those called without an answer.
  package var present: [Person] { people.filter { !$0.isDialled } }

  /// Maximum number of people at a time.
  package var most: Int {
    let changes =
      present.map { ($0.joinedMs ?? -.infinity, 1) }
      + present.compactMap { person in person.leftMs.map { ($0, -1) } }
    var count = 0
    return changes.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.reduce(0) { most, change in
      count += change.1
      return max(most, count)
    }
  }

  private mutating func update(
    _ id: String, _ record: EventRecord, _ members: [(name: String, value: String)]
  ) {
    if places[id] == nil {
      guard people.count < Self.most else { return }
      places[id] = people.count
      people.append(Person(id: id, name: id))
    }
    guard let place = places[id] else { return }
    func member(_ name: String) -> String? {
      members.first { $0.name == name }?.value ?? record.argument(name)
    }
    if member("has_media") == "true" {
      people[place].isDialled = false
    } else if member("call_direction") == "out", member("has_media") == "false" {
      people[place].isDialled = true
    }
    if let name = member("display_name"), !name.isEmpty { people[place].name = name }
    if let role = member("role") { people[place].role = role }
    if let way = member("protocol") { people[place].way = way }
    switch record.event {
    case .conferenceParticipantJoined: people[place].joinedMs = people[place].joinedMs ?? record.timeMs
    case .conferenceParticipantLeft: people[place].leftMs = record.timeMs
    case .mediaDropout where record[.kind] == nil: people[place].dropouts += 1
    default: break
    }
  }

  private mutating func present(_ members: [(name: String, value: String)], lastedMs: Double) {
    let name = members.first { $0.name == "presenter_name" }?.value
    // Several may have the same name: the id identifies them, otherwise one who has not left is used.
    let id = members.first { $0.name == "presenter_uuid" }?.value
    let named = people.indices.filter { people[$0].name == name }
    guard
      let place = id.flatMap({ places[$0] }) ?? named.first(where: { people[$0].leftMs == nil })
        ?? named.first
    else { return }
    people[place].presentedMs += max(0, lastedMs)
  }

  private mutating func turn(_ speaker: (id: String, end: String?, sinceMs: Double), untilMs: Double) {
    if let place = places[speaker.id] { people[place].spokeMs += max(0, untilMs - speaker.sinceMs) }
    let label = "speaks: " + VisibleText.cut(VisibleText.visible(name(speaker.id)), to: 40)
    turns.append(Span(end: speaker.end, label: label, fromMs: speaker.sinceMs, untilMs: untilMs))
  }
}

/// The stage order of a conference: `[{"stage_index":0,"participant_uuid":"…","vad":100},…]`.
enum Stage {
  /// The speaker: the first on the stage with voice activity; nil if nobody speaks.
  package static func speaker(_ json: String) -> String? {
    var json = json
    return json.withUTF8 { bytes in
      var scanner = JSONScanner(bytes)
      var best: (index: Double, id: String)?
      do {
        try scanner.beginArray()
        while try scanner.nextElement() {
          let entry = try entry(&scanner)
          guard let id = entry.id, entry.voice > 0, entry.index < best?.index ?? .infinity else { continue }
          best = (entry.index, id)
        }
      } catch {}
      return best?.id
    }
  }

  private static func entry(_ scanner: inout JSONScanner) throws(JSONError) -> (
    index: Double, id: String?, voice: Double
  ) {
    var entry: (index: Double, id: String?, voice: Double) = (0, nil, 0)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch (key.string, try scanner.peek()) {
      case ("stage_index", .number): entry.index = try scanner.number()
      case ("vad", .number): entry.voice = try scanner.number()
      case ("participant_uuid", .string): entry.id = try scanner.string().string
      default: _ = try scanner.skip()
      }
    }
    return entry
  }
}
