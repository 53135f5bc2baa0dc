import CallModel

/// Checks that never succeeded: for want of a way, or of the answer without which they cannot.
func neverConnected(
  _ context: FindingContext, _ times: ConnectionTimes, _ media: MediaWatch, _ states: ConnectionStates
) -> Finding? {
  // Without the answer it is the far end's checks that a capture here sees succeed.
  let isUnanswered =
    context.events.isOfferUnanswered && !context.events.contains { $0.event == "dtls.connected" }
  // Who looks in when all is over does not know since when it was tried.
  guard times.isChecked, let start = times.checking ?? times.failed, isUnanswered || times.connected == nil,
    media.lastInboundMs == nil
  else { return nil }
  let end = times.failed ?? times.ended ?? lastTold(context, states.stillCheckingMs) ?? start
  guard times.failed != nil || end - start >= connectionPatienceMs else { return nil }
  let ended = endedBy(failure: times.failed, ended: times.ended)
  if isUnanswered { return answerNotReceived(context, from: start, to: end, ended) }
  let figures = context.events.connectivity
  let why = [figures.checks, figures.farEnd].compactMap { $0 }
  return Finding(
    "ice-never-connected", .error, from: start, to: end,
    Evidence().with("tried_ms", times.checking.map { end - $0 }).with("ended_by", ended).with(figures),
    "No way between the ends was found" + (times.checking.map { " in \(seconds(end - $0))" } ?? "")
      + (why.isEmpty ? "." : ": \(why.joined(separator: ", and "))."))
}

extension Evidence {
  /// The figures of the search for a way.
  fileprivate func with(_ figures: ConnectivityFigures) -> Evidence {
    func number(_ value: Int?) -> Double? { value.map(Double.init) }
    return with("pairs", number(figures.pairs)).with("checks_sent", number(figures.sent))
      .with("checks_answered", number(figures.answered)).with("checks_received", number(figures.received))
      .with("candidates", ConnectivityFigures.list(figures.local))
      .with("far_candidates", ConnectivityFigures.list(figures.remote))
      .with("far_addresses", figures.isRemotePrivate.map { $0 ? "private" : "public" })
  }
}

/// An end without the far end's description sends no checks of its own: that it has begun to check says that those of the far
/// end came (RFC 8445 7.3.1.3), which has this end's offer, and has set an answer.
private func answerNotReceived(
  _ context: FindingContext, from checking: Double, to end: Double, _ ended: String
) -> Finding {
  let offered = context.events.first { $0.event.hasPrefix("sdp.offer-") || $0.event == "sdp.local-setting" }
  return Finding(
    "answer-not-received", .error, from: checking, to: end,
    Evidence().with("checked_ms", end - checking).with("waited_ms", offered?.timeMs.map { end - $0 })
      .with("ended_by", ended),
    "The other end's checks came for \(seconds(end - checking)), but no answer to the offer: it was not sent, or signalling lost it."
  )
}

/// The handshake for the keys (DTLS) over a way that was found.
struct HandshakeTimes {
  /// Whether there is a way, and is known to be without keys: no media can come.
  let isUnfinished: Bool
  private let foundMs: Double?
  /// Whether ICE was seen to look for it.
  private let hasICE: Bool
  private let failedMs: Double?
  private let endedMs: Double?
  private let lastMs: Double?

  init(_ context: FindingContext, _ media: MediaWatch, _ states: ConnectionStates) {
    let events = context.events
    func first(_ names: String...) -> Double? {
      events.first { names.contains($0.event) && $0.timeMs != nil }?.timeMs
    }
    hasICE = events.contains { $0.event == "ice.checking" || $0.event == "ice.connected" }
    let found = first("ice.connected") ?? (hasICE ? nil : first("dtls.started"))
    foundMs = found
    func since(_ isMeant: (EventRecord) -> Bool) -> Double? {
      guard let found else { return nil }
      return events.first { isMeant($0) && $0.timeMs ?? -.infinity >= found }?.timeMs
    }
    failedMs = since {
      ["dtls.failed", "ice.failed"].contains($0.event) || ($0.event == "call.failed" && $0.sdk == "w3c")
    }
    endedMs = since { $0.event == "call.ended" || $0.event == "call.failed" }
    lastMs = lastTold(context, states.stillKeyingMs)
    // Logs from before connection states existed: ICE is all they know.
    let isFollowed =
      states.stillKeyingMs != nil
      || events.contains { $0.event == "ice.connecting" || $0.event.hasPrefix("dtls.") }
    let isUp = events.contains {
      ["dtls.connected", "call.established", "media.first-packet", "media.first-frame", "media.first-audio"]
        .contains($0.event)
    }
    isUnfinished =
      found != nil && isFollowed && !isUp && media.lastInboundMs == nil && media.sentMs == nil
  }

  /// What is to be said of it, once it has been waited for long enough.
  var finding: Finding? {
    guard let foundMs, let end = failedMs ?? endedMs ?? lastMs else { return nil }
    guard failedMs != nil || end - foundMs >= connectionPatienceMs else { return nil }
    return Finding(
      "dtls-never-connected", .error, from: foundMs, to: end,
      Evidence().with("tried_ms", end - foundMs).with("ended_by", endedBy(failure: failedMs, ended: endedMs)),
      "\(hasICE ? "ICE found a way, but the" : "The") handshake for the keys (DTLS) did not finish in \(seconds(end - foundMs))."
    )
  }
}

/// The last that is known of an end: of its events and its states.
private func lastTold(_ context: FindingContext, _ stateMs: Double?) -> Double? {
  (context.events.map(\.timeMs) + [stateMs]).compactMap { $0 }.max()
}

private func endedBy(failure: Double?, ended: Double?) -> String {
  failure != nil ? "failure" : ended != nil ? "giving up" : "end of the recording"
}
