import CallModel

extension SetupAttempt {
  /// Turns the attempt into a recovery if the call had been established before and no new call begins.
  /// However it ended, the call was lost, and was not rejected or abandoned before it was connected.
  mutating func becomeRestart(_ line: AttemptEvents) {
    let begins: [EventName] = [.iceRestarted, .sdpOfferCreated, .sdpOfferSent, .sdpOfferReceived]
    startMs = startMs ?? line.first(of: begins)?.timeMs
    fromEvent = Self.restart
    if outcome != .completed && outcome != .unknown {
      outcome = .dropped
      reason?.what = "it had been established, and was not restored"
    }
  }
}

extension AttemptEvents {
  /// Whether the attempt was established at any time.
  var wasEstablished: Bool { isEstablished && !endedEarly && !isNeverConnected && !isUnanswered }

  /// Whether its events occur only in an established call: a hold, or quality that the SDK reports.
  var beginsAmidCall: Bool {
    has(.callHeld, .callRemotelyHeld, .callDoubleHeld, .callResumed)
      || events.contains { $0.event == .mediaQualityReported && $0[.score] != nil }
  }

  /// Whether somebody makes a call. An offer alone restores a call whose connection failed.
  var isNewCall: Bool {
    has(
      .callCreated, .callIncoming, .callAlerting, .callRequestSent, .callDialing, .callRinging,
      .tokenRequested)
  }
}
