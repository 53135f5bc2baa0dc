import CallModel
import CallStore
import Scoring
import SetupTime

/// What is concluded of one end of a call.
struct EndpointAssessment {
  let endpoint: StoredEndpoint
  /// The chosen streams by kind of source, and the kind that judges.
  let choice: StreamChoice
  /// Windows by kind of source.
  let windows: [StreamSource: PackedWindows]
  let attempts: [SetupAttempt]
  /// What happened here, told once.
  let account: [EventRecord]
  /// Sources of this end with another clock than most of the call, and how far it is off: those that differ among themselves,
  /// and where the end's clock as a whole is off, all that told by it.
  let sourceSkews: [Int64: ClockSkew]
  /// How far this end's clock is off the call's, if it matters. Times stay this end's own.
  let skew: ClockSkew?
  let statistics: ScoreStatistics
  /// From the first to the last window in which something was heard or seen; nil without one.
  private let heard: ClosedRange<Double>?
  let findings: [Finding]
  /// Times without a packet of sound, and of a picture, as the source that judges has them.
  let gaps: [MediaKind: [PacketGap]]
  /// Times between reports of its statistics that came far apart.
  let reportGaps: [ClosedRange<Double>]
  /// Freezes and pauses of the picture.
  let frozen: [FrozenSpan]
  /// What this end did not send, by its own statistics.
  let notSent: UnsentMedia
  /// Whether its source tells of the way that packets took, as whole polls of getStats do.
  let isPathKnown: Bool
  /// When the call was over, where the recording goes on after it.
  let overMs: Double?
  /// First and last instant of media.
  let media: ClosedRange<Double>?
  /// First and last instant of its paths, where there is no stream of media.
  let pathSpan: ClosedRange<Double>?

  init(
    _ endpoint: StoredEndpoint, events: [StoredEvent], clock: EndClock? = nil, leftOut: Set<Int64> = [],
    sources: RemoteSenders, store: Store, readers: Readers, scoring: EndpointScoring,
    passed: StreamedScores? = nil
  ) throws {
    self.endpoint = endpoint
    skew = clock?.skew
    let choice = StreamChoice(
      try store.streams(ofEndpoint: endpoint.key).filter { !leftOut.contains($0.source) })
    self.choice = choice
    let told = EventAccount(of: events.filter { $0.endpoint == endpoint.key || $0.endpoint == nil })
    account = told.events
    let skews = told.skews
    let tellers = Set(events.filter { $0.endpoint == endpoint.key }.map(\.source))
    sourceSkews =
      clock?.skew.map { whole in
        skews.merging(tellers.map { ($0, whole) }) { own, _ in own }
      } ?? skews
    let streams = choice.tracks.values.flatMap { $0 }.flatMap { $0 }
    let first = streams.compactMap(\.totals.firstMs).min()
    let last = streams.compactMap(\.totals.lastMs).max()
    media = first.flatMap { first in last.map { first...max(first, $0) } }
    pathSpan = media == nil ? try store.pathSpan(ofEndpoint: endpoint.key) : nil
    let ended = endOfCall(at: endpoint.key, account: account, events: events, recordedUntil: last)
    var scans: [StreamSource: EndpointScan] = [:]
    for (source, streams) in choice.tracks {
      let motion = try sources.motion(of: streams, at: endpoint.key, from: store)
      let unsent = try sources.unsent(streams, at: endpoint.key, from: store)
      let until =
        source == .capture
        ? try sources.followed(streams, at: endpoint.key, account: account, from: store) : nil
      if ended == nil, until == nil, motion.isEmpty, unsent.isEmpty, scoring.needsSamplesOnly(account),
        streams.allSatisfy({ $0.count == 1 }),
        let scan = try passed?.take(choice.chosen(source), of: endpoint.key, in: store)
      {
        scans[source] = scan
        continue
      }
      // A path is told as its own witness saw it: a capture's addresses and round trips are not the browser's.
      let paths = try store.transports(ofEndpoint: endpoint.key, sources: choice.mainSources(of: source))
      scans[source] = try scoring.scan(
        streams, paths: paths, account: account, motion: motion, unsent: unsent, untilMs: until,
        endedMs: ended,
        from: store, readers: readers)
    }
    let windows = scans.mapValues(\.windows)
    self.windows = windows
    let judging = choice.judging.flatMap { windows[$0] } ?? PackedWindows()
    statistics = ScoreStatistics(of: judging)
    heard = judging.reduce(nil) { heard, window in
      guard window.state == .active else { return heard }
      return (heard?.lowerBound ?? window.startMs)...max(heard?.lowerBound ?? window.startMs, window.endMs)
    }
    var scan = choice.judging.flatMap { scans[$0] } ?? EndpointScan()
    if streams.isEmpty {
      // Of a connection for data alone the path is all there is.
      let paths = try store.transports(ofEndpoint: endpoint.key)
      while let sample = try paths.next() { scan.findings.addStates(of: sample) }
    }
    overMs = scan.overMs
    gaps = scan.gaps
    reportGaps = scan.reportGaps
    frozen = scan.frozen
    let happened = scan.findings.completing(told.events)
    let toTheEnd = scan.overMs.map { withoutBreaks(happened, after: $0) } ?? happened
    attempts = setupAttempts(
      of: toTheEnd,
      localType: try store.firstLocalType(
        ofEndpoint: endpoint.key, source: choice.judging.flatMap(choice.mainSource)),
      gotMedia: streams.contains { $0.facts.direction == .inbound && $0.totals.packets ?? 0 > 0 },
      isLogWhole: !(try store.missesLines(ofEndpoint: endpoint.key)), gaps: choice.gaps,
      answersHeardMs: answersHeard(from: endpoint.key, events: events))
    var context = FindingContext()
    context.events = toTheEnd
    context.overMs = scan.overMs
    context.clockSkewMs =
      skew.map { -$0.offsetMs }
      ?? skews.sorted { $0.key < $1.key }.map { -$0.value.offsetMs }.max { abs($0) < abs($1) }
    context.clockSkewEvidence = skew?.evidence
    context.clocksApartMs = clock?.apartMs
    context.mistakenZoneMs = clock?.zoneMs
    context.logAheadMs = clock?.logMs
    context.logApartMs = clock?.logApartMs
    context.quiet = quietSpans(account)
    context.waysSeenElsewhere = scans.filter { $0.key != choice.judging }.flatMap(\.value.findings.ways)
    context.frozen = scan.frozen
    context.unsent = scan.unsent
    context.seenTwice = choice.seenTwice
    context.brokenOff = try store.brokenSources(ofEndpoint: endpoint.key)
    findings = scan.findings.finish(context) + LipSync.findings(judging)
    notSent = scan.findings.notSent
    isPathKnown = !scan.findings.ways.isEmpty
  }

  /// The windows of the kind of source that judges it.
  var judgingWindows: PackedWindows { choice.judging.flatMap { windows[$0] } ?? PackedWindows() }

  /// Times without a packet of a medium, what was on hold left out of them.
  func gapsOffHold(_ kind: MediaKind) -> [PacketGap] {
    let quiet = SpanSet(
      quietSpans(account).filter { $0.kind == nil || $0.kind == kind }.map {
        (start: $0.startMs, end: $0.endMs)
      })
    return (gaps[kind] ?? []).flatMap { gap in
      quiet.between(gap.startMs, gap.endMs).map { free in
        var part = gap
        (part.startMs, part.endMs) = free
        part.isOpen = gap.isOpen && free.end >= gap.endMs
        return part
      }
    }
  }

  /// A moment of this end on the clock of the call.
  func onCallClock(_ ms: Double) -> Double { ms + (skew?.offsetMs ?? 0) }

  /// Whether media came in.
  var hasReceived: Bool {
    choice.judges.contains { $0.facts.direction == .inbound && ($0.totals.packets ?? 0) > 0 }
  }

  /// How long the call stood by what this end says, ms: from established to over.
  var lastedMs: Double? {
    CallTimes(account).map { min($0.overMs, overMs ?? .infinity) - $0.establishedMs }
  }

  /// From the first to the last window in which something was heard or seen, ms; early media left out.
  var heardMs: Double? {
    guard let heard else { return nil }
    let established = account.first { $0.event == "call.established" }?.timeMs ?? heard.lowerBound
    return heard.upperBound - max(heard.lowerBound, established)
  }

  /// The E-model's opinion of the sound as a whole, on the scale of its codec; of several codecs, of the time with that which
  /// it had longest. Nil without sound that was measured.
  var opinion: AbsoluteOpinion? {
    // An opinion of what came would leave out that for long nothing did.
    guard statistics.stalledShare ?? 0 < QualityBand.poorShare else { return nil }
    let sound = choice.judges.filter { $0.facts.direction == .inbound && $0.facts.kind == .audio }
      .max { ($0.totals.packets ?? 0) < ($1.totals.packets ?? 0) }
    let codecs = sound?.facts.ssrc.flatMap { CodecTimes.bySSRC(account)[$0] }
    var means: [String?: WindowInputMeans] = [:]
    for window in choice.judging.flatMap({ windows[$0] }) ?? PackedWindows()
    where window.state == .active && window.audioCQ != nil {
      let codec = codecs.map { $0.codec(at: (window.startMs + window.endMs) / 2) } ?? sound?.facts.codec
      means[codec, default: WindowInputMeans()].add(window.inputs)
    }
    let longest = means.max { ($0.value.windows, $0.key ?? "") < ($1.value.windows, $1.key ?? "") }
    guard let sound, let (codec, mean) = longest, let concealed = mean.concealedShare else { return nil }
    return AbsoluteOpinion(
      codec: codec, clockRate: codecs == nil ? sound.facts.clockRate : nil,
      bps: codecs == nil ? bitRate(of: sound) : nil, lossPercent: 100 * concealed, delayMs: mean.delayMs)
  }

  private func bitRate(of stream: StoredStream) -> Double? {
    let totals = stream.totals
    guard let first = totals.firstMs, let last = totals.lastMs else { return nil }
    return talkingBitRate(bytes: totals.bytes, packets: totals.packets, spanMs: last - first)
  }
}

extension EndpointAssessment {
  /// Whether it is a device that rang until another one answered.
  var isAnsweredElsewhere: Bool {
    attempts.last?.outcome == .cancelled && wordsOfEnd(account)?.argument("answered") == "elsewhere"
  }

  /// Whether it says how the call ended, or that it stood.
  var tellsHowItWent: Bool {
    attempts.last.map { $0.outcome != .unknown || $0.setupWallMs != nil } ?? false
  }

  /// How long a call stood that this end took over from another device and saw end, ms: from when it was established there, else from
  /// the handover, on the clock of the call. Nil where it took none over.
  func handedOverMs(by others: [EndpointAssessment]) -> Double? {
    guard let takenMs = account.first(where: { $0.event == "call.handed-over" })?.ownTimeMs,
      establishedMs.map({ $0 > takenMs }) ?? true,
      let endMs = account.last(where: { Self.ends.contains($0.event) && $0.ownTimeMs != nil })?.timeMs,
      endMs >= takenMs
    else { return nil }
    let taken = onCallClock(takenMs)
    let before = others.compactMap { end in end.establishedMs.map(end.onCallClock) }.filter { $0 <= taken }
    return onCallClock(endMs) - (before.min() ?? taken)
  }

  private var establishedMs: Double? {
    account.first { $0.event == "call.established" && $0.ownTimeMs != nil }?.timeMs
  }

  private static let ends: Set<String> = ["call.ended", "call.failed"]
}

/// Means of what windows of sound were made of.
struct WindowInputMeans {
  private(set) var windows = 0
  private var concealed = (sum: 0.0, count: 0.0)
  private var delay = (sum: 0.0, count: 0.0)

  /// Share of the sound made up, 0–1; nil where no window says.
  var concealedShare: Double? { concealed.count > 0 ? concealed.sum / concealed.count : nil }
  /// Mouth to ear, ms; nil where no window says.
  var delayMs: Double? { delay.count > 0 ? delay.sum / delay.count : nil }

  mutating func add(_ inputs: WindowInputs) {
    windows += 1
    if let share = inputs.concealedShare { concealed = (concealed.sum + share, concealed.count + 1) }
    if let ms = inputs.delayMs { delay = (delay.sum + ms, delay.count + 1) }
  }
}

/// When a call was over by what its ends tell, on the clock of one of them; nil where its recording ends about then, or nobody tells.
///
/// The first to hang up ends a call of two. Of a conference nobody but the end itself tells: others come and go.
func endOfCall(
  at endpoint: Int64, account: [EventRecord], events: [StoredEvent], recordedUntil lastMs: Double?
) -> Double? {
  guard let lastMs else { return nil }
  let least = lastMs - sameMomentMs
  let own = hangUp(account).flatMap { $0 < least ? $0 : nil }
  guard let other = OtherEnd(of: endpoint, events: events), let told = hangUp(other.account), told < least,
    let aheadMs = other.behindMs, told + aheadMs < least
  else { return own }
  let here = told + aheadMs
  return own.map { min($0, here) } ?? here
}

/// A recording that ends so soon after the call ended with it, ms.
private let sameMomentMs = 500.0

/// The last hang-up, unless the call was set up anew after it.
private func hangUp(_ events: [EventRecord]) -> Double? {
  let up = ["call.established", "dtls.connected", "ice.connected"]
  guard let last = events.last(where: { $0.event == "call.ended" && $0.ownTimeMs != nil }),
    let time = last.timeMs, !events.contains(where: { up.contains($0.event) && $0.timeMs ?? time > time })
  else { return nil }
  return time
}

/// The events of an end without the breaks of its path after the call was over: nobody answers its checks any more.
func withoutBreaks(_ account: [EventRecord], after overMs: Double) -> [EventRecord] {
  account.filter { event in
    guard let time = event.timeMs, time >= overMs else { return true }
    switch event.event {
    case "ice.disconnected", "ice.failed", "dtls.failed", "network.lost": return false
    // A state of the PeerConnection, where an SDK would mean the call.
    case "call.failed": return event.sdk != "w3c"
    default: return true
    }
  }
}

/// One account of what happened, out of several sources that may each tell all of it.
struct EventAccount {
  /// Each event once, in order of time, all on the clock of the source that knows most of the setup.
  let events: [EventRecord]
  /// The sources whose times had to be read on that clock, and how far theirs is off.
  let skews: [Int64: ClockSkew]

  /// For each canonical name the source that knows most of the setup speaks, so that an event that three sources wrote
  /// down counts once, and one that only a capture saw is not lost.
  init(of events: [StoredEvent]) {
    let bySource = Dictionary(grouping: events, by: \.source)
    guard bySource.count > 1 else {
      self.events = events.map(\.record)
      skews = [:]
      return
    }
    let ranked = bySource.sorted { a, b in
      let (richA, richB) = (knownNames(a.value).count, knownNames(b.value).count)
      // Of equals who tells more, or earlier, or what comes first in order: keys tell which was stored first, which of files read
      // side by side is chance.
      if richA != richB { return richA > richB }
      if a.value.count != b.value.count { return a.value.count > b.value.count }
      if firstMs(a.value) != firstMs(b.value) { return firstMs(a.value) < firstMs(b.value) }
      return comesBefore(a.value.map(\.record), b.value.map(\.record)) ?? (a.key < b.key)
    }
    let skews = clockSkews(of: ranked)
    var speaker: [String: Int64] = [:]
    for (source, told) in ranked {
      for name in knownNames(told) where speaker[name] == nil { speaker[name] = source }
    }
    let chosen = events.filter { event in
      let name = event.record.event
      return name == "unknown" || speaker[name] == event.source
    }
    let aligned = chosen.map { event in
      skews[event.source].map { $0.aligned(event.record) } ?? event.record
    }
    self.events = aligned.inOrder(by: \.timeMs)
    self.skews = skews
  }
}

private func firstMs(_ events: [StoredEvent]) -> Double {
  events.lazy.compactMap(\.record.timeMs).min() ?? .infinity
}

private func knownNames(_ events: [StoredEvent]) -> Set<String> {
  Set(events.map(\.record.event)).subtracting(["unknown"])
}
