import CallModel

/// The calls of one participant: the one that carries the conference's media, and beside it those that carry a presentation.
///
/// Each has a `call_uuid` of its own. The first one that was acknowledged is the conference's as long as it stands; how the others
/// fare is an update of it, whether they are refused, taken up or over.
struct PexipCalls {
  private var main: String?
  private var stands = false
  /// Whether another call was asked for while the conference's stood.
  private var isAsking = false
  private var others: Set<String> = []

  /// Most calls beside the conference's that are told apart.
  private static let limit = 100
  private static let offers: Set = ["calls", "postcalls", "calloffer"]
  private static let farewells: Set = ["disconnectcall", "calldisconnect"]

  /// What an event is in the end: where it is of another call than the conference's, an update.
  func settled(_ meaning: EventNaming.Meaning, of name: String, uuid: String?) -> EventNaming.Meaning {
    guard stands, let event = meaning.events.first, let result = Self.results[event],
      isOfAnother(event, Dialect.normal(name), uuid)
    else { return meaning }
    var meaning = meaning
    meaning.events = ["call.updated"]
    meaning.added += [("update", "presentation"), ("result", result)]
    return meaning
  }

  /// Takes note of an event that came, settled.
  mutating func note(_ meaning: EventNaming.Meaning, uuid: String?) {
    switch meaning.events.first {
    case "sdp.offer-sent": isAsking = stands
    case "sdp.answer-received" where !stands: main = uuid ?? main
    case "call.established": (main, stands) = (uuid ?? main, true)
    case "sdp.answer-received": add(uuid)
    case "call.updated":
      guard let result = meaning.added.first(where: { $0.name == "result" })?.value,
        Self.results.values.contains(result)
      else { return }
      isAsking = false
      if result == "accepted" { add(uuid) } else if let uuid { others.remove(uuid) }
    // Whatever is offered after the connection failed takes its place.
    case "call.ended", "call.failed", "ice.failed", "dtls.failed": self = PexipCalls()
    default: break
    }
  }

  private static let results = [
    "call.established": "accepted", "call.failed": "rejected", "call.ended": "ended",
  ]

  private mutating func add(_ uuid: String?) {
    if let uuid, uuid != main, others.count < Self.limit { others.insert(uuid) }
  }

  private func isOfAnother(_ event: String, _ name: String, _ uuid: String?) -> Bool {
    if let uuid {
      return main.map { $0 != uuid } ?? (others.contains(uuid) || isAsking && event == "call.established")
    }
    switch event {
    case "call.established": return isAsking
    case "call.failed": return Self.offers.contains(name)
    // Which of several is hung up the request tells that follows.
    default: return !others.isEmpty && Self.farewells.contains(name)
    }
  }
}
