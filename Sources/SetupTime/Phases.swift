import CallModel

/// The phases of one attempt, in the order of `PhaseName`.
func phases(of line: Timeline, direction: CallDirection) -> [Phase] {
  let ice = icePhase(line)
  let dtls = dtlsPhase(line, ice: ice)
  return [
    capturePhase(line), gatheringPhase(line, direction), signallingPhase(line, direction),
    pushPhase(line, direction), ringingPhase(line, direction), negotiationPhase(line, direction), ice, dtls,
    together(line, ice: ice, dtls: dtls),
    mediaPhase(.firstPacket, "media.first-packet", line), mediaPhase(.firstFrame, "media.first-frame", line),
    mediaPhase(.firstAudio, "media.first-audio", line),
  ].compactMap { $0 }
}

/// A phase between two moments. It is unknown if the clock advanced by one step at most, because the true
/// duration may be anything from zero to two steps.
func measured(_ name: PhaseName, _ from: Timeline.Moment, _ to: Timeline.Moment) -> Phase {
  let lasted = to.timeMs - from.timeMs
  let stepMs = max(from.stepMs, to.stepMs)
  var phase = Phase(name, lasted > stepMs || stepMs == 0 ? .measured : .unknown)
  phase.startMs = from.timeMs
  (phase.fromEvent, phase.toEvent) = (from.event, to.event)
  if phase.state == .measured {
    phase.durationMs = lasted
  } else {
    phase.cause = "\(Phase.belowClock): less than \(Int((lasted + stepMs) / 1000)) s"
  }
  return phase
}

private let callEnds = ["call.failed", "call.ended"]

private func capturePhase(_ line: Timeline) -> Phase {
  guard let from = line.first(of: ["media.local-requested"]) else {
    if let phase = capturePhaseOfDial(line) { return phase }
    // A PeerConnection log lists every getUserMedia, so there was none; an SDK may have called it without
    // logging.
    let silent = line.has("media.local-requested", "media.local-acquired") || !line.isPeerConnectionOnly
    return Phase(.capture, silent ? .unknown : .absent)
  }
  let (refusal, to) = line.endOfRequest(from)
  guard let to else { return Phase(.capture, .unknown) }
  var phase = measured(.capture, from, to)
  if let refusal {
    let why = line.events.first { $0.event == refusal.event && $0.timeMs == refusal.timeMs }.map(
      deviceFailure)
    phase.cause = to.event == refusal.event ? why : why.map { "\($0) \(Phase.askedAgain)" }
  }
  return phase
}

// For an SDK that requests camera and microphone after dialling, and reports only if they are not available.
private func capturePhaseOfDial(_ line: Timeline) -> Phase? {
  guard line.isFailedByCapture, let from = line.dialled ?? line.first(of: ["call.dialing", "call.created"]),
    let to = line.first(of: ["media.local-failed"], from: from.timeMs)
  else { return nil }
  var phase = measured(.capture, from, to)
  phase.cause = line.events.last { $0.event == to.event }.map(deviceFailure)
  return phase
}

extension Timeline {
  /// When camera and microphone were available or finally denied, and when they were first denied.
  /// Applications may ask again, for example for audio only, before anything else of the call happens.
  fileprivate func endOfRequest(_ from: Moment) -> (refusal: Moment?, end: Moment?) {
    var refusal: Moment?
    var end: Moment?
    var isAsked = true
    for moment in moments where moment.timeMs >= from.timeMs {
      switch moment.event {
      case "media.local-requested": isAsked = true
      case "media.local-acquired" where isAsked: return (refusal, moment)
      case "media.local-failed" where isAsked:
        refusal = refusal ?? moment
        (end, isAsked) = (moment, false)
      default:
        let isOfCall = ["call.", "sdp.", "ice.", "dtls."].contains { moment.event.hasPrefix($0) }
        if isOfCall, !isAsked { return (refusal, end) }
      }
    }
    return (refusal, end)
  }
}

private let gathered = ["ice.gathering-complete", "ice.candidates-end"]

private func gatheringPhase(_ line: Timeline, _ direction: CallDirection) -> Phase {
  if direction == .incoming, !line.has("ice.gathering-started", "sdp.offer-created") {
    return gatheringForAnswer(line)
  }
  let origins = ["ice.gathering-started", "sdp.offer-created", "call.created", "call.dialing"]
  let asked = line.dialled?.timeMs ?? line.mediaRequestedInRoom?.timeMs ?? -.infinity
  guard let from = line.preferred(origins, from: asked) else { return Phase(.gathering, .unknown) }
  if let to = line.preferred(gathered, from: from.timeMs) { return measured(.gathering, from, to) }
  // With vanilla ICE, the request is held back until all candidates have been gathered.
  let vanilla = line.events.contains { $0.event == "call.request-sent" && $0.argument("ice") == "vanilla" }
  if vanilla, direction == .outgoing, let to = line.first(of: ["call.request-sent"], from: from.timeMs) {
    var phase = measured(.gathering, from, to)
    phase.cause = "vanilla ICE, as the SDK does by default: the request waits for the candidates"
    return phase
  }
  return Phase(.gathering, .unknown)
}

// The callee gathers candidates once its answer is set (RFC 8829 section 5.9), not while it rings. Gathering
// begins no earlier than the last action of its user or SDK for the answer.
private func gatheringForAnswer(_ line: Timeline) -> Phase {
  let incoming = line.first(of: ["call.incoming", "call.alerting"])?.timeMs ?? -.infinity
  let causes = ["call.created", "call.answered", "call.media-pending", "sdp.answer-created"]
  for name in gathered {
    guard let to = line.first(of: [name], from: incoming),
      let from = line.moments.last(where: {
        $0.timeMs >= incoming && $0.timeMs <= to.timeMs && causes.contains($0.event)
      })
    else { continue }
    return measured(.gathering, from, to)
  }
  return Phase(.gathering, .unknown)
}

private func signallingPhase(_ line: Timeline, _ direction: CallDirection) -> Phase {
  guard direction != .incoming else { return Phase(.signalling, .absent) }
  let origins =
    ["call.request-sent", "sdp.offer-sent", "call.dialing"]
    + (line.isPeerConnectionOnly ? ["sdp.local-set"] : [])
  let answers = [
    "call.ringing", "call.early-media", "call.answered", "call.media-pending", "sdp.answer-received",
    "sdp.provisional-answer-received", "sdp.failed",
  ]
  guard let from = line.preferred(origins) else {
    if let phase = dialledPhase(line) { return phase }
    return Phase(
      .signalling, line.endedEarly && !line.isAnswered && !line.has("call.ringing") ? .absent : .unknown)
  }
  guard let to = line.first(of: answers + ["call.established"] + callEnds, from: from.timeMs) else {
    return Phase(.signalling, .unknown)
  }
  // It waited for camera and microphone, and sent no request.
  if callEnds.contains(to.event), line.isFailedByCapture { return Phase(.signalling, .absent) }
  var phase = measured(.signalling, from, to)
  // The far end's checks show that it has this end's offer.
  if phase.state == .measured, callEnds.contains(to.event), line.isOfferUnanswered, line.has("ice.checking") {
    phase.cause = "given up here: the far end's checks had come, and no answer"
  }
  return phase
}

// For an SDK that does not report the request: from its call to the first sign from the far end's phone, or
// to the push that wakes it.
private func dialledPhase(_ line: Timeline) -> Phase? {
  guard !line.isPeerConnectionOnly, let from = line.first(of: ["call.created"]),
    let to = line.first(of: ["push.sent", "call.ringing", "call.early-media"], from: from.timeMs)
  else { return nil }
  return measured(.signalling, from, to)
}

// The push: from sending it to ringing at the far end, or from its arrival to the incoming call here.
private func pushPhase(_ line: Timeline, _ direction: CallDirection) -> Phase? {
  let origin = direction == .incoming ? "push.received" : "push.sent"
  guard let from = line.first(of: [origin]) else { return nil }
  let ends =
    direction == .incoming
    ? ["call.incoming", "call.alerting"]
    : ["call.ringing", "call.early-media", "call.answered", "call.established"]
  guard let to = line.first(of: ends + ["push.expired"] + callEnds, from: from.timeMs) else {
    return Phase(.push, .unknown)
  }
  return measured(.push, from, to)
}

private func ringingPhase(_ line: Timeline, _ direction: CallDirection) -> Phase {
  let origins =
    direction == .incoming ? ["call.alerting", "call.incoming"] : ["call.ringing", "call.early-media"]
  guard let from = line.first(of: origins) else {
    return Phase(.ringing, line.isPeerConnectionOnly || line.has(origins[0], origins[1]) ? .unknown : .absent)
  }
  // In SIP, the callee reports ringing (180, 183). An INVITE rejected without that never rang.
  if direction == .incoming, line.isSilentInvite { return Phase(.ringing, .absent) }
  let answers = direction == .incoming ? Timeline.accepted : line.answers
  guard let to = line.first(of: answers + ["call.established"] + callEnds, from: from.timeMs) else {
    return Phase(.ringing, .unknown)
  }
  guard to.event == "call.established", !answers.contains(to.event) else {
    return measured(.ringing, from, to)
  }
  // The call was established, but the log does not say when somebody answered.
  var phase = Phase(.ringing, .unknown)
  (phase.fromEvent, phase.toEvent) = (from.event, to.event)
  phase.cause =
    "the answer is not in the log: \(Int(min(to.timeMs - from.timeMs, 1e12).rounded())) ms at most"
  return phase
}

private func negotiationPhase(_ line: Timeline, _ direction: CallDirection) -> Phase {
  let origins =
    direction == .incoming && !line.has("call.answered")
    ? ["sdp.offer-received"] : ["call.answered", "sdp.answer-received"]
  if let from = line.first(of: origins), let to = line.first(of: ["sdp.remote-set"], from: from.timeMs) {
    return measured(.negotiation, from, to)
  }
  return Phase(.negotiation, line.endedEarly && !line.isAnswered ? .absent : .unknown)
}

private let pathEnds = ["ice.failed", "dtls.failed", "call.failed", "call.ended"]

/// From checking to connected, or to the failure if it never connected, since that is where the time was
/// spent.
func icePhase(_ line: Timeline) -> Phase {
  // Without the far end's description or a local candidate, an end has nothing to check. The checks it saw
  // came from the far end.
  if line.isOfferUnanswered || line.isWithoutCandidates { return Phase(.ice, .absent) }
  guard let checking = line.first(of: ["ice.checking", "ice.connecting"]) else {
    if let unlogged = unloggedChecks(line) { return unlogged }
    return Phase(.ice, line.endedEarly && !line.isAnswered ? .absent : .unknown)
  }
  func ice(_ to: Timeline.Moment) -> Phase {
    measured(.ice, line.answerCame(after: checking, until: to) ?? checking, to)
  }
  if let to = line.first(of: ["ice.connected"], from: checking.timeMs) { return ice(to) }
  // Without ICE's own states, connecting → connected includes DTLS.
  guard !line.has("dtls.connected"), let to = line.first(of: pathEnds, from: checking.timeMs) else {
    return Phase(.ice, .unknown)
  }
  var phase = ice(to)
  phase.cause =
    to.event == "call.ended"
    ? "given up here: no connectivity check had succeeded" : "failed here: no connectivity check succeeded"
  return phase
}

// For an SDK that reports when ICE connected but not when its checks began. They require the answer.
private func unloggedChecks(_ line: Timeline) -> Phase? {
  guard !line.isPeerConnectionOnly, let to = line.first(of: ["ice.connected"]),
    let from = line.moments.last(where: {
      $0.timeMs <= to.timeMs && ["call.answered", "call.media-pending"].contains($0.event)
    })
  else { return nil }
  return measured(.ice, from, to)
}

/// From ICE connected to DTLS connected.
func dtlsPhase(_ line: Timeline, ice: Phase) -> Phase {
  if let end = ice.toEvent, end != "ice.connected" { return Phase(.dtls, .absent) }
  if ice.state == .absent, line.isOfferUnanswered { return Phase(.dtls, .absent) }
  guard let from = line.preferred(["ice.connected", "dtls.started"]) else {
    return Phase(.dtls, ice.state == .absent ? .absent : .unknown)
  }
  if let to = line.first(of: ["dtls.connected"], from: from.timeMs) { return measured(.dtls, from, to) }
  // Without any DTLS event, an established call may still have had DTLS.
  guard !line.has("dtls.connected"), line.has("dtls.failed", "call.failed") || !line.isEstablished,
    let to = line.first(of: pathEnds, from: from.timeMs)
  else { return Phase(.dtls, .unknown) }
  var phase = measured(.dtls, from, to)
  phase.cause =
    to.event == "call.ended"
    ? "given up here: the DTLS handshake had not finished" : "failed here: the DTLS handshake did not finish"
  return phase
}

/// Both phases together, if nothing separates them.
func together(_ line: Timeline, ice: Phase, dtls: Phase) -> Phase? {
  guard ice.state != .measured || dtls.state == .unknown else { return nil }
  // With only an SDK's states: from the state in which media are pending to the one in which they flow.
  if line.has("call.media-pending"), !line.hasGroup("ice."), !line.hasGroup("dtls."),
    let from = line.first(of: ["call.media-pending"]),
    let to = line.first(of: ["call.established"] + callEnds, from: from.timeMs)
  {
    var phase = measured(.iceAndDtls, from, to)
    if callEnds.contains(to.event) { phase.cause = "given up here: the SDK was still waiting for media" }
    return phase
  }
  guard let from = line.first(of: ["ice.checking", "ice.connecting"]),
    let to = line.first(of: ["dtls.connected"], from: from.timeMs)
  else { return nil }
  return measured(.iceAndDtls, line.answerCame(after: from, until: to) ?? from, to)
}

/// From the moment media could be decrypted to the first packet, frame or sound.
func mediaPhase(_ name: PhaseName, _ event: String, _ line: Timeline) -> Phase {
  guard let from = line.preferred(["dtls.connected", "call.established"]) else {
    let isNeverUp = line.has("call.failed", "call.ended") && !line.has(event)
    return Phase(name, isNeverUp ? .absent : .unknown)
  }
  if line.negotiatedAtFirst(name.media, connected: from) == false { return Phase(name, .absent) }
  if let to = line.first(of: [event], from: from.timeMs) { return measured(name, from, to) }
  if line.first(of: [event]) != nil {
    // Media arrived before the event that reports the keys, so the duration is zero.
    var phase = measured(name, from, from)
    phase.toEvent = event
    return phase
  }
  return Phase(name, .unknown)
}

extension PhaseName {
  /// The medium whose start ends the phase; nil for any medium.
  fileprivate var media: MediaKind? {
    switch self {
    case .firstFrame: .video
    case .firstAudio: .audio
    default: nil
    }
  }
}
