import CallModel

extension SetupAttempt {
  /// Turns the attempt into a recovery if the call had been established before and no new call begins.
  /// However it ended, the call was lost, and was not rejected or abandoned before it was connected.
  mutating func becomeRestart(_ line: Timeline) {
    let begins = ["ice.restarted", "sdp.offer-created", "sdp.offer-sent", "sdp.offer-received"]
    startMs = startMs ?? line.first(of: begins)?.timeMs
    fromEvent = Self.restart
    if outcome != .completed && outcome != .unknown {
      outcome = .dropped
      reason?.what = "it had been established, and was not restored"
    }
  }
}

extension Timeline {
  /// Whether the attempt was established at any time.
  var wasEstablished: Bool { isEstablished && !endedEarly && !isNeverConnected && !isUnanswered }

  /// Whether its events occur only in an established call: a hold, or quality that the SDK reports.
  var beginsAmidCall: Bool {
    has("call.held", "call.remotely-held", "call.double-held", "call.resumed")
      || events.contains { $0.event == "media.quality-reported" && $0.argument("score") != nil }
  }

  /// Whether somebody makes a call. An offer alone restores a call whose connection failed.
  var isNewCall: Bool {
    has(
      "call.created", "call.incoming", "call.alerting", "call.request-sent", "call.dialing", "call.ringing",
      "token.requested")
  }
}
