import CallModel

/// The setup attempts of one endpoint, each with its phases, from its canonical events.
///
/// Pure: it looks at names, times and a few arguments, at no file and no clock. Events may come in any order. Those without a
/// time cannot bound a phase, but they say that something happened.
/// - Parameters:
///   - events: every event of one endpoint, from all its sources, on one clock.
///   - localType: the type of the local candidate of the path it took (`host`, `relay` …), if known.
///   - gotMedia: whether anything of the far end's media arrived, by whatever source.
///   - isLogWhole: whether every line of its log could be read from the first that tells of it to the last.
///   - gaps: the times between its streams in which it had none, by its own statistics.
///   - answersHeardMs: when the far end had this end's answers, by its own log, on this end's clock; nil where nobody tells.
/// - Returns: the attempts in order of time; none where nothing tried to set a call up. Phases stand in the order of `PhaseName`,
///   each once; `ice+dtls` only where nothing splits the two.
public func setupAttempts(
  of events: [EventRecord], localType: String? = nil, gotMedia: Bool = false,
  isLogWhole: Bool = true, gaps: [ClosedRange<Double>] = [], answersHeardMs: [Double]? = nil
) -> [SetupAttempt] {
  var hasStood = false
  return splitAttempts(events, gaps: gaps).enumerated().map { index, events in
    let line = Timeline(events)
    let direction = direction(of: line)
    let decided = OutcomeRule.reason(
      of: OutcomeQuestion(line, direction, gotMedia: gotMedia, isLogWhole: isLogWhole))
    var attempt = SetupAttempt(
      attempt: index + 1, direction: direction, outcome: decided.outcome, phases: [])
    attempt.reason = decided.reason
    attempt.phases = phases(of: line, direction: attempt.direction)
    moveLateAnswer(in: &attempt, line, heardMs: answersHeardMs ?? [])
    addTotals(to: &attempt, line)
    addCauses(to: &attempt, line, localType, isAnswerHeard: answersHeardMs != nil)
    if hasStood, !line.isNewCall { attempt.becomeRestart(line) }
    hasStood = hasStood || line.hasStood
    return attempt
  }
}

/// Who started it, as far as the events say: an SDK's own words before the order of offers.
func direction(of line: Timeline) -> CallDirection {
  if line.has("call.incoming", "call.alerting") { return .incoming }
  if line.has("call.ringing", "call.dialing", "call.request-sent", "call.early-media") { return .outgoing }
  let offers = ["sdp.offer-requested", "sdp.offer-created", "sdp.offer-sent"]
  if line.hasYielded { return .incoming }
  if let first = line.first(of: offers + ["sdp.offer-received"]) {
    return first.event == "sdp.offer-received" ? .incoming : .outgoing
  }
  if line.events.contains(where: { $0.event == "call.created" && $0.sdk != "w3c" }) { return .outgoing }
  return line.has("push.expired") ? .incoming : .unknown
}

/// Totals: created (or accepted) to established, and the post-dial delay: dialled to the first sign of ringing, which is a tone of the
/// far end's own where it sends one (SIP 183). Where a capture alone tells the call, it begins with the INVITE (RFC 6076, 4.3).
func addTotals(to attempt: inout SetupAttempt, _ line: Timeline) {
  let started = line.start(attempt.direction)
  if attempt.direction == .outgoing,
    let dialled = line.dialled ?? line.first(of: ["call.created", "call.dialing"])
      ?? line.first(of: ["call.request-sent"]),
    let ringing = line.first(of: ["call.ringing", "call.early-media"], from: dialled.timeMs)
  {
    attempt.postDialDelayMs = measured(.signalling, dialled, ringing).durationMs
  }
  guard !line.isNeverConnected, !line.isUnanswered, let wall = started.wall,
    let established = line.first(of: ["call.established"], from: wall.timeMs)
  else { return }
  let stepMs = max(wall.stepMs, established.stepMs)
  let wallMs = established.timeMs - wall.timeMs
  attempt.setupWallMs = stepMs > 0 && wallMs <= stepMs ? nil : wallMs
  (attempt.startMs, attempt.fromEvent) = (wall.timeMs, wall.event)
  // How much of it was a person's time is unknown, and so is the rest.
  if line.isTypingUntold || attempt.phases.contains(where: { $0.name == .ringing && $0.isBounded }) { return }
  let from = started.own?.timeMs ?? wall.timeMs
  let people = attempt.phases.filter(\.isOfPerson).compactMap(\.span)
  let own = min(from, established.timeMs)...established.timeMs
  let setupMs = established.timeMs - from - covered(by: people, of: own)
  attempt.setupMs = stepMs > 0 && setupMs <= stepMs ? nil : setupMs
}

extension Timeline {
  /// When this end had the answer to its offer, if that was between two moments: a candidate of the far end that nobody signalled
  /// begins the checks before (peer-reflexive, RFC 8445 7.3.1.3), but without the answer they cannot end.
  func answerCame(after from: Moment, until to: Moment) -> Moment? {
    let answers = ["sdp.answer-received", "sdp.provisional-answer-received"]
    let told = first(of: answers) ?? first(of: ["sdp.remote-set"])
    guard let told, told.timeMs > from.timeMs, told.timeMs <= to.timeMs else { return nil }
    return told
  }
}

/// Gives the time for which ICE or DTLS of an end that was called only waited until the caller had the answer to the signalling,
/// where that was most of it.
/// - Parameter heardMs: when the far end had an answer of this end, by its own log, on this end's clock.
func moveLateAnswer(in attempt: inout SetupAttempt, _ line: Timeline, heardMs: [Double]) {
  guard attempt.direction == .incoming else { return }
  let slowMs = slowPathMs + (line.moments.map(\.stepMs).max() ?? 0)
  for index in attempt.phases.indices where [.ice, .dtls, .iceAndDtls].contains(attempt.phases[index].name) {
    let phase = attempt.phases[index]
    guard let span = phase.span, span.upperBound - span.lowerBound >= slowMs,
      let heard = heardMs.first(where: { $0 > span.lowerBound && $0 <= span.upperBound }),
      heard - span.lowerBound > span.upperBound - heard
    else { continue }
    attempt.phases[index].startMs = heard
    attempt.phases[index].durationMs = span.upperBound - heard
    attempt.phases[index].fromEvent = "sdp.answer-received"
    let sent = ["sdp.answer-sent", "sdp.answer-created", "sdp.remote-set"]
    guard let from = line.preferred(sent), from.timeMs <= heard,
      let signalling = attempt.phases.firstIndex(where: { $0.name == .signalling && $0.state != .measured })
    else { continue }
    var way = measured(.signalling, from, Timeline.Moment(timeMs: heard, event: "sdp.answer-received"))
    way.cause = "the answer reached the far end late: ICE and DTLS waited for it"
    attempt.phases[signalling] = way
  }
}

/// Names the cause of a phase where it is evident, and only there.
/// - Parameter isAnswerHeard: whether it is known when the far end had this end's answer.
func addCauses(
  to attempt: inout SetupAttempt, _ line: Timeline, _ localType: String?, isAnswerHeard: Bool = false
) {
  // An end that was called does not see when its answer arrives, and the far end does not go on before.
  let mayWait = attempt.direction != .outgoing && !isAnswerHeard
  for index in attempt.phases.indices where attempt.phases[index].cause == nil {
    attempt.phases[index].cause = cause(of: attempt.phases[index], line, localType, mayWait: mayWait)
  }
}

// libwebrtc and SDKs give up on STUN and TURN servers after some seconds.
private let longGatheringMs = 2000.0
/// From here on ICE and DTLS are slow, ms: the default DTLS timer, RFC 6347 4.2.4.1; ICE checks are repeated after 500 ms at first,
/// RFC 8489 6.2.1.
let slowPathMs = 1000.0

private func cause(of phase: Phase, _ line: Timeline, _ localType: String?, mayWait: Bool) -> String? {
  guard phase.state == .measured, let told = phase.durationMs else { return nil }
  // What it took at least.
  let lasted = told - (line.moments.map(\.stepMs).max() ?? 0)
  switch phase.name {
  case .ringing: return "a person"
  case .capture: return "a person or a device: camera and microphone permission"
  case .gathering: return gatheringCause(lasted, line)
  case .ice:
    if isRelayOnly(line, localType) { return "TURN only: the path runs through a relay" }
    guard lasted >= slowPathMs else { return nil }
    return mayWait
      ? "slow: connectivity checks were answered late or repeated, or the answer reached the far end late"
      : "slow: connectivity checks were answered late or repeated"
  case .dtls:
    let repeats = line.events.filter { $0.event == "dtls.retransmitted" }.count
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

private func gatheringCause(_ lasted: Double, _ line: Timeline) -> String? {
  let result = line.events.first { $0.event == "ice.gathering-complete" }?.argument("result")
  if result == "no-relay" { return "ICE collection timed out without a relay candidate" }
  if let refused = line.events.turnErrors.first(where: \.isRefusal) { return "no relay: \(refused.words)" }
  guard lasted >= longGatheringMs else { return nil }
  let types = line.events.filter { $0.event == "ice.candidate" }.compactMap { $0.argument("candidate_type") }
  let hasTurn = line.events.contains { $0.event == "call.created" && $0.argument("turn") == "true" }
  if hasTurn, !types.isEmpty, !types.contains("relay") {
    return "ICE collection timed out without a relay candidate"
  }
  return "slow: a STUN or TURN server answered late or not at all"
}

// By policy, by the path taken, or because nothing but relay candidates was gathered.
private func isRelayOnly(_ line: Timeline, _ localType: String?) -> Bool {
  if line.events.contains(where: { $0.event == "call.created" && $0.argument("policy") == "relay" }) {
    return true
  }
  if let localType { return localType == "relay" }
  let types = line.events.filter { $0.event == "ice.candidate" }.compactMap { $0.argument("candidate_type") }
  return !types.isEmpty && types.allSatisfy { $0 == "relay" }
}
