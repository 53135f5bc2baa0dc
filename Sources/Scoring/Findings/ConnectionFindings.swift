import CallModel

/// Findings on how the connection was set up and lost, from events and from the media seen.
func connectionFindings(
  _ context: FindingContext, _ reception: Reception, _ sound: OneWayAudioDetector, states: ConnectionStates
) -> [Finding] {
  let media = sound.media
  let times = ConnectionTimes(context, hadMedia: media.lastInboundMs != nil)
  let handshake = HandshakeTimes(context, media, states)
  let noPath = neverConnected(context, times, media, states)
  let setup = [noPath ?? (handshake.isUnfinished ? handshake.finding : nil)]
  // Without DTLS keys no media can arrive or break off, so only the handshake is reported.
  let ofMedia =
    handshake.isUnfinished
    ? []
    : [
      reception.media || media.receives && !reception.isDescribed ? noMedia(context, times, media) : nil,
      lateMedia(context, times, media), dropped(context, times, media, absentSinceMs: sound.absentSinceMs),
    ]
  let inVain = setup.contains { $0 != nil } || times.failed != nil
  return (setup + ofMedia + [retransmitted(context)]).compactMap { $0 }
    + candidateFindings(
      context, isConnected: times.connected != nil || media.lastInboundMs != nil, inVain: inVain)
}

/// When the connection reached its milestones; nil if it never did, or if nothing says so.
struct ConnectionTimes {
  /// Whether and when ICE started its checks.
  var isChecked = false
  var checking: Double?
  var connected: Double?
  /// When DTLS finished, and whether any event mentions DTLS.
  var keyed: Double?
  var logsDTLS = false
  var failed: Double?
  var ended: Double?
  var broken: Double?

  /// When media could flow, which requires DTLS keys; nil also if the time of the handshake is unknown.
  var mediaReady: Double? { logsDTLS ? keyed : connected }

  init(_ context: FindingContext, hadMedia: Bool) {
    for event in context.events {
      if event.event == .iceChecking { isChecked = true }
      if event.event == .dtlsStarted || event.event == .dtlsConnected { logsDTLS = true }
      guard let time = event.timeMs else { continue }
      switch event.event {
      case .iceChecking: checking = checking ?? time
      case .iceConnected, .dtlsConnected:
        // With a clock of whole seconds the event happened at some time in the second: take its end.
        let then = time + (event.clockStepMs ?? 0)
        connected = connected ?? then
        if event.event == .dtlsConnected { keyed = keyed ?? then }
        broken = nil
      case .iceFailed, .dtlsFailed:
        failed = failed ?? time
        // A DTLS failure before any media does not break a working connection.
        if connected != nil, hadMedia || event.event == .iceFailed { broken = broken ?? time }
      case .iceDisconnected: if connected != nil { broken = broken ?? time }
      case .callEnded, .callFailed: ended = ended ?? time
      default: break
      }
    }
  }
}

private func noMedia(
  _ context: FindingContext, _ times: ConnectionTimes, _ media: MediaActivity
) -> Finding? {
  guard let connected = times.connected, media.lastInboundMs == nil, let reported = media.lastReportMs
  else { return nil }
  // The connection counts up to the end of the call, even if the recording goes on.
  let last = min(reported, times.ended.flatMap { $0 >= connected ? $0 : nil } ?? reported)
  guard last - connected >= Threshold.patience.value else { return nil }
  let span = (start: connected, end: last)
  guard !context.quietTimes.hasMost(of: span) else { return nil }
  return Finding(
    .noMedia, .error, from: connected, to: last,
    Evidence().with("connected_ms", last - connected).with("sent", media.sentMs == nil ? "no" : "yes"),
    "Connected for \(seconds(last - connected)), and not one packet of media came.")
}

private func lateMedia(_ context: FindingContext, _ times: ConnectionTimes, _ media: MediaActivity)
  -> Finding?
{
  guard let connected = times.mediaReady, let first = media.firstInboundMs,
    first - connected >= Threshold.lateMedia.value
  else { return nil }
  // A connection may be up for its data channel long before a track is offered.
  let agreed = context.events.first { Reception.agreed($0)?.isEmpty == false }?.timeMs ?? connected
  let start = max(connected, agreed)
  guard first - start >= Threshold.lateMedia.value else { return nil }
  return Finding(
    .lateMedia, .warning, from: start, to: first,
    Evidence().with("wait_ms", first - start).with("threshold_ms", Threshold.lateMedia.value),
    "Media came \(seconds(first - start)) after \(agreed > connected ? "it was agreed upon" : "the connection was established")."
  )
}

private func dropped(
  _ context: FindingContext, _ times: ConnectionTimes, _ media: MediaActivity, absentSinceMs: Double?
) -> Finding? {
  // `broken` is nil if the connection recovered; a break at the end of the call is its normal end. If media continues
  // to arrive, another connection carries it.
  let isCarried = times.broken.map { (media.lastInboundMs ?? 0) - $0 >= Threshold.patience.value } ?? false
  if let broken = times.broken, !isCarried, times.ended.map({ broken < $0 - 100 }) ?? true {
    let start = min(media.lastInboundMs ?? broken, broken)
    return Finding(
      .droppedMidCall, .error, from: start, to: times.ended ?? media.lastReportMs ?? broken,
      Evidence().with("broken_ms", broken).with("last_packet_ms", media.lastInboundMs),
      "The connection broke in the call and did not come back.")
  }
  // Without events: packets stopped for good while this end went on sending.
  guard let last = media.lastInboundMs, let end = media.lastReportMs, let sent = media.sentMs,
    end - last >= Threshold.patience.value, sent - last >= Threshold.patience.value,
    media.countsPath ? (media.lastReceivedMs ?? last) - last < Threshold.pathHeard.value : true,
    // In a capture, a far end that still sends checks or reports is present; it merely sends no media.
    absentSinceMs.map({ end - max($0, last) >= Threshold.farEndAbsent.value }) ?? true,
    !context.quietTimes.hasMost(of: (start: last, end: end))
  else { return nil }
  return droppedSilently(from: last, to: end)
}

/// The end of a connection from whose far end nothing came any more, without any event.
func droppedSilently(from last: Double, to end: Double) -> Finding {
  Finding(
    .droppedMidCall, .error, from: last, to: end,
    Evidence().with("without_packets_ms", end - last).with("last_packet_ms", last),
    "Nothing came any more for the last \(seconds(end - last)), while this end went on sending.")
}

private func retransmitted(_ context: FindingContext) -> Finding? {
  let again = context.events.filter { $0.event == .dtlsRetransmitted }
  guard let first = again.first else { return nil }
  let flights = Plural.of(again.count, "flight")
  let waits = again.map { $0[.waitedMs] }
  var evidence = Evidence().with("retransmissions", Double(again.count)).with("what", first.raw)
  // How long this end waited before its first retransmission; later ones may be the other end's.
  let firstWait = waits.lazy.compactMap { $0 }.first
  evidence = evidence.with("waited_ms", firstWait.map(Double.init))
  func finding(_ level: Severity, _ text: String) -> Finding {
    Finding(.dtlsRetransmit, level, from: first.timeMs, to: again.last?.timeMs, evidence, text)
  }
  if again.allSatisfy({ $0[.lost] == "no" }) {
    return finding(
      .info,
      "The handshake came again (\(flights)) before this end had answered: the answer was slow, nothing was lost."
    )
  }
  let isHasty = zip(again, waits).allSatisfy { event, wait in
    event[.lost] == "no"
      || event[.lost] != "yes" && wait.map { $0 < Threshold.patientTimer.count } ?? false
  }
  if isHasty, let wait = firstWait {
    return finding(
      .info,
      "The handshake was repeated (\(flights)), first after \(wait) ms: so short a timer expires on a slow path as well; it does not show whether packets were lost."
    )
  }
  let missing = again.first { $0[.lost] == "yes" }?[.missingMessage]
  evidence = evidence.with("missing", missing)
  let which = missing.flatMap { isAlwaysMissing($0, in: again) ? $0 : nil }
  let way =
    which.map { " Each time it was the largest part (\($0)), as on a path that lets no large packet pass." }
    ?? ""
  return finding(
    .warning, "The handshake had to be repeated (\(flights)): packets were lost in the setup.\(way)")
}

/// Whether every retransmission was for the same part, which is larger than any part that arrived.
private func isAlwaysMissing(_ part: String, in again: [EventRecord]) -> Bool {
  again.count >= 2
    && again.allSatisfy { event in
      event[.missingMessage] == part && event[.missingBytes] ?? 0 > event[.longestCameBytes] ?? 0
    }
}

/// Findings on candidates and TURN servers.
/// - Parameters:
///   - isConnected: whether a candidate pair worked all the same.
///   - inVain: whether the connection is known to have failed, or to have carried nothing.
func candidateFindings(_ context: FindingContext, isConnected: Bool, inVain: Bool) -> [Finding] {
  let hasNone = !isConnected && context.events.isWithoutCandidates
  return [
    hasNone ? noCandidates(context) : nil,
    turnFailed(context, isConnected: isConnected, isFatal: hasNone || (inVain && !isConnected)),
  ].compactMap { $0 }
}

private func noCandidates(_ context: FindingContext) -> Finding {
  func first(_ names: EventName...) -> Double? { context.events.first { names.contains($0.event) }?.timeMs }
  let start = first(.iceGatheringStarted)
  let end = first(.iceGatheringComplete, .iceCandidatesEnd)
  return Finding(
    .noCandidates, .error, from: start ?? end, to: end,
    Evidence().with("gathered_ms", start.flatMap { start in end.map { $0 - start } }),
    "Gathering ended without one candidate: there was nothing to connect with."
      + (context.events.hasTURN && context.events.turnErrors.isEmpty ? " No TURN server gave a relay." : ""))
}

/// Browsers ask every server from every local address, and many servers are unreachable from one of them without harm:
/// unreachable servers count only if the connection failed. A server that refuses does so for every address.
private func turnFailed(_ context: FindingContext, isConnected: Bool, isFatal: Bool) -> Finding? {
  let errors = context.events.turnErrors.filter { $0.isRefusal || isFatal }
  guard let first = errors.first(where: \.isRefusal) ?? errors.first else { return nil }
  return Finding(
    .turnFailed, isFatal ? .error : isConnected ? .info : .warning, from: first.timeMs, to: first.timeMs,
    Evidence().with("url", first.url).with("code", Double(first.code)).with("text", first.text)
      .with("errors", Double(errors.count)),
    "No relay: \(first.words).")
}

/// ICE checks that never succeeded, for lack of a working pair or of the answer they need.
func neverConnected(
  _ context: FindingContext, _ times: ConnectionTimes, _ media: MediaActivity, _ states: ConnectionStates
) -> Finding? {
  // Without the answer, a capture at this end sees only the far end's checks succeed.
  let isUnanswered =
    context.events.isOfferUnanswered && !context.events.contains { $0.event == .dtlsConnected }
  // If only the failure is on record, the duration of the attempt is unknown.
  guard isUnanswered || times.connected == nil, media.lastInboundMs == nil else { return nil }
  let figures = context.events.connectivity
  if !isUnanswered, let why = figures.noPair { return noPair(context, why, figures, times, states) }
  guard times.isChecked, let start = times.checking ?? times.failed else { return nil }
  let end = times.failed ?? times.ended ?? lastKnown(context, states.stillCheckingMs) ?? start
  guard times.failed != nil || end - start >= Threshold.patience.value else { return nil }
  let ended = endedBy(failure: times.failed, ended: times.ended)
  if isUnanswered { return answerNotReceived(context, from: start, to: end, ended) }
  let why = [figures.checks, figures.farEnd].compactMap { $0 }
  return Finding(
    .iceNeverConnected, .error, from: start, to: end,
    Evidence().with("tried_ms", times.checking.map { end - $0 }).with("ended_by", ended).with(figures),
    "No path between the ends was found" + (times.checking.map { " in \(seconds(end - $0))" } ?? "")
      + (why.isEmpty ? "." : ": \(why.joined(separator: ", and "))."))
}

/// An agent that cannot form a pair has nothing to check; browsers then stay in the state `new`, or fail.
private func noPair(
  _ context: FindingContext, _ why: NoPair, _ figures: ConnectivityFigures, _ times: ConnectionTimes,
  _ states: ConnectionStates
) -> Finding? {
  let described = context.events.last {
    [.sdpOfferReceived, .sdpAnswerReceived, .sdpProvisionalAnswerReceived].contains($0.event)
  }?.timeMs
  guard let start = described ?? times.checking ?? times.failed,
    let end = times.failed ?? times.ended ?? lastKnown(context, states.lastApartMs)
  else { return nil }
  guard times.failed != nil || end - start >= Threshold.patience.value else { return nil }
  return Finding(
    .noCandidatePair, .error, from: min(start, end), to: end,
    Evidence().with("waited_ms", max(0, end - start)).with("why", why.rawValue)
      .with("ended_by", endedBy(failure: times.failed, ended: times.ended))
      .with("candidates", ConnectivityFigures.list(figures.local))
      .with("far_candidates", ConnectivityFigures.list(figures.remote)),
    "ICE never connected: \(why.words). Nothing was tried: \(why.remedy).")
}

extension Evidence {
  /// Adds the figures of the connectivity checks.
  fileprivate func with(_ figures: ConnectivityFigures) -> Evidence {
    func number(_ value: Int?) -> Double? { value.map(Double.init) }
    return with("pairs", number(figures.pairs)).with("checks_sent", number(figures.sent))
      .with("checks_answered", number(figures.answered)).with("checks_received", number(figures.received))
      .with("candidates", ConnectivityFigures.list(figures.local))
      .with("far_candidates", ConnectivityFigures.list(figures.remote))
      .with("far_addresses", figures.isRemotePrivate.map { $0 ? "private" : "public" })
  }
}

/// An agent without the remote description sends no checks of its own. That it started checking means that checks
/// arrived from the far end (RFC 8445 section 7.3.1.3), which therefore has this end's offer and has set an answer.
private func answerNotReceived(
  _ context: FindingContext, from checking: Double, to end: Double, _ ended: String
) -> Finding {
  let offered = context.events.first { $0.event.isOffer || $0.event == .sdpLocalSetting }
  return Finding(
    .answerNotReceived, .error, from: checking, to: end,
    Evidence().with("checked_ms", end - checking).with("waited_ms", offered?.timeMs.map { end - $0 })
      .with("ended_by", ended),
    "The other end's checks came for \(seconds(end - checking)), but no answer to the offer: it was not sent, or signalling lost it."
  )
}

/// The DTLS handshake over a working candidate pair.
struct HandshakeTimes {
  /// Whether a pair works but DTLS is known not to have finished, so that no media can arrive.
  let isUnfinished: Bool
  private let foundMs: Double?
  /// Whether ICE is on record.
  private let hasICE: Bool
  private let failedMs: Double?
  private let endedMs: Double?
  private let lastMs: Double?

  init(_ context: FindingContext, _ media: MediaActivity, _ states: ConnectionStates) {
    let events = context.events
    func first(_ names: EventName...) -> Double? {
      events.first { names.contains($0.event) && $0.timeMs != nil }?.timeMs
    }
    hasICE = events.contains { $0.event == .iceChecking || $0.event == .iceConnected }
    let found = first(.iceConnected) ?? (hasICE ? nil : first(.dtlsStarted))
    foundMs = found
    func since(_ isMeant: (EventRecord) -> Bool) -> Double? {
      guard let found else { return nil }
      return events.first { isMeant($0) && $0.timeMs ?? -.infinity >= found }?.timeMs
    }
    failedMs = since {
      [.dtlsFailed, .iceFailed].contains($0.event) || ($0.event == .callFailed && $0.sdk == "w3c")
    }
    endedMs = since { $0.event.isEnd }
    lastMs = lastKnown(context, states.stillKeyingMs)
    // Logs of browsers without connectionState have only ICE states: nothing is known of DTLS.
    let isFollowed =
      states.stillKeyingMs != nil
      || events.contains { $0.event == .iceConnecting || $0.event.group == .dtls }
    let isUp = events.contains {
      [.dtlsConnected, .callEstablished, .mediaFirstPacket, .mediaFirstFrame, .mediaFirstAudio]
        .contains($0.event)
    }
    isUnfinished =
      found != nil && isFollowed && !isUp && media.lastInboundMs == nil && media.sentMs == nil
  }

  /// The finding; nil if the handshake neither failed nor took long enough.
  var finding: Finding? {
    guard let foundMs, let end = failedMs ?? endedMs ?? lastMs else { return nil }
    guard failedMs != nil || end - foundMs >= Threshold.patience.value else { return nil }
    return Finding(
      .dtlsNeverConnected, .error, from: foundMs, to: end,
      Evidence().with("tried_ms", end - foundMs).with("ended_by", endedBy(failure: failedMs, ended: endedMs)),
      "\(hasICE ? "ICE found a path, but the" : "The") handshake for the keys (DTLS) did not finish in \(seconds(end - foundMs))."
    )
  }
}

/// The latest time known of an end, from its events and states, ms.
private func lastKnown(_ context: FindingContext, _ stateMs: Double?) -> Double? {
  (context.events.map(\.timeMs) + [stateMs]).compactMap { $0 }.max()
}

private func endedBy(failure: Double?, ended: Double?) -> String {
  failure != nil ? "failure" : ended != nil ? "giving up" : "end of the recording"
}
