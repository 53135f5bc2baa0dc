import CallModel

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
      return "DTLS retransmission: \(repeats) \(repeats == 1 ? "flight" : "flights") sent again"
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
