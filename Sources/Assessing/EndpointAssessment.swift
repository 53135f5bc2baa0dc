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
  let notSent: NotSent
  /// When the call was over, where the recording goes on after it.
  let overMs: Double?
  /// First and last instant of media.
  let media: ClosedRange<Double>?
  /// First and last instant of its paths, where there is no stream of media.
  let pathSpan: ClosedRange<Double>?

  init(
    _ endpoint: StoredEndpoint, events: [StoredEvent], clock: EndClock? = nil, leftOut: Set<Int64> = [],
    sources: FarStreams, store: Store, readers: Readers, scoring: EndpointScoring,
    passed: PassedScans? = nil
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
      gaps: choice.gaps,
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
    findings = scan.findings.finish(context)
    notSent = scan.findings.notSent
  }

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
    var means: [String?: HeardMeans] = [:]
    for window in choice.judging.flatMap({ windows[$0] }) ?? PackedWindows()
    where window.state == .active && window.audioCQ != nil {
      let codec = codecs.map { $0.codec(at: (window.startMs + window.endMs) / 2) } ?? sound?.facts.codec
      means[codec, default: HeardMeans()].add(window.inputs)
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
