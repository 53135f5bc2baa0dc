import LogText

/// The calls of one participant: the one that carries the conference's media, and beside it those that carry a presentation.
///
/// Each has a `call_uuid` of its own. The first one that was acknowledged is the conference's as long as it stands; how the others
/// fare is an update of it, whether they are refused, taken up or over. Where the far end of direct media goes away, the client hangs
/// up its media and offers them anew, under another `call_uuid`: an update too, for it stays in the conference. So it is where the
/// client offers other media, a camera beside the microphone, and hangs up the first ones once the others stand.
struct PexipCalls {
  private var main: String?
  private var stands = false
  /// Whether another call was asked for while the conference's stood.
  private var isAsking = false
  private var others: Set<String> = []
  /// Whether the conference's media are to be made anew, and the call that carried them till then.
  private var isRemaking = false
  private var past: String?

  /// Whether a presentation goes on, or is what the last offer was for.
  private var isPresenting = false
  private var isForPresentation = false
  /// The other call that stands since, and may take the conference's place.
  private var successor: (uuid: String, timeMs: Double)?
  /// Longest time for which both stand then, ms.
  private static let handingOverMs = 10_000.0

  /// Most calls beside the conference's that are told apart.
  private static let limit = 100
  private static let offers: Set = ["calls", "postcalls", "calloffer"]
  private static let farewells: Set = ["disconnectcall", "calldisconnect"]

  /// What an event is in the end: where it is of another call than the conference's, an update.
  func settled(
    _ meaning: EventNaming.Meaning, of name: String, uuid: String?, timeMs: Double? = nil
  ) -> EventNaming.Meaning {
    guard let event = meaning.events.first, let result = Self.results[event] else { return meaning }
    let name = LogName.normal(name)
    let isPast = event == "call.ended" && (isOfPast(name, uuid) || isReplaced(name, uuid, timeMs))
    guard isPast || stands && isOfAnother(event, name, uuid) else { return meaning }
    var meaning = meaning
    meaning.events = ["call.updated"]
    meaning.added += [("update", isPast ? "media" : "presentation"), ("result", result)]
    return meaning
  }

  /// Takes note of an event that came, settled.
  mutating func note(
    _ meaning: EventNaming.Meaning, uuid: String?, isForPresentation: Bool = false, timeMs: Double? = nil
  ) {
    switch meaning.events.first {
    case "conference.presentation-started": isPresenting = true
    case "conference.presentation-stopped": isPresenting = false
    case "sdp.offer-sent": (isAsking, self.isForPresentation) = (stands, isForPresentation || isPresenting)
    case "sdp.answer-received" where !stands: main = uuid ?? main
    case "call.established": (main, stands, isRemaking) = (uuid ?? main, true, false)
    case "sdp.answer-received": add(uuid)
    case "call.updated":
      if Self.isFarEndOfMediaGone(meaning) { (past, main, stands, isRemaking) = (main, nil, false, true) }
      guard let result = meaning.added.first(where: { $0.name == "result" })?.value,
        Self.results.values.contains(result)
      else { return }
      if result == "ended", let uuid, uuid == main, let successor {
        (main, self.successor) = (successor.uuid, nil)
        others.remove(successor.uuid)
      }
      if result == "accepted", isAsking, !self.isForPresentation, let uuid, let timeMs {
        successor = (uuid, timeMs)
      }
      isAsking = false
      if result == "accepted" { add(uuid) } else if let uuid { others.remove(uuid) }
    // The connection to a far end that has gone is not made anew.
    case "ice.failed" where isRemaking, "dtls.failed" where isRemaking: break
    // Whatever is offered after the connection failed takes its place.
    case "call.ended", "call.failed", "ice.failed", "dtls.failed": self = PexipCalls()
    default: break
    }
  }

  private static let results = [
    "call.established": "accepted", "call.failed": "rejected", "call.ended": "ended",
  ]

  // The far end of direct media has gone: an update of the media that has no result yet.
  private static func isFarEndOfMediaGone(_ meaning: EventNaming.Meaning) -> Bool {
    meaning.added.contains { $0 == ("update", "media") } && !meaning.added.contains { $0.name == "result" }
  }

  // Whether it is the media that are made anew that are hung up.
  private func isOfPast(_ name: String, _ uuid: String?) -> Bool {
    guard Self.farewells.contains(name) else { return false }
    if let uuid, let past { return uuid == past }
    return isRemaking && main == nil
  }

  // Whether the conference's media are hung up for others that stand already.
  private func isReplaced(_ name: String, _ uuid: String?, _ timeMs: Double?) -> Bool {
    guard Self.farewells.contains(name), stands, let uuid, uuid == main, let successor, let timeMs else {
      return false
    }
    return 0...Self.handingOverMs ~= timeMs - successor.timeMs && others.contains(successor.uuid)
  }

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
