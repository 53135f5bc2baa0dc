import CallModel

/// Rules on how the connection came up and went down, from events and from what media was seen.
func connectionFindings(
  _ context: FindingContext, _ reception: Reception, _ sound: SoundWatch, states: ConnectionStates
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
  _ context: FindingContext, _ times: ConnectionTimes, _ media: MediaWatch
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

private func lateMedia(_ context: FindingContext, _ times: ConnectionTimes, _ media: MediaWatch) -> Finding? {
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
  _ context: FindingContext, _ times: ConnectionTimes, _ media: MediaWatch, absentSinceMs: Double?
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
  let flights = "\(again.count) flight\(again.count == 1 ? "" : "s")"
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
