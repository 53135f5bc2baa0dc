import CallModel

/// How far a logged call has come, as far as the next one depends on it.
struct CallProgress {
  private var ids: [String: Set<String>] = [:]
  /// Names of those that came again.
  private var repeated: Set<String> = []
  private var hasBegun = false
  /// Whether its beginning was told.
  private var hasOpened = false
  private(set) var wasEstablished = false
  private var hasEnded = false
  private var hasFailed = false
  private var overMs: Double?
  private(set) var lastMs: Double?
  /// When its own events began.
  private var beganMs: Double?
  /// Who was called last, by the argument that said so.
  private var callees: [String: String] = [:]
  /// How far the words of a caller and of a callee have come, by `dialling` and `ringing`.
  private(set) var dialled = 0
  private(set) var rung = 0
  private(set) var isHeld = false
  /// When a session began anew in it, if nothing was told of the call since.
  var anewMs: Double?
  /// Whether what was told last is that it is in trouble, from which sessions come back.
  private(set) var isTroubled = false
  /// Whether its network was lost for good since.
  private(set) var isLost = false

  /// Most ids kept of one call.
  private static let limit = 32
  /// What a call still says so soon after its end is no new call, ms.
  private static let echoMs = 1000.0

  var isOver: Bool { hasEnded || hasFailed }
  var isOpen: Bool { hasBegun && !isOver }

  mutating func note(_ events: [String], _ more: [CallSegmenter.ID], _ timeMs: Double?) {
    for id in more where ids.count < Self.limit && ids[id.name]?.count ?? 0 < Self.limit {
      if !ids[id.name, default: []].insert(id.value).inserted { repeated.insert(id.name) }
    }
    // What a session or nobody knows who says does not tell that the call goes on.
    if let timeMs, events.contains(where: { EventVocabulary.isEvidenceOfCall($0) == true }) {
      lastMs = max(lastMs ?? timeMs, timeMs)
    }
    for event in events {
      notePlace(event)
      hasOpened = hasOpened || event == "call.established" || EventVocabulary.openings.contains(event)
      if event.hasPrefix("call.") || event.hasPrefix("sdp.") {
        hasBegun = true
        if let timeMs { beganMs = min(beganMs ?? timeMs, timeMs) }
      }
      switch event {
      case "call.ended":
        hasEnded = true
        overMs = timeMs ?? overMs
      case "call.failed":
        hasFailed = true
        overMs = timeMs ?? overMs
      case "call.established", "call.handed-over":
        (wasEstablished, hasEnded, hasFailed) = (true, false, false)
      case "push.expired":
        // Of a call that goes on, it is another one's.
        if !hasBegun { (hasEnded, overMs) = (true, timeMs ?? overMs) }
      default:
        // Another attempt of this call.
        if EventVocabulary.openings.contains(event) { (hasEnded, hasFailed) = (false, false) }
      }
    }
  }

  /// How far it came, who holds it, and whether its network or its session is in trouble.
  private mutating func notePlace(_ event: String) {
    if event.hasPrefix("call.") {
      (anewMs, isTroubled, isLost) = (nil, false, false)
      dialled = max(dialled, Self.dialling[event] ?? 0)
      rung = max(rung, Self.ringing[event] ?? 0)
      if event.hasSuffix("held") { isHeld = true } else if event == "call.resumed" { isHeld = false }
    } else if event.hasPrefix("network.") || Self.troubles.contains(event) {
      (anewMs, isTroubled, isLost) = (nil, true, event == "network.lost")
    }
  }

  /// Whether lines named it by this argument.
  func hasName(_ name: String) -> Bool { ids[name] != nil }
  /// Whether several did by the same value.
  func keepsName(_ name: String) -> Bool { repeated.contains(name) }

  /// Whether it has been over for longer than its late words take.
  func isPast(_ timeMs: Double?) -> Bool {
    guard isOver else { return false }
    return timeMs.flatMap { now in overMs.map { now - $0 > Self.echoMs } } ?? true
  }

  /// Whether it is known to have been over for longer than that: a failure of dialling is then another call's, of which nothing else
  /// was logged.
  func isLongPast(_ timeMs: Double?) -> Bool {
    guard isOver, let timeMs, let overMs else { return false }
    return timeMs - overMs > Self.echoMs
  }

  func contradicts(_ others: [CallSegmenter.ID]) -> Bool {
    others.contains { id in ids[id.name].map { !$0.contains(id.value) } ?? false }
  }

  /// Whether the call was over before these events, which begin another.
  func endsBefore(_ events: [String], _ timeMs: Double?, _ next: CallSegmenter.ID? = nil) -> Bool {
    guard isOver, let opening = events.first(where: EventVocabulary.openings.contains) else { return false }
    let since = timeMs.flatMap { now in overMs.map { now - $0 } }
    // Lines are not always in order.
    if let since, since < 0 { return false }
    switch opening {
    case "call.incoming", "call.alerting", "push.received": return true
    case "call.created", "call.dialing", "token.requested": break
    default:
      // An offer after a failure may be an ICE restart, and states may be told late.
      guard hasEnded || opening.hasPrefix("call."), since ?? .infinity >= Self.echoMs else { return false }
    }
    // Nobody was reached, and the same is tried again; another callee is another call.
    if !wasEstablished, hasFailed { return since ?? 0 > CallSegmenter.redialMs || isAnother(next) }
    return true
  }

  /// Whether these events, of which the log tells later, came before all of the call: the parts of a log stand in the wrong order. A
  /// line that is merely late belongs to what is going on, and so may what precedes a call of which only the end was told.
  func beganAfter(_ events: [String], _ timeMs: Double?) -> Bool {
    let lateMs = isOver && hasOpened ? Self.echoMs : LoggedEnd.silenceMs
    guard let timeMs, let beganMs, timeMs < beganMs - lateMs else { return false }
    guard isOver else { return events.contains(where: Self.beginnings.contains) }
    return events.contains { $0.hasPrefix("call.") || EventVocabulary.openings.contains($0) }
  }

  static let beginnings = EventVocabulary.openings.filter { $0.hasPrefix("call.") }

  mutating func note(_ callee: CallSegmenter.ID) {
    guard callees.count < Self.limit || callees[callee.name] != nil else { return }
    callees[callee.name] = callee.value.lowercased()
  }

  /// Whether somebody else is called than before.
  func isAnother(_ next: CallSegmenter.ID?) -> Bool {
    guard let next, let callee = callees[next.name] else { return false }
    return next.value.lowercased() != callee
  }
}
