import Bytes
import CallModel
import Redaction

/// Emits API calls on a PeerConnection and their results as events: raw name, canonical name, arguments without
/// secrets.
struct ApiEvents {
  /// Longest arguments kept, bytes; large SDP is some 10 KB.
  private static let longest = 256 << 10
  /// States and kinds are shorter, and contain no secrets.
  private static let shortest = 16

  private let context: RecordContext
  private let redactor = Redactor()

  init(_ context: RecordContext) { self.context = context }

  /// Emits an API call or event.
  /// - Parameters:
  ///   - raw: the name as written.
  ///   - value: its arguments, as JSON or as the text of older dumps.
  ///   - connection: nil for an event of the page as a whole.
  func give(
    _ raw: String, _ value: EventValue, timeMs: Double?, line: Int? = nil, of connection: PeerConnection?
  ) throws {
    let text = value.text
    let meanings = W3CEvents.meanings(of: raw, value: text)
    if let connection {
      if let timeMs { connection.firstEventMs = min(timeMs, connection.firstEventMs ?? timeMs) }
      try learn(raw, text, meanings, connection)
    }
    let names = meanings.isEmpty ? [(EventName.unknown, [])] : meanings.map { ($0.event, $0.facts) }
    for (name, facts) in names {
      var record = EventRecord(timeMs: timeMs, event: name, raw: raw, sdk: "w3c", line: line)
      record.args = try arguments(value, facts)
      try context.sink.event(record, of: connection?.number)
    }
  }

  /// The arguments as a JSON object: members unchanged, anything else under `value`, together with the facts of
  /// `W3CEvents`.
  private func arguments(_ value: EventValue, _ facts: [W3CEvents.Fact]) throws -> String {
    guard value.json.count <= Self.longest else {
      try context.sink.note("arguments of more than \(Self.longest >> 10) KB left out")
      return "{}"
    }
    var json = ByteWriter(capacity: value.json.count + 64)
    var names: Set<String> = []
    let clean = value.json.withUnsafeBufferPointer { redactor.redacted($0) } ?? value.json
    json.append("{")
    if value.isObject {
      json.append(bytes: clean.dropFirst().dropLast())
      names = value.memberNames
    } else if !value.isNull {
      json.append("\"value\":")
      json.append(bytes: clean)
      names = ["value"]
    }
    for fact in facts where names.insert(fact.name).inserted {
      if json.bytes.contains(where: { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "{") }) {
        json.append(",")
      }
      json.append(json: fact.name)
      json.append(":")
      json.append(json: fact.value.utf8.count > Self.shortest ? redactor.text(fact.value) : fact.value)
    }
    json.append("}")
    return json.string
  }

  /// Identities of this end in the event: credentials and certificates in SDP, the side that made the offer.
  private func learn(
    _ raw: String, _ text: String, _ meanings: [W3CEvents.Meaning], _ connection: PeerConnection
  ) throws {
    for meaning in meanings {
      switch meaning.event {
      case .sdpOfferCreated, .sdpAnswerCreated, .sdpLocalSetting:
        try connection.emitNew(SessionDescription(text).identities(local: true))
      case .sdpOfferReceived, .sdpAnswerReceived, .sdpRemoteSetting, .sdpProvisionalAnswerReceived:
        try connection.emitNew(SessionDescription(text).identities(local: false))
      default: break
      }
      let direction: CallDirection? =
        meaning.event == .sdpOfferCreated
        ? .outgoing : meaning.event == .sdpOfferReceived ? .incoming : nil
      if let direction, connection.facts.direction == nil {
        connection.facts.direction = direction
        var facts = ConnectionFacts()
        facts.direction = direction
        try context.sink.connection(connection.number, facts)
      }
    }
  }
}
