import CallModel

/// The phases of one attempt, in the order of `PhaseName`.
func phases(of line: AttemptEvents, direction: CallDirection) -> [Phase] {
  if line.isOpenedAmidCall {
    return PhaseName.allCases.filter { $0 != .push && $0 != .iceAndDtls }.map { Phase($0, .unknown) }
  }
  let ice = icePhase(line)
  let dtls = dtlsPhase(line, ice: ice)
  return [
    capturePhase(line), gatheringPhase(line, direction), signallingPhase(line, direction),
    pushPhase(line, direction), ringingPhase(line, direction), negotiationPhase(line, direction), ice, dtls,
    together(line, ice: ice, dtls: dtls),
    mediaPhase(.firstPacket, .mediaFirstPacket, line), mediaPhase(.firstFrame, .mediaFirstFrame, line),
    mediaPhase(.firstAudio, .mediaFirstAudio, line),
  ].compactMap { $0 }
}

/// A phase between two moments. It is unknown if the clock advanced by one step at most, because the true
/// duration may be anything from zero to two steps.
func measured(_ name: PhaseName, _ from: AttemptEvents.Moment, _ to: AttemptEvents.Moment) -> Phase {
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

private let callEnds: [EventName] = [.callFailed, .callEnded]

private func capturePhase(_ line: AttemptEvents) -> Phase {
  guard let from = line.first(of: [.mediaLocalRequested]) else {
    if let phase = capturePhaseOfDial(line) { return phase }
    // A PeerConnection log lists every getUserMedia, so there was none; an SDK may have called it without
    // logging.
    let silent = line.has(.mediaLocalRequested, .mediaLocalAcquired) || !line.isPeerConnectionOnly
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
private func capturePhaseOfDial(_ line: AttemptEvents) -> Phase? {
  guard line.isFailedByCapture, let from = line.dialled ?? line.first(of: [.callDialing, .callCreated]),
    let to = line.first(of: [.mediaLocalFailed], from: from.timeMs)
  else { return nil }
  var phase = measured(.capture, from, to)
  phase.cause = line.events.last { $0.event == to.event }.map(deviceFailure)
  return phase
}

extension AttemptEvents {
  /// When camera and microphone were available or finally denied, and when they were first denied.
  /// Applications may ask again, for example for audio only, before anything else of the call happens.
  fileprivate func endOfRequest(_ from: Moment) -> (refusal: Moment?, end: Moment?) {
    var refusal: Moment?
    var end: Moment?
    var isAsked = true
    for moment in moments where moment.timeMs >= from.timeMs {
      switch moment.event {
      case .mediaLocalRequested: isAsked = true
      case .mediaLocalAcquired where isAsked: return (refusal, moment)
      case .mediaLocalFailed where isAsked:
        refusal = refusal ?? moment
        (end, isAsked) = (moment, false)
      default:
        let isOfCall = [.call, .sdp, .ice, .dtls].contains(moment.event.group)
        if isOfCall, !isAsked { return (refusal, end) }
      }
    }
    return (refusal, end)
  }
}

private let gathered: [EventName] = [.iceGatheringComplete, .iceCandidatesEnd]

private func gatheringPhase(_ line: AttemptEvents, _ direction: CallDirection) -> Phase {
  if direction == .incoming, !line.has(.iceGatheringStarted, .sdpOfferCreated) {
    return gatheringForAnswer(line)
  }
  let origins: [EventName] = [.iceGatheringStarted, .sdpOfferCreated, .callCreated, .callDialing]
  let asked = line.dialled?.timeMs ?? line.mediaRequestedInRoom?.timeMs ?? -.infinity
  guard let from = line.preferred(origins, from: asked) else { return Phase(.gathering, .unknown) }
  if let to = line.preferred(gathered, from: from.timeMs) { return measured(.gathering, from, to) }
  // With vanilla ICE, the request is held back until all candidates have been gathered.
  let vanilla = line.events.contains { $0.event == .callRequestSent && $0[.ice] == "vanilla" }
  if vanilla, direction == .outgoing, let to = line.first(of: [.callRequestSent], from: from.timeMs) {
    var phase = measured(.gathering, from, to)
    phase.cause = "vanilla ICE, as the SDK does by default: the request waits for the candidates"
    return phase
  }
  return Phase(.gathering, .unknown)
}

// The callee gathers candidates once its answer is set (RFC 8829 section 5.9), not while it rings. Gathering
// begins no earlier than the last action of its user or SDK for the answer.
private func gatheringForAnswer(_ line: AttemptEvents) -> Phase {
  let incoming = line.first(of: [.callIncoming, .callAlerting])?.timeMs ?? -.infinity
  let causes: [EventName] = [.callCreated, .callAnswered, .callMediaPending, .sdpAnswerCreated]
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

private func signallingPhase(_ line: AttemptEvents, _ direction: CallDirection) -> Phase {
  guard direction != .incoming else { return Phase(.signalling, .absent) }
  let origins: [EventName] =
    [.callRequestSent, .sdpOfferSent, .callDialing]
    + (line.isPeerConnectionOnly ? [.sdpLocalSet] : [])
  let answers: [EventName] = [
    .callRinging, .callEarlyMedia, .callAnswered, .callMediaPending, .sdpAnswerReceived,
    .sdpProvisionalAnswerReceived, .sdpFailed,
  ]
  guard let from = line.sentWhenGathered ?? line.preferred(origins) else {
    if let phase = dialledPhase(line) { return phase }
    return Phase(
      .signalling, line.endedEarly && !line.isAnswered && !line.has(.callRinging) ? .absent : .unknown)
  }
  guard let to = line.first(of: answers + [.callEstablished] + callEnds, from: from.timeMs) else {
    return Phase(.signalling, .unknown)
  }
  // It waited for camera and microphone, and sent no request.
  if callEnds.contains(to.event), line.isFailedByCapture { return Phase(.signalling, .absent) }
  var phase = measured(.signalling, from, to)
  // The far end's checks show that it has this end's offer.
  if phase.state == .measured, callEnds.contains(to.event), line.isOfferUnanswered, line.has(.iceChecking) {
    phase.cause = "given up here: the far end's checks had come, and no answer"
  }
  return phase
}

// For an SDK that does not report the request: from its call to the first sign from the far end's phone, or
// to the push that wakes it.
private func dialledPhase(_ line: AttemptEvents) -> Phase? {
  guard !line.isPeerConnectionOnly, let from = line.first(of: [.callCreated]),
    let to = line.first(of: [.pushSent, .callRinging, .callEarlyMedia], from: from.timeMs)
  else { return nil }
  return measured(.signalling, from, to)
}

// The push: from sending it to ringing at the far end, or from its arrival to the incoming call here.
private func pushPhase(_ line: AttemptEvents, _ direction: CallDirection) -> Phase? {
  let origin: EventName = direction == .incoming ? .pushReceived : .pushSent
  guard let from = line.first(of: [origin]) else { return nil }
  let ends: [EventName] =
    direction == .incoming
    ? [.callIncoming, .callAlerting]
    : [.callRinging, .callEarlyMedia, .callAnswered, .callEstablished]
  guard let to = line.first(of: ends + [.pushExpired] + callEnds, from: from.timeMs) else {
    return Phase(.push, .unknown)
  }
  return measured(.push, from, to)
}

private func ringingPhase(_ line: AttemptEvents, _ direction: CallDirection) -> Phase {
  // A captured INVITE does not ring: the callee says so (180), or its sound comes before the answer.
  let origins: [EventName] =
    direction == .outgoing
    ? [.callRinging, .callEarlyMedia]
    : line.isOfInvite ? [.callAlerting, .callEarlyMedia] : [.callAlerting, .callIncoming]
  guard let from = line.first(of: origins) else {
    return Phase(.ringing, line.isPeerConnectionOnly || line.has(origins[0], origins[1]) ? .unknown : .absent)
  }
  let answers = direction == .incoming ? AttemptEvents.accepted : line.answers
  guard let to = line.first(of: answers + [.callEstablished] + callEnds, from: from.timeMs) else {
    return Phase(.ringing, .unknown)
  }
  guard to.event == .callEstablished, !answers.contains(to.event) else {
    return measured(.ringing, from, to)
  }
  // The call was established, but the log does not say when somebody answered.
  var phase = Phase(.ringing, .unknown)
  (phase.fromEvent, phase.toEvent) = (from.event, to.event)
  phase.cause =
    "the answer is not in the log: \(Int(min(to.timeMs - from.timeMs, 1e12).rounded())) ms at most"
  return phase
}

private func negotiationPhase(_ line: AttemptEvents, _ direction: CallDirection) -> Phase {
  let origins: [EventName] =
    direction == .incoming && !line.has(.callAnswered)
    ? [.sdpOfferReceived] : [.callAnswered, .sdpAnswerReceived]
  if let from = line.first(of: origins), let to = line.first(of: [.sdpRemoteSet], from: from.timeMs) {
    return line.isOfOneNegotiation(from, to)
      ? measured(.negotiation, from, to) : Phase(.negotiation, .unknown)
  }
  return Phase(.negotiation, line.endedEarly && !line.isAnswered ? .absent : .unknown)
}

extension AttemptEvents {
  /// Whether no other offer, nor another answer, came between two moments: what ends the first negotiation is not in the
  /// log then.
  fileprivate func isOfOneNegotiation(_ from: Moment, _ to: Moment) -> Bool {
    let others: [EventName] = [
      .sdpOfferRequested, .sdpOfferCreated, .sdpOfferReceived, .sdpAnswerReceived,
    ]
    let isAnswer = from.event == .sdpAnswerReceived || from.event == .sdpOfferReceived
    return !moments.contains {
      $0.timeMs > from.timeMs && $0.timeMs < to.timeMs && others.contains($0.event)
        && (isAnswer || $0.event != .sdpAnswerReceived)
    }
  }
}

private let pathEnds: [EventName] = [.iceFailed, .dtlsFailed, .callFailed, .callEnded]

/// From checking to connected, or to the failure if it never connected, since that is where the time was
/// spent.
func icePhase(_ line: AttemptEvents) -> Phase {
  // Without the far end's description or a local candidate, an end has nothing to check. The checks it saw
  // came from the far end.
  if line.isOfferUnanswered || line.isWithoutCandidates || line.isWithoutPair { return Phase(.ice, .absent) }
  guard let checking = line.first(of: [.iceChecking, .iceConnecting]) else {
    if let unlogged = unloggedChecks(line) { return unlogged }
    return Phase(.ice, line.endedEarly && !line.isAnswered ? .absent : .unknown)
  }
  func ice(_ to: AttemptEvents.Moment) -> Phase {
    measured(.ice, line.answerCame(after: checking, until: to) ?? checking, to)
  }
  if let to = line.first(of: [.iceConnected], from: checking.timeMs) { return ice(to) }
  // Without ICE's own states, connecting → connected includes DTLS.
  guard !line.has(.dtlsConnected), let to = line.first(of: pathEnds, from: checking.timeMs) else {
    return Phase(.ice, .unknown)
  }
  var phase = ice(to)
  phase.cause =
    to.event == .callEnded
    ? "given up here: no connectivity check had succeeded" : "failed here: no connectivity check succeeded"
  return phase
}

// For an SDK that reports when ICE connected but not when its checks began. They require the answer.
private func unloggedChecks(_ line: AttemptEvents) -> Phase? {
  guard !line.isPeerConnectionOnly, let to = line.first(of: [.iceConnected]),
    let from = line.moments.last(where: {
      $0.timeMs <= to.timeMs && [.callAnswered, .callMediaPending].contains($0.event)
    })
  else { return nil }
  return measured(.ice, from, to)
}

/// From ICE connected to DTLS connected.
func dtlsPhase(_ line: AttemptEvents, ice: Phase) -> Phase {
  if let end = ice.toEvent, end != .iceConnected { return Phase(.dtls, .absent) }
  if ice.state == .absent, line.isOfferUnanswered { return Phase(.dtls, .absent) }
  guard let from = line.preferred([.iceConnected, .dtlsStarted]) else {
    return Phase(.dtls, ice.state == .absent ? .absent : .unknown)
  }
  if let to = line.first(of: [.dtlsConnected], from: from.timeMs) { return measured(.dtls, from, to) }
  // Without any DTLS event, an established call may still have had DTLS.
  guard !line.has(.dtlsConnected), line.has(.dtlsFailed, .callFailed) || !line.isEstablished,
    let to = line.first(of: pathEnds, from: from.timeMs)
  else { return Phase(.dtls, .unknown) }
  var phase = measured(.dtls, from, to)
  phase.cause =
    to.event == .callEnded
    ? "given up here: the DTLS handshake had not finished" : "failed here: the DTLS handshake did not finish"
  return phase
}

/// Both phases together, if nothing separates them.
func together(_ line: AttemptEvents, ice: Phase, dtls: Phase) -> Phase? {
  guard ice.state != .measured || dtls.state == .unknown else { return nil }
  // With only an SDK's states: from the state in which media are pending to the one in which they flow.
  if line.has(.callMediaPending), !line.hasGroup(.ice), !line.hasGroup(.dtls),
    let from = line.first(of: [.callMediaPending]),
    let to = line.first(of: [.callEstablished] + callEnds, from: from.timeMs)
  {
    var phase = measured(.iceAndDtls, from, to)
    if callEnds.contains(to.event) { phase.cause = "given up here: the SDK was still waiting for media" }
    return phase
  }
  guard let from = line.first(of: [.iceChecking, .iceConnecting]),
    let to = line.first(of: [.dtlsConnected], from: from.timeMs)
  else { return nil }
  return measured(.iceAndDtls, line.answerCame(after: from, until: to) ?? from, to)
}

/// From the moment media could be decrypted to the first packet, frame or sound.
func mediaPhase(_ name: PhaseName, _ event: EventName, _ line: AttemptEvents) -> Phase {
  guard let from = line.preferred([.dtlsConnected, .callEstablished]) else {
    let isNeverUp = line.has(.callFailed, .callEnded) && !line.has(event)
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
