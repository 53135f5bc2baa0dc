import CallModel

/// The setup attempts of one endpoint, each with its phases, from its canonical events.
///
/// This is a pure function of names, times and a few arguments; it uses no files and no clock. Events may be
/// in any order. Those without a time cannot delimit a phase, but show that something happened.
/// - Parameters:
///   - events: All events of one endpoint, from all its sources, on one clock.
///   - localType: The type of the local candidate of the path in use (`host`, `relay` …), if known.
///   - receivedMedia: Whether any media from the far end arrived, according to any source.
///   - isLogWhole: Whether every line of its log could be read, from the first that concerns it to the last.
///   - gaps: The periods without any streams between its streams, according to its own statistics.
///   - answersReceivedMs: When the far end received this end's answers, according to its own log, on this end's
///     clock; nil if unknown.
/// - Returns: The attempts in chronological order; empty if nothing tried to set up a call. Phases are in the
///   order of `PhaseName`, each once; `ice+dtls` only if nothing separates the two.
public func setupAttempts(
  of events: [EventRecord], localType: String? = nil, receivedMedia: Bool = false,
  isLogWhole: Bool = true, gaps: [ClosedRange<Double>] = [], answersReceivedMs: [Double]? = nil
) -> [SetupAttempt] {
  var wasEstablished = false
  return splitAttempts(events, gaps: gaps).enumerated().map { index, events in
    let line = AttemptEvents(events)
    let direction = direction(of: line)
    let decided = OutcomeRule.reason(
      of: OutcomeEvidence(line, direction, receivedMedia: receivedMedia, isLogWhole: isLogWhole))
    var attempt = SetupAttempt(
      attempt: index + 1, direction: direction, outcome: decided.outcome, phases: [])
    attempt.reason = decided.reason
    attempt.phases = phases(of: line, direction: attempt.direction)
    moveLateAnswer(in: &attempt, line, receivedMs: answersReceivedMs ?? [])
    addTotals(to: &attempt, line)
    addWaits(to: &attempt, line, localType)
    addCauses(to: &attempt, line, localType, isAnswerReceiptKnown: answersReceivedMs != nil)
    if wasEstablished, !line.isNewCall { attempt.becomeRestart(line) }
    wasEstablished = wasEstablished || line.wasEstablished
    return attempt
  }
}

/// Which end started it, as far as the events show. An SDK's own events take precedence over the order of
/// offers.
func direction(of line: AttemptEvents) -> CallDirection {
  if line.has(.callIncoming, .callAlerting) { return .incoming }
  if line.has(.callRinging, .callDialing, .callRequestSent, .callEarlyMedia) { return .outgoing }
  let offers: [EventName] = [.sdpOfferRequested, .sdpOfferCreated, .sdpOfferSent]
  // Later offers change the call.
  if line.isOpenedAmidCall { return .unknown }
  if line.hasYielded { return .incoming }
  if let first = line.first(of: offers + [.sdpOfferReceived]) {
    return first.event == .sdpOfferReceived ? .incoming : .outgoing
  }
  if line.events.contains(where: { $0.event == .callCreated && $0.sdk != "w3c" }) { return .outgoing }
  return line.has(.pushExpired) ? .incoming : .unknown
}

/// Adds the totals: from created (or accepted) to established, and the post-dial delay from dialling to the
/// first sign of ringing, which may be the far end's own ringback tone (SIP 183). If a capture is the only
/// source, the call begins with the INVITE (RFC 6076 section 4.3).
func addTotals(to attempt: inout SetupAttempt, _ line: AttemptEvents) {
  if line.isOpenedAmidCall { return }
  let started = line.start(attempt.direction)
  if attempt.direction == .outgoing,
    let dialled = line.dialled ?? line.first(of: [.callCreated, .callDialing])
      ?? line.first(of: [.callRequestSent]),
    let ringing = line.first(of: [.callRinging, .callEarlyMedia], from: dialled.timeMs)
  {
    attempt.postDialDelayMs = measured(.signalling, dialled, ringing).durationMs
  }
  guard !line.isNeverConnected, !line.isUnanswered, let wall = started.wall,
    let established = line.first(of: [.callEstablished], from: wall.timeMs)
  else { return }
  let stepMs = max(wall.stepMs, established.stepMs)
  let wallMs = established.timeMs - wall.timeMs
  attempt.setupWallMs = stepMs > 0 && wallMs <= stepMs ? nil : wallMs
  (attempt.startMs, attempt.fromEvent) = (wall.timeMs, wall.event)
  // It is unknown how much of this was a person's time, and therefore how long the rest took.
  if line.isInputTimeUnknown || attempt.phases.contains(where: { $0.name == .ringing && $0.isBounded }) {
    return
  }
  let from = started.own?.timeMs ?? wall.timeMs
  let people = attempt.phases.filter(\.isOfPerson).compactMap(\.span)
  let own = min(from, established.timeMs)...established.timeMs
  let setupMs = established.timeMs - from - covered(by: people, of: own)
  attempt.setupMs = stepMs > 0 && setupMs <= stepMs ? nil : setupMs
}

extension AttemptEvents {
  /// When this end received the answer to its offer, if that was between two moments. A candidate of the far
  /// end that was not signalled starts the checks earlier (peer-reflexive, RFC 8445 section 7.3.1.3), but
  /// they cannot finish without the answer.
  func answerCame(after from: Moment, until to: Moment) -> Moment? {
    let answers: [EventName] = [.sdpAnswerReceived, .sdpProvisionalAnswerReceived]
    let answer = first(of: answers) ?? first(of: [.sdpRemoteSet])
    guard let answer, answer.timeMs > from.timeMs, answer.timeMs <= to.timeMs else { return nil }
    return answer
  }
}

/// Assigns to signalling the time for which a callee's ICE or DTLS only waited until the caller had the
/// answer, if that was most of the phase.
/// - Parameter receivedMs: When the far end received an answer of this end, according to its own log, on this
///   end's clock.
func moveLateAnswer(in attempt: inout SetupAttempt, _ line: AttemptEvents, receivedMs: [Double]) {
  guard attempt.direction == .incoming else { return }
  let slowMs = slowPathMs + (line.moments.map(\.stepMs).max() ?? 0)
  for index in attempt.phases.indices where [.ice, .dtls, .iceAndDtls].contains(attempt.phases[index].name) {
    let phase = attempt.phases[index]
    guard let span = phase.span, span.upperBound - span.lowerBound >= slowMs,
      let received = receivedMs.first(where: { $0 > span.lowerBound && $0 <= span.upperBound }),
      received - span.lowerBound > span.upperBound - received
    else { continue }
    attempt.phases[index].startMs = received
    attempt.phases[index].durationMs = span.upperBound - received
    attempt.phases[index].fromEvent = .sdpAnswerReceived
    let sent: [EventName] = [.sdpAnswerSent, .sdpAnswerCreated, .sdpRemoteSet]
    guard let from = line.preferred(sent), from.timeMs <= received,
      let signalling = attempt.phases.firstIndex(where: { $0.name == .signalling && $0.state != .measured })
    else { continue }
    var way = measured(.signalling, from, AttemptEvents.Moment(timeMs: received, event: .sdpAnswerReceived))
    way.cause = "the answer reached the far end late: ICE and DTLS waited for it"
    attempt.phases[signalling] = way
  }
}

/// Adds the cause of a phase, only if it is evident.
/// - Parameter isAnswerReceiptKnown: Whether it is known when the far end received this end's answer.
func addCauses(
  to attempt: inout SetupAttempt, _ line: AttemptEvents, _ localType: String?,
  isAnswerReceiptKnown: Bool = false
) {
  // A callee does not see when its answer arrives, and the far end does not continue before that.
  let mayWait = attempt.direction != .outgoing && !isAnswerReceiptKnown
  for index in attempt.phases.indices where attempt.phases[index].cause == nil {
    attempt.phases[index].cause = cause(of: attempt.phases[index], line, localType, mayWait: mayWait)
  }
}

// libwebrtc and SDKs stop waiting for STUN and TURN servers after some seconds.
private let longGatheringMs = 2000.0
/// From this duration on, ICE and DTLS count as slow, ms: the default DTLS timer (RFC 6347 section 4.2.4.1).
/// ICE checks are retransmitted after 500 ms at first (RFC 8489 section 6.2.1).
let slowPathMs = 1000.0

private func cause(of phase: Phase, _ line: AttemptEvents, _ localType: String?, mayWait: Bool) -> String? {
  guard phase.state == .measured, let durationMs = phase.durationMs else { return nil }
  // The minimum duration.
  let lasted =
    (phase.name == .ice ? phase.waitedMs ?? durationMs : durationMs) - (line.moments.map(\.stepMs).max() ?? 0)
  switch phase.name {
  case .ringing: return "a person"
  case .signalling: return unansweredHost(line)
  case .capture: return "a person or a device: camera and microphone permission"
  case .gathering:
    return gatheringCause(lasted, line, isWaitedFor: phase.waitedMs ?? durationMs >= durationMs / 2)
  case .ice:
    if isRelayOnly(line, localType) { return "TURN only: the path runs through a relay" }
    guard lasted >= slowPathMs else { return nil }
    return mayWait
      ? "slow: connectivity checks were answered late or repeated, or the answer reached the far end late"
      : "slow: connectivity checks were answered late or repeated"
  case .dtls:
    let repeats = line.events.filter { $0.event == .dtlsRetransmitted }.count
    if repeats > 0 {
      return "DTLS retransmission: \(Plural.of(repeats, "flight")) sent again"
    }
    guard lasted >= slowPathMs else { return nil }
    return mayWait
      ? "slow: packets of the handshake were lost or late, or the answer reached the far end late"
      : "DTLS retransmission: the handshake outlasted its timer of 1 s (lost packets or a slow path)"
  default: return nil
  }
}

// The host that never answered an INVITE, and on which most time was lost.
private func unansweredHost(_ line: AttemptEvents) -> String? {
  let notes = line.events.filter { $0.note == .neverAnswered }
  guard let worst = notes.max(by: { $0[.waitedMs] ?? 0 < $1[.waitedMs] ?? 0 }), let words = worst[.words]
  else {
    return nil
  }
  let tenths = ((worst[.waitedMs] ?? 0) + 50) / 100
  return "waited \(tenths / 10).\(tenths % 10) s: \(words)"
}

private func gatheringCause(_ lasted: Double, _ line: AttemptEvents, isWaitedFor: Bool) -> String? {
  let result = line.events.first { $0.event == .iceGatheringComplete }?[.result]
  if result == "no-relay" { return "ICE collection timed out without a relay candidate" }
  if let refused = line.events.turnErrors.first(where: \.isRefusal) { return "no relay: \(refused.words)" }
  guard lasted >= longGatheringMs else { return nil }
  let types = line.events.filter { $0.event == .iceCandidate }.compactMap { $0[.candidateType] }
  if line.events.hasTURN, !types.isEmpty, !types.contains("relay") {
    return "ICE collection timed out without a relay candidate"
  }
  guard isWaitedFor else { return nil }
  let why = "slow: a STUN or TURN server answered late or not at all"
  return line.sentWhenGathered == nil ? why : why + ", and the offer was held back for it"
}

// By policy, by the path in use, or because only relay candidates were gathered.
private func isRelayOnly(_ line: AttemptEvents, _ localType: String?) -> Bool {
  if line.events.contains(where: { $0[.policy] == "relay" }) {
    return true
  }
  if let localType { return localType == "relay" }
  let types = line.events.filter { $0.event == .iceCandidate }.compactMap { $0[.candidateType] }
  return !types.isEmpty && types.allSatisfy { $0 == "relay" }
}
