import CallModel

extension SetupAttempt {
  /// Makes an attempt the recovery that it is, where the call had stood before and nothing calls anew: however it ended, the call was
  /// not refused or given up before it was connected, but lost.
  mutating func becomeRestart(_ line: Timeline) {
    let begins = ["ice.restarted", "sdp.offer-created", "sdp.offer-sent", "sdp.offer-received"]
    startMs = startMs ?? line.first(of: begins)?.timeMs
    fromEvent = Self.restart
    if outcome != .completed && outcome != .unknown {
      outcome = .dropped
      reason?.what = "it had stood, and was not brought back"
    }
  }
}

extension Timeline {
  /// Whether the attempt stood at some time.
  var hasStood: Bool { isEstablished && !diedEarly && !isNeverConnected && !isUnanswered }

  /// Whether it tells what only a call that stands has: a hold, or the SDK's word on the quality of what came.
  var beginsAmidCall: Bool {
    has("call.held", "call.remotely-held", "call.double-held", "call.resumed")
      || events.contains { $0.event == "media.quality-reported" && $0.argument("score") != nil }
  }

  /// Whether somebody calls: an offer alone brings a call back whose connection failed.
  var isNewCall: Bool {
    has(
      "call.created", "call.incoming", "call.alerting", "call.request-sent", "call.dialing", "call.ringing",
      "token.requested")
  }
}
