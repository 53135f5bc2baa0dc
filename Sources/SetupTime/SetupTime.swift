import CallModel

/// The setup attempts of one endpoint, each with its phases, from its canonical events.
///
/// Pure: it looks at names, times and a few arguments, at no file and no clock. Events may come in any order. Those without a
/// time cannot bound a phase, but they say that something happened.
/// - Parameters:
///   - events: every event of one endpoint, from all its sources, on one clock.
///   - localType: the type of the local candidate of the path it took (`host`, `relay` …), if known.
///   - gotMedia: whether anything of the far end's media arrived, by whatever source.
///   - gaps: the times between its streams in which it had none, by its own statistics.
///   - answersHeardMs: when the far end had this end's answers, by its own log, on this end's clock; nil where nobody tells.
/// - Returns: the attempts in order of time; none where nothing tried to set a call up. Phases stand in the order of `PhaseName`,
///   each once; `ice+dtls` only where nothing splits the two.
public func setupAttempts(
  of events: [EventRecord], localType: String? = nil, gotMedia: Bool = false,
  gaps: [ClosedRange<Double>] = [], answersHeardMs: [Double]? = nil
) -> [SetupAttempt] {
  var hasStood = false
  return splitAttempts(events, gaps: gaps).enumerated().map { index, events in
    let line = Timeline(events)
    let direction = direction(of: line)
    var attempt = SetupAttempt(
      attempt: index + 1, direction: direction,
      outcome: outcome(of: line, direction, gotMedia: gotMedia), phases: [])
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

/// Totals: created (or accepted) to established, and created to ringing.
func addTotals(to attempt: inout SetupAttempt, _ line: Timeline) {
  let started = line.start(attempt.direction)
  if attempt.direction == .outgoing,
    let created = line.dialled ?? line.first(of: ["call.created", "call.dialing"]),
    let ringing = line.first(of: ["call.ringing"], from: created.timeMs)
  {
    attempt.postDialDelayMs = measured(.signalling, created, ringing).durationMs
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
