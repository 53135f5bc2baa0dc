import CallModel

/// How an attempt ended, by its own events; a dialect's word (`outcome` beside a failure or an end) comes first.
func outcome(of line: Timeline) -> Outcome {
  guard line.isEstablished, !line.diedEarly, !line.isNeverConnected else { return early(line) }
  var isDown = false
  var isUp = false
  for event in line.events {
    switch event.event {
    case "call.established", "dtls.connected", "ice.connected", "network.reestablished":
      isUp = isUp || event.event != "ice.connected" || line.isEstablishedByICE
      isDown = false
    case "ice.disconnected", "ice.failed", "network.lost", "dtls.failed", "session.failed":
      isDown = isUp
    case "call.failed" where isUp:
      return .dropped
    case "call.ended" where isUp:
      let said = event.argument("outcome").flatMap(Outcome.init(rawValue:))
      return isDown || said == .failed || said == .dropped ? .dropped : .completed
    default: break
    }
  }
  // The log stops while the call is up (or down): nobody knows how it ended.
  return .unknown
}

// Never established, as far as the log tells.
private func early(_ line: Timeline) -> Outcome {
  for event in line.events where event.event == "call.failed" || event.event == "call.ended" {
    // What is a normal end of a call that stood is none of one that never did.
    if let said = event.argument("outcome").flatMap(Outcome.init(rawValue:)), said != .completed {
      return said
    }
    if event.event == "call.failed" { return .failed }
    // Given up while the network had already failed.
    if line.has("ice.disconnected", "ice.failed", "dtls.failed", "network.lost") { return .failed }
    // Of a call that the log did not follow, nobody knows whether it was answered.
    guard line.isFollowed else { return .unknown }
    if event.argument("by") == "remote", line.has("call.incoming", "call.alerting") { return .noAnswer }
    if event.argument("by") == "local", line.has("call.incoming", "call.alerting") { return .rejected }
    return event.argument("by") == "remote" ? .rejected : .cancelled
  }
  return .unknown
}
