import CallModel
import LogText

/// The calls of one participant: the one that carries the conference's media, and others that carry a
/// presentation.
///
/// Each has its own `call_uuid`. The first call that was acknowledged carries the conference as long as it is
/// established. Events of the others, whether they are rejected, accepted or ended, count as updates of it.
/// If the far end of direct media leaves, the client ends its media and offers new media under another
/// `call_uuid`. This is an update too, since the client stays in the conference. The same applies if the
/// client offers different media, such as a camera in addition to the microphone, and ends the first media
/// once the others are established.
struct PexipCalls {
  private var main: String?
  private var isEstablished = false
  /// Whether another call was offered while the conference's call was established.
  private var isAsking = false
  private var others: Set<String> = []
  /// Whether the conference's media are being set up again, and the call that carried them before.
  private var isRemaking = false
  private var past: String?

  /// Whether a presentation is in progress, and whether the last offer was for one.
  private var isPresenting = false
  private var isForPresentation = false
  /// Another call that has been established since and may take over the conference.
  private var successor: (uuid: String, timeMs: Double)?
  /// The maximum time for which both may be established, in ms.
  private static let handingOverMs = 10_000.0

  /// The maximum number of calls distinguished besides the conference's.
  private static let limit = Limit.callsOfParticipant.value
  private static let offers: Set = ["calls", "postcalls", "calloffer"]
  private static let hangUps: Set = ["disconnectcall", "calldisconnect"]

  /// Returns the final meaning of an event: an update if it belongs to a call other than the conference's.
  func settled(
    _ meaning: EventNaming.Meaning, of name: String, uuid: String?, timeMs: Double? = nil
  ) -> EventNaming.Meaning {
    guard let event = meaning.events.first, let result = Self.results[event] else { return meaning }
    let name = LogName.normal(name)
    let isPast = event == .callEnded && (isOfPast(name, uuid) || isReplaced(name, uuid, timeMs))
    guard isPast || isEstablished && isOfAnother(event, name, uuid) else { return meaning }
    var meaning = meaning
    meaning.events = [.callUpdated]
    meaning.added += [("update", isPast ? "media" : "presentation"), ("result", result)]
    return meaning
  }

  /// Records an event with its final meaning.
  mutating func note(
    _ meaning: EventNaming.Meaning, uuid: String?, isForPresentation: Bool = false, timeMs: Double? = nil
  ) {
    switch meaning.events.first {
    case .conferencePresentationStarted: isPresenting = true
    case .conferencePresentationStopped: isPresenting = false
    case .sdpOfferSent:
      (isAsking, self.isForPresentation) = (isEstablished, isForPresentation || isPresenting)
    case .sdpAnswerReceived where !isEstablished: main = uuid ?? main
    case .callEstablished: (main, isEstablished, isRemaking) = (uuid ?? main, true, false)
    case .sdpAnswerReceived: add(uuid)
    case .callUpdated:
      if Self.isFarEndOfMediaGone(meaning) {
        (past, main, isEstablished, isRemaking) = (main, nil, false, true)
      }
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
    // The connection to a far end that has left is not set up again.
    case .iceFailed where isRemaking, .dtlsFailed where isRemaking: break
    // After the connection has failed, the next offer replaces it.
    case .callEnded, .callFailed, .iceFailed, .dtlsFailed: self = PexipCalls()
    default: break
    }
  }

  private static let results: [EventName: String] = [
    .callEstablished: "accepted", .callFailed: "rejected", .callEnded: "ended",
  ]

  // The far end of direct media has left if the media are updated without a result.
  private static func isFarEndOfMediaGone(_ meaning: EventNaming.Meaning) -> Bool {
    meaning.added.contains { $0 == ("update", "media") } && !meaning.added.contains { $0.name == "result" }
  }

  // Whether the media being ended are those that are being set up again.
  private func isOfPast(_ name: String, _ uuid: String?) -> Bool {
    guard Self.hangUps.contains(name) else { return false }
    if let uuid, let past { return uuid == past }
    return isRemaking && main == nil
  }

  // Whether the conference's media are ended because others are already established.
  private func isReplaced(_ name: String, _ uuid: String?, _ timeMs: Double?) -> Bool {
    guard Self.hangUps.contains(name), isEstablished, let uuid, uuid == main, let successor, let timeMs
    else {
      return false
    }
    return 0...Self.handingOverMs ~= timeMs - successor.timeMs && others.contains(successor.uuid)
  }

  private mutating func add(_ uuid: String?) {
    if let uuid, uuid != main, others.count < Self.limit { others.insert(uuid) }
  }

  private func isOfAnother(_ event: EventName, _ name: String, _ uuid: String?) -> Bool {
    if let uuid {
      return main.map { $0 != uuid } ?? (others.contains(uuid) || isAsking && event == .callEstablished)
    }
    switch event {
    case .callEstablished: return isAsking
    case .callFailed: return Self.offers.contains(name)
    // If there are several calls, the request that follows shows which one is ended.
    default: return !others.isEmpty && Self.hangUps.contains(name)
    }
  }
}
