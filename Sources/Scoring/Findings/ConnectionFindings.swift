import CallModel

/// Rules on how the connection came up and went down, from events and from what media was seen.
func connectionFindings(
  _ context: FindingContext, _ reception: Reception, _ sound: OneWayAudioDetector, states: ConnectionStates
) -> [Finding] {
  let media = sound.media
  let times = ConnectionTimes(context, hadMedia: media.lastInboundMs != nil)
  let handshake = HandshakeTimes(context, media, states)
  let noWay = neverConnected(context, times, media, states)
  let setup = [noWay ?? (handshake.isUnfinished ? handshake.finding : nil)]
  // Over a way without keys no media can come, nor break off.
  let ofMedia =
    handshake.isUnfinished
    ? []
    : [
      media.receives || reception.media ? noMedia(context, times, media) : nil,
      lateMedia(context, times, media), dropped(context, times, media, absentSinceMs: sound.absentSinceMs),
    ]
  let inVain = setup.contains { $0 != nil } || times.failed != nil
  return (setup + ofMedia + [retransmitted(context)]).compactMap { $0 }
    + candidateFindings(
      context, isConnected: times.connected != nil || media.lastInboundMs != nil, inVain: inVain)
}

/// When the connection's milestones were met; nil for never, or never told.
struct ConnectionTimes {
  /// Whether ICE began its checks, and when.
  var isChecked = false
  var checking: Double?
  var connected: Double?
  /// When the keys were agreed upon, and whether their handshake is told of at all.
  var keyed: Double?
  var tellsKeys = false
  var failed: Double?
  var ended: Double?
  var broken: Double?

  /// When media could flow: not before there are keys. Nil as well where nobody knows when those came.
  var stood: Double? { tellsKeys ? keyed : connected }

  init(_ context: FindingContext, hadMedia: Bool) {
    for event in context.events {
      if event.event == "ice.checking" { isChecked = true }
      if event.event == "dtls.started" || event.event == "dtls.connected" { tellsKeys = true }
      guard let time = event.timeMs else { continue }
      switch event.event {
      case "ice.checking": checking = checking ?? time
      case "ice.connected", "dtls.connected":
        // A clock of whole seconds says only when it had not yet been.
        let then = time + (event.clockStepMs ?? 0)
        connected = connected ?? then
        if event.event == "dtls.connected" { keyed = keyed ?? then }
        broken = nil
      case "ice.failed", "dtls.failed":
        failed = failed ?? time
        // Keys that are refused before any media came break nothing that had stood.
        if connected != nil, hadMedia || event.event == "ice.failed" { broken = broken ?? time }
      case "ice.disconnected": if connected != nil { broken = broken ?? time }
      case "call.ended", "call.failed": ended = ended ?? time
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
  // It stood until it was over, however long the recording goes on.
  let last = min(reported, times.ended.flatMap { $0 >= connected ? $0 : nil } ?? reported)
  guard last - connected >= connectionPatienceMs else { return nil }
  let span = (start: connected, end: last)
  guard !context.quietTimes.hasMost(of: span) else { return nil }
  return Finding(
    "no-media", .error, from: connected, to: last,
    Evidence().with("connected_ms", last - connected).with("sent", media.sentMs == nil ? "no" : "yes"),
    "Connected for \(seconds(last - connected)), and not one packet of media came.")
}

/// From connected to the first media that is still in order, ms.
private let lateMediaMs = 2000.0

private func lateMedia(_ context: FindingContext, _ times: ConnectionTimes, _ media: MediaActivity)
  -> Finding?
{
  guard let connected = times.stood, let first = media.firstInboundMs, first - connected >= lateMediaMs
  else { return nil }
  // A connection may stand for its data channel long before anybody offers a track.
  let agreed = context.events.first { Reception.agreed($0)?.isEmpty == false }?.timeMs ?? connected
  let start = max(connected, agreed)
  guard first - start >= lateMediaMs else { return nil }
  return Finding(
    "late-media", .warning, from: start, to: first,
    Evidence().with("wait_ms", first - start).with("threshold_ms", lateMediaMs),
    "Media came \(seconds(first - start)) after \(agreed > connected ? "it was agreed upon" : "the connection stood")."
  )
}

private func dropped(
  _ context: FindingContext, _ times: ConnectionTimes, _ media: MediaActivity, absentSinceMs: Double?
) -> Finding? {
  // A break that healed has no `broken`; one after the call's end is its end.
  // Where media comes all the same, what broke was not what carries it.
  let isCarried = times.broken.map { (media.lastInboundMs ?? 0) - $0 >= connectionPatienceMs } ?? false
  if let broken = times.broken, !isCarried, times.ended.map({ broken < $0 - 100 }) ?? true {
    let start = min(media.lastInboundMs ?? broken, broken)
    return Finding(
      "dropped-mid-call", .error, from: start, to: times.ended ?? media.lastReportMs ?? broken,
      Evidence().with("broken_ms", broken).with("last_packet_ms", media.lastInboundMs),
      "The connection broke in the call and did not come back.")
  }
  // Without events: packets stopped for good while this end went on sending.
  guard let last = media.lastInboundMs, let end = media.lastReportMs, let sent = media.sentMs,
    end - last >= connectionPatienceMs, sent - last >= connectionPatienceMs,
    media.countsPath ? (media.lastHeardMs ?? last) - last < 2500 : true,
    // In a capture who still gives signs of life is there, and sends nothing.
    absentSinceMs.map({ end - max($0, last) >= FarEndAbsence.longestSilenceMs }) ?? true,
    !context.quietTimes.hasMost(of: (start: last, end: end))
  else { return nil }
  return Finding(
    "dropped-mid-call", .error, from: last, to: end,
    Evidence().with("without_packets_ms", end - last).with("last_packet_ms", last),
    "Nothing came any more for the last \(seconds(end - last)), while this end went on sending.")
}

/// A timer that begins below 1 s (RFC 6347 4.2.4) runs out on a slow way, or at a busy end, with nothing lost: that of
/// current browsers begins at 50 ms and doubles.
private let patientTimerMs = 900

private func retransmitted(_ context: FindingContext) -> Finding? {
  let again = context.events.filter { $0.event == "dtls.retransmitted" }
  guard let first = again.first else { return nil }
  let flights = Plural.of(again.count, "flight")
  let waits = again.map { $0.argument("waited_ms").flatMap { Int($0) } }
  var evidence = Evidence().with("retransmissions", Double(again.count)).with("what", first.raw)
  // What its end waited before it sent the first of them again; others may be of the other end.
  let firstWait = waits.lazy.compactMap { $0 }.first
  evidence = evidence.with("waited_ms", firstWait.map(Double.init))
  func finding(_ level: Severity, _ text: String) -> Finding {
    Finding("dtls-retransmit", level, from: first.timeMs, to: again.last?.timeMs, evidence, text)
  }
  if again.allSatisfy({ $0.argument("lost") == "no" }) {
    return finding(
      .info,
      "The handshake came again (\(flights)) before this end had answered: the answer was slow, nothing was lost."
    )
  }
  let isHasty = zip(again, waits).allSatisfy { event, wait in
    event.argument("lost") == "no"
      || event.argument("lost") != "yes" && wait.map { $0 < patientTimerMs } ?? false
  }
  if isHasty, let wait = firstWait {
    return finding(
      .info,
      "The handshake was repeated (\(flights)), first after \(wait) ms: so short a timer runs out on a slow way as well; whether packets were lost it does not tell."
    )
  }
  let missing = again.first { $0.argument("lost") == "yes" }?.argument("missing")
  evidence = evidence.with("missing", missing)
  let which = missing.flatMap { isAlwaysMissing($0, in: again) ? $0 : nil }
  let way =
    which.map { " Each time it was the largest part (\($0)), as on a way that lets no large packet pass." }
    ?? ""
  return finding(
    .warning, "The handshake had to be repeated (\(flights)): packets were lost in the setup.\(way)")
}

/// Whether the same part was missing time and again, and larger than any that came.
private func isAlwaysMissing(_ part: String, in again: [EventRecord]) -> Bool {
  again.count >= 2
    && again.allSatisfy { event in
      func bytes(_ name: String) -> Int { event.argument(name).flatMap { Int($0) } ?? 0 }
      return event.argument("missing") == part && bytes("missing_bytes") > bytes("longest_came_bytes")
    }
}

/// Rules on what there was to find a way with.
/// - Parameters:
///   - isConnected: whether a way was found all the same.
///   - inVain: whether it is known that none was, or that it was of no use.
func candidateFindings(_ context: FindingContext, isConnected: Bool, inVain: Bool) -> [Finding] {
  let hasNone = !isConnected && context.events.isWithoutCandidates
  return [
    hasNone ? noCandidates(context) : nil,
    turnFailed(context, isConnected: isConnected, isGrave: hasNone || (inVain && !isConnected)),
  ].compactMap { $0 }
}

private func noCandidates(_ context: FindingContext) -> Finding {
  func first(_ names: String...) -> Double? { context.events.first { names.contains($0.event) }?.timeMs }
  let start = first("ice.gathering-started")
  let end = first("ice.gathering-complete", "ice.candidates-end")
  return Finding(
    "no-candidates", .error, from: start ?? end, to: end,
    Evidence().with("gathered_ms", start.flatMap { start in end.map { $0 - start } }),
    "Gathering ended without one candidate: there was nothing to find a way with.")
}

/// Browsers ask every server from every address of the machine, and many of them are out of reach from one without harm: what
/// was not reached counts only where nothing came of it. A server that refuses does so to everybody.
private func turnFailed(_ context: FindingContext, isConnected: Bool, isGrave: Bool) -> Finding? {
  let errors = context.events.turnErrors.filter { $0.isRefusal || isGrave }
  guard let first = errors.first(where: \.isRefusal) ?? errors.first else { return nil }
  return Finding(
    "turn-failed", isGrave ? .error : isConnected ? .info : .warning, from: first.timeMs, to: first.timeMs,
    Evidence().with("url", first.url).with("code", Double(first.code)).with("text", first.text)
      .with("errors", Double(errors.count)),
    "No relay: \(first.words).")
}

/// Checks that never succeeded: for want of a way, or of the answer without which they cannot.
func neverConnected(
  _ context: FindingContext, _ times: ConnectionTimes, _ media: MediaActivity, _ states: ConnectionStates
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

  init(_ context: FindingContext, _ media: MediaActivity, _ states: ConnectionStates) {
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
