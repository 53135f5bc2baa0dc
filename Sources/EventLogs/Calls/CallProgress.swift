import CallModel

/// How far a logged call has progressed, as far as that matters for where the next call begins.
struct CallProgress {
  private var ids: [String: Set<String>] = [:]
  /// Names of ids whose value occurred more than once.
  private var repeated: Set<String> = []
  private var hasBegun = false
  /// Whether the beginning of the call was logged.
  private var hasOpened = false
  private(set) var wasEstablished = false
  private var hasEnded = false
  private var hasFailed = false
  private var overMs: Double?
  private(set) var lastMs: Double?
  /// The time of its first call or SDP event, in ms since the epoch.
  private var beganMs: Double?
  /// The person called last, by the name of the argument that holds it.
  private var callees: [String: String] = [:]
  /// How far the call has come on the caller's and the callee's side, as steps of `dialling` and `ringing`.
  private(set) var dialled = 0
  private(set) var rung = 0
  private(set) var isHeld = false
  /// When a session began anew during the call, provided that nothing has been logged about the call since.
  var newSessionMs: Double?
  /// Whether the last thing logged is a problem of the network or session, after which sessions may be
  /// restored.
  private(set) var hasProblem = false
  /// Whether that problem is the final loss of the network.
  private(set) var isLost = false

  /// The maximum number of ids kept per call.
  private static let limit = 32
  /// Events this soon after the end of a call, in ms, do not begin a new call.
  private static let echoMs = 1000.0

  var isOver: Bool { hasEnded || hasFailed }
  var isOpen: Bool { hasBegun && !isOver }

  mutating func note(_ events: [EventName], _ more: [CallSegmenter.ID], _ timeMs: Double?) {
    for id in more where ids.count < Self.limit && ids[id.name]?.count ?? 0 < Self.limit {
      if !ids[id.name, default: []].insert(id.value).inserted { repeated.insert(id.name) }
    }
    // Session events, and events whose source is unknown, do not show that the call goes on.
    if let timeMs, events.contains(where: { $0.isEvidenceOfCall == true }) {
      lastMs = max(lastMs ?? timeMs, timeMs)
    }
    for event in events {
      notePlace(event)
      hasOpened = hasOpened || event == .callEstablished || EventName.openings.contains(event)
      if event.group == .call || event.group == .sdp {
        hasBegun = true
        if let timeMs { beganMs = min(beganMs ?? timeMs, timeMs) }
      }
      switch event {
      case .callEnded:
        hasEnded = true
        overMs = timeMs ?? overMs
      case .callFailed:
        hasFailed = true
        overMs = timeMs ?? overMs
      case .callEstablished, .callHandedOver:
        (wasEstablished, hasEnded, hasFailed) = (true, false, false)
      case .pushExpired:
        // During a call, an expired push belongs to another call.
        if !hasBegun { (hasEnded, overMs) = (true, timeMs ?? overMs) }
      default:
        // This is another attempt of this call.
        if EventName.openings.contains(event) { (hasEnded, hasFailed) = (false, false) }
      }
    }
  }

  /// Updates how far the call has come, whether it is on hold, and whether its network or session
  /// has a problem.
  private mutating func notePlace(_ event: EventName) {
    if event.group == .call {
      (newSessionMs, hasProblem, isLost) = (nil, false, false)
      dialled = max(dialled, Self.dialling[event] ?? 0)
      rung = max(rung, Self.ringing[event] ?? 0)
      if event.isHold { isHeld = true } else if event == .callResumed { isHeld = false }
    } else if event.group == .network || Self.sessionProblems.contains(event) {
      (newSessionMs, hasProblem, isLost) = (nil, true, event == .networkLost)
    }
  }

  /// Whether lines identified the call by this argument.
  func hasName(_ name: String) -> Bool { ids[name] != nil }
  /// Whether several lines did so with the same value.
  func keepsName(_ name: String) -> Bool { repeated.contains(name) }

  /// Whether the call has been over for long enough that no late events of it are expected.
  func isPast(_ timeMs: Double?) -> Bool {
    guard isOver else { return false }
    return timeMs.flatMap { now in overMs.map { now - $0 > Self.echoMs } } ?? true
  }

  /// Whether the call is known to have been over for that long. A dialling failure then belongs to another
  /// call, of which nothing else was logged.
  func isLongPast(_ timeMs: Double?) -> Bool {
    guard isOver, let timeMs, let overMs else { return false }
    return timeMs - overMs > Self.echoMs
  }

  func contradicts(_ others: [CallSegmenter.ID]) -> Bool {
    others.contains { id in ids[id.name].map { !$0.contains(id.value) } ?? false }
  }

  /// Whether the call was over before these events, so that they begin another call.
  func endsBefore(_ events: [EventName], _ timeMs: Double?, _ next: CallSegmenter.ID? = nil) -> Bool {
    guard isOver, let opening = events.first(where: EventName.openings.contains) else { return false }
    let since = timeMs.flatMap { now in overMs.map { now - $0 } }
    // Lines are not always in chronological order.
    if let since, since < 0 { return false }
    switch opening {
    case .callIncoming, .callAlerting, .pushReceived: return true
    case .callCreated, .callDialing, .tokenRequested: break
    default:
      // An offer after a failure may be an ICE restart, and states may be reported late.
      guard hasEnded || opening.group == .call, since ?? .infinity >= Self.echoMs else { return false }
    }
    // If nobody was reached, dialling the same callee again is a retry; dialling another callee is another
    // call.
    if !wasEstablished, hasFailed { return since ?? 0 > CallSegmenter.redialMs || isAnother(next) }
    return true
  }

  /// Whether these events happened before all of the call although they come later in the log, because the
  /// parts of the log are in the wrong order. A line that is only late belongs to the call in progress, and
  /// so may what precedes a call of which only the end was logged.
  func beganAfter(_ events: [EventName], _ timeMs: Double?) -> Bool {
    let lateMs = isOver && hasOpened ? Self.echoMs : LoggedEnd.silenceMs
    guard let timeMs, let beganMs, timeMs < beganMs - lateMs else { return false }
    guard isOver else { return events.contains(where: Self.beginnings.contains) }
    return events.contains { $0.group == .call || EventName.openings.contains($0) }
  }

  static let beginnings = EventName.openings.filter { $0.group == .call }

  mutating func note(_ callee: CallSegmenter.ID) {
    guard callees.count < Self.limit || callees[callee.name] != nil else { return }
    callees[callee.name] = callee.value.lowercased()
  }

  /// Whether the callee differs from the previous one.
  func isAnother(_ next: CallSegmenter.ID?) -> Bool {
    guard let next, let callee = callees[next.name] else { return false }
    return next.value.lowercased() != callee
  }
}
