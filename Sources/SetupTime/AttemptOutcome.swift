import CallModel

/// How an attempt ended, by its own events; a dialect's word (`outcome` beside a failure or an end) comes first.
/// - Parameter gotMedia: whether anything of the far end's media arrived, by whatever source.
func outcome(of line: Timeline, _ direction: CallDirection, gotMedia: Bool) -> Outcome {
  guard line.hasStood else {
    return early(line, direction, gotMedia: gotMedia)
  }
  var isDown = false
  var isUp = false
  for (index, event) in line.events.enumerated() {
    switch event.event {
    case "call.established", "call.handed-over", "dtls.connected", "ice.connected", "network.reestablished":
      isUp = isUp || event.event != "ice.connected" || line.isEstablishedByICE
      isDown = false
    case "ice.disconnected", "ice.failed", "network.lost", "dtls.failed", "session.failed":
      isDown = isUp
    case "call.failed" where isUp:
      return .dropped
    case "call.ended" where isUp:
      let end = EndOfAttempt(line.events[index...])
      let said = end.outcome
      // Whoever waited in a room until the server gave up was in no call, whatever media it had.
      if said == .noAnswer, line.isOfRoom { return .noAnswer }
      if isDown || said == .failed || said == .dropped { return .dropped }
      return said == nil && line.isOfRoom && end.isUnexplained ? .unknown : .completed
    default: break
    }
  }
  // The log stops while the call is up, or down for a while: nobody knows how it ended, unless the SDK gave its connection up.
  if isDown && line.events.loss != nil || line.events.refusedRefresh != nil || line.events.lostSession != nil
  {
    return .dropped
  }
  // It goes on at another device, and nothing more is told here.
  return line.events.handedOver != nil ? .completed : .unknown
}

// Never established, as far as the log tells.
private func early(_ line: Timeline, _ direction: CallDirection, gotMedia: Bool) -> Outcome {
  guard let first = line.events.firstIndex(where: EndOfAttempt.isEnd) else {
    // Its push woke the telephone too late.
    if line.has("push.expired"), !line.isFollowed { return .noAnswer }
    return line.events.refusal.map { $0.saidOutcome ?? .failed } ?? .unknown
  }
  let end = line.events[first]
  let whole = EndOfAttempt(line.events[first...])
  let said = whole.outcome
  // What is a normal end of a call that stood is none of one that never did.
  if let said, said != .completed {
    // Nor can what never stood be dropped: a request that timed out has failed.
    return said == .dropped && end.event == "call.failed" ? .failed : said
  }
  if end.event == "call.failed" { return whole.argument("stage") == "rejected" ? .rejected : .failed }
  // Given up while the network had already failed, or because there was no microphone.
  if line.has("ice.disconnected", "ice.failed", "dtls.failed", "network.lost") || line.isEndedByDevice {
    return .failed
  }
  // The answer could not be used, and nothing else was tried.
  if line.isAnswerUnusable { return .failed }
  // Of a call that the log did not follow, nobody knows whether it was answered; of a room's own stream the end is that of who was in it.
  guard line.isFollowed else {
    return line.has("conference.roster-synced") && !line.isUnanswered ? said ?? .unknown : .unknown
  }
  if !line.isUnanswered, let answer = line.answer(direction) {
    return gotMedia ? .completed : unconnected(line, answer, end, said)
  }
  let isIncoming = line.has("call.incoming", "call.alerting")
  switch whole.argument("by") ?? line.askedForEnd {
  case "remote": return isIncoming ? .noAnswer : .rejected
  case "local": return isIncoming ? .rejected : .cancelled
  // A page closes its PeerConnection itself; of any other end without a word nobody knows whose it was.
  default: return end.sdk == "w3c" && !isIncoming ? .cancelled : .unknown
  }
}

extension Timeline {
  /// Whether it took a token to be let in: a room, whose server says why somebody left it.
  fileprivate var isOfRoom: Bool { hasGroup("token.") || hasGroup("conference.") }

  /// Whether a description was refused and no other one was set after it.
  fileprivate var isAnswerUnusable: Bool {
    guard let failed = events.lastIndex(where: { $0.event == "sdp.failed" }) else { return false }
    return !events[failed...].contains {
      ["sdp.remote-set", "ice.connected", "dtls.connected"].contains($0.event)
    }
  }

  // Whose end it was where the SDK took this one's wish for it.
  fileprivate var askedForEnd: String? {
    let isAsked = events.contains {
      $0.event == "call.updated" && $0.argument("update") == "end" && $0.argument("result") == "accepted"
    }
    return isAsked ? "local" : nil
  }
}

// Answered, and ended before its media could flow.
private func unconnected(_ line: Timeline, _ answer: EventRecord, _ end: EventRecord, _ said: Outcome?)
  -> Outcome
{
  let steps = ["ice.connected", "ice.checking", "ice.connecting"]
  let isTold = line.tellsStates || line.isWithoutCandidates
  let wait = line.preferred(steps)?.timeMs ?? (isTold ? answer.ownTimeMs : nil)
  // Nothing in the log would tell if it had been connected.
  guard let wait else { return said ?? .unknown }
  guard let endMs = end.ownTimeMs else { return .unknown }
  return endMs - wait >= connectionPatienceMs ? .failed : .cancelled
}
