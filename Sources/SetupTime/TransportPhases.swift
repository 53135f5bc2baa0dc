import CallModel

private let pathDeath = ["ice.failed", "dtls.failed", "call.failed", "call.ended"]

/// Checking to connected; to the failure where it never connected, for that is where the time went.
func icePhase(_ line: Timeline) -> Phase {
  // Without the far end's description, or a candidate of its own, an end has nothing to check: what it saw were the far end's.
  if line.isOfferUnanswered || line.isWithoutCandidates { return Phase(.ice, .absent) }
  guard let checking = line.first(of: ["ice.checking", "ice.connecting"]) else {
    if let untold = untoldChecks(line) { return untold }
    return Phase(.ice, line.diedEarly && !line.isAnswered ? .absent : .unknown)
  }
  func ice(_ to: Timeline.Moment) -> Phase {
    measured(.ice, line.answerCame(after: checking, until: to) ?? checking, to)
  }
  if let to = line.first(of: ["ice.connected"], from: checking.timeMs) { return ice(to) }
  // Without ICE's own states, connecting → connected holds DTLS too.
  guard !line.has("dtls.connected"), let to = line.first(of: pathDeath, from: checking.timeMs) else {
    return Phase(.ice, .unknown)
  }
  var phase = ice(to)
  phase.cause =
    to.event == "call.ended"
    ? "given up here: no connectivity check had succeeded" : "failed here: no connectivity check succeeded"
  return phase
}

// An SDK that tells only when ICE was connected, and not when its checks began: they need the answer.
private func untoldChecks(_ line: Timeline) -> Phase? {
  guard !line.isPeerConnectionOnly, let to = line.first(of: ["ice.connected"]),
    let from = line.moments.last(where: {
      $0.timeMs <= to.timeMs && ["call.answered", "call.media-pending"].contains($0.event)
    })
  else { return nil }
  return measured(.ice, from, to)
}

/// ICE connected to DTLS connected.
func dtlsPhase(_ line: Timeline, ice: Phase) -> Phase {
  if let end = ice.toEvent, end != "ice.connected" { return Phase(.dtls, .absent) }
  if ice.state == .absent, line.isOfferUnanswered { return Phase(.dtls, .absent) }
  guard let from = line.preferred(["ice.connected", "dtls.started"]) else {
    return Phase(.dtls, ice.state == .absent ? .absent : .unknown)
  }
  if let to = line.first(of: ["dtls.connected"], from: from.timeMs) { return measured(.dtls, from, to) }
  // Where no event of DTLS is told, a call that stood may have had it all the same.
  guard !line.has("dtls.connected"), line.has("dtls.failed", "call.failed") || !line.isEstablished,
    let to = line.first(of: pathDeath, from: from.timeMs)
  else { return Phase(.dtls, .unknown) }
  var phase = measured(.dtls, from, to)
  phase.cause =
    to.event == "call.ended"
    ? "given up here: the DTLS handshake had not finished" : "failed here: the DTLS handshake did not finish"
  return phase
}

/// The two together, where nothing splits them.
func together(_ line: Timeline, ice: Phase, dtls: Phase) -> Phase? {
  guard ice.state != .measured || dtls.state == .unknown else { return nil }
  guard let from = line.first(of: ["ice.checking", "ice.connecting"]),
    let to = line.first(of: ["dtls.connected"], from: from.timeMs)
  else { return nil }
  return measured(.iceAndDtls, line.answerCame(after: from, until: to) ?? from, to)
}

/// From the moment media could be decrypted to its first packet, frame or sound.
func mediaPhase(_ name: PhaseName, _ event: String, _ line: Timeline) -> Phase {
  guard let from = line.preferred(["dtls.connected", "call.established"]) else {
    let neverUp = line.has("call.failed", "call.ended") && !line.has(event)
    return Phase(name, neverUp ? .absent : .unknown)
  }
  if line.negotiatedAtFirst(name.media, connected: from) == false { return Phase(name, .absent) }
  if let to = line.first(of: [event], from: from.timeMs) { return measured(name, from, to) }
  if line.first(of: [event]) != nil {
    // It was there before the event that says the keys are: no time passed.
    var phase = measured(name, from, from)
    phase.toEvent = event
    return phase
  }
  return Phase(name, .unknown)
}

extension PhaseName {
  /// Whose beginning the phase waits for; nil where any medium will do.
  fileprivate var media: MediaKind? {
    switch self {
    case .firstFrame: .video
    case .firstAudio: .audio
    default: nil
    }
  }
}
