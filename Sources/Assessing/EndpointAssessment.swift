import CallModel
import CallStore
import Scoring
import SetupTime
import Timeline

/// The results for one end of a call.
struct EndpointAssessment {
  let endpoint: StoredEndpoint
  /// The chosen streams by kind of source, and the kind that judges the end.
  let choice: StreamChoice
  /// Windows by kind of source.
  private(set) var windows: [StreamSource: PackedWindows]
  let attempts: [SetupAttempt]
  /// The events at this end, without duplicates.
  let ownEvents: [EventRecord]
  /// Periods in which nothing was to be received at this end.
  let quiet: [QuietSpan]
  /// When the call was established and over according to this end's events.
  let times: CallTimes?
  /// Sources of this end whose clock differs from most of the call, and its offset: those that differ from one another
  /// and, if the end's clock as a whole is off, all sources that use it.
  let sourceSkews: [Int64: ClockSkew]
  /// Offset of this end's clock from the call's, if relevant. Times stay on the clock of the source that judges this end.
  let skew: ClockSkew?
  /// The same of its events as the call has them.
  let eventSkew: ClockSkew?
  /// Offset of the capture that judges this end from the clock of all captures, ms.
  private let captureMs: Double
  private(set) var statistics: ScoreStatistics
  /// Whether nobody knows for most of what was measured what was to come.
  private(set) var isMostlyUnknown = false
  /// From the first to the last window with any media; nil without one.
  private let activeSpan: ClosedRange<Double>?
  let findings: [Finding]
  /// Periods without a packet of audio, and of video, from the source that judges the end.
  let gaps: [MediaKind: [PacketGap]]
  /// When packets of each received stream arrived, by the number of its track.
  let flows: [StreamFlow]
  /// The mean score of each stream that judges it, by the key of the stream.
  let streamScores: [Int64: Double]
  /// Long intervals between reports of its statistics.
  let reportGaps: [ClosedRange<Double>]
  /// Freezes and pauses of video.
  let frozen: [FrozenSpan]
  /// The media this end did not send, from its own statistics.
  let notSent: UnsentMedia
  /// When the far end sent next to no sound, by a capture with no number missing.
  let farEndStoodStill: SpanSet
  /// Whether its source records the network path of its packets, as complete getStats polls do.
  let isPathKnown: Bool
  /// When the call ended, if the recording goes on after it.
  let overMs: Double?
  /// From the first to the last media packet.
  let media: ClosedRange<Double>?
  /// From the first to the last transport sample, if there is no media stream.
  let pathSpan: ClosedRange<Double>?

  init(
    _ endpoint: StoredEndpoint, _ streams: [StoredStream], events ofCall: EventsByEnd, clock: EndClock? = nil,
    captures: CaptureClocks,
    lost: Set<Int64> = [], leftOut: Set<Int64> = [], sources: RemoteSenders, store: Store, readers: Readers,
    scoring: EndpointScoring,
    passed: StreamedScores? = nil
  ) throws {
    self.endpoint = endpoint
    let choice = StreamChoice(
      streams.filter { !leftOut.contains($0.source) }, captures, lost: lost)
    self.choice = choice
    let ownSkew =
      choice.judging == .capture ? choice.mainSource(of: .capture).flatMap { captures.skews[$0] } : nil
    let captureMs = ownSkew?.offsetMs ?? 0
    self.captureMs = captureMs
    eventSkew = clock?.skew
    skew =
      eventSkew.map { own in
        var own = own
        own.offsetMs += captureMs
        return own
      } ?? ownSkew
    let events = ofCall.all.shifted(byMs: -captureMs)
    let own = ofCall[endpoint.key].shifted(byMs: -captureMs)
    let ownSources = Set(own.filter { $0.endpoint == endpoint.key }.map(\.source))
    let merged = MergedEvents(
      of: own.withoutEndsOfLegs(),
      connections: ownSources.count > 1 ? try store.connections(ofEndpoint: endpoint.key) : [:])
    ownEvents = merged.events
    quiet = quietSpans(ownEvents)
    times = CallTimes(ownEvents)
    let skews = merged.skews
    sourceSkews =
      (clock?.skew.map { whole in
        skews.merging(ownSources.union(choice.sources).map { ($0, whole) }) { own, _ in own }
      } ?? skews).merging(captures.skews.filter { ownSources.contains($0.key) }) { own, _ in own }
    let streams = choice.tracks.values.flatMap { $0 }.flatMap { $0 }
    let first = streams.compactMap(\.totals.firstMs).min()
    let last = streams.compactMap(\.totals.lastMs).max()
    media = first.flatMap { first in last.map { first...max(first, $0) } }
    pathSpan = media == nil ? try store.pathSpan(ofEndpoint: endpoint.key) : nil
    let ended = endOfCall(at: endpoint.key, ownEvents: ownEvents, events: events, recordedUntil: last)
    var scans: [StreamSource: EndpointScan] = [:]
    for (source, streams) in choice.tracks {
      let motion = try sources.motion(of: streams, at: endpoint.key, from: store)
      let unsent = try sources.unsent(streams, at: endpoint.key, from: store)
      let until =
        source == .capture
        ? try sources.followed(streams, at: endpoint.key, ownEvents: ownEvents, from: store) : nil
      if ended == nil, until == nil, motion.isEmpty, unsent.isEmpty, scoring.needsSamplesOnly(ownEvents),
        streams.allSatisfy({ $0.count == 1 }),
        let scan = try passed?.take(choice.chosen(source), of: endpoint.key, in: store)
      {
        scans[source] = scan
        continue
      }
      // Transports are taken from the source itself: a capture's addresses and round trips are not the browser's.
      let paths = try store.transports(ofEndpoint: endpoint.key, sources: choice.mainSources(of: source))
      scans[source] = try scoring.scan(
        streams, paths: paths, events: ownEvents, motion: motion, unsent: unsent, untilMs: until,
        endedMs: ended,
        from: store, readers: readers)
    }
    let windows = scans.mapValues(\.windows)
    self.windows = windows
    let judging = choice.judging.flatMap { windows[$0] } ?? PackedWindows()
    statistics = ScoreStatistics(of: judging.unpacked)
    activeSpan = judging.reduce(nil) { span, window in
      guard window.state == .active else { return span }
      return (span?.lowerBound ?? window.startMs)...max(span?.lowerBound ?? window.startMs, window.endMs)
    }
    var scan = choice.judging.flatMap { scans[$0] } ?? EndpointScan()
    if streams.isEmpty {
      // A connection for data alone only has transports.
      let paths = try store.transports(ofEndpoint: endpoint.key)
      while let sample = try paths.next() { scan.findings.addStates(of: sample) }
    }
    overMs = scan.overMs
    gaps = scan.gaps
    flows = scan.flows
    reportGaps = scan.reportGaps
    let tracks = choice.judging.flatMap { choice.tracks[$0] } ?? []
    streamScores = zip(tracks, scan.streamScores).reduce(into: [:]) { scores, track in
      for part in track.0 { scores[part.key] = track.1 }
    }
    frozen = scan.frozen
    let happened = scan.findings.completing(merged.events)
    let toTheEnd = scan.overMs.map { withoutBreaks(happened, after: $0) } ?? happened
    attempts = setupAttempts(
      of: toTheEnd,
      localType: try store.firstLocalType(
        ofEndpoint: endpoint.key, source: choice.judging.flatMap(choice.mainSource)),
      receivedMedia: streams.contains { $0.facts.direction == .inbound && $0.totals.hasMedia },
      isLogWhole: !(try store.missesLines(ofEndpoint: endpoint.key)), gaps: choice.gaps,
      answersReceivedMs: answersReceived(from: endpoint.key, events: events))
    var context = FindingContext()
    context.events = toTheEnd
    context.overMs = scan.overMs
    context.clockSkewMs =
      skew.map { -$0.offsetMs }
      ?? skews.sorted { $0.key < $1.key }.map { -$0.value.offsetMs }.max { abs($0) < abs($1) }
    context.judgingSkewMs = skew.map { -$0.offsetMs }
    context.otherCaptureMs = captures.skews.filter { ownSources.contains($0.key) }
      .map { -$0.value.offsetMs }.max { abs($0) < abs($1) }
    context.clockSkewEvidence = skew?.evidence
    context.clocksApartMs = clock?.apartMs
    context.mistakenZoneMs = clock?.zoneMs
    context.logAheadMs = clock?.logMs
    context.logApartMs = clock?.logApartMs
    context.quiet = quiet
    context.pathsSeenElsewhere = scans.filter { $0.key != choice.judging }.flatMap(\.value.findings.pathSteps)
    context.frozen = scan.frozen
    context.unsent = scan.unsent
    context.seenTwice = choice.seenTwice
    context.brokenOff = try store.brokenSources(ofEndpoint: endpoint.key)
    findings = scan.findings.finish(context) + LipSync.findings(judging.unpacked)
    var notSent = scan.findings.notSent
    try notSent.add(pauses: reportGaps, of: streams, in: store)
    self.notSent = notSent
    farEndStoodStill = ownEvents.farEndStoodStill
    isPathKnown = !scan.findings.pathSteps.isEmpty
  }

  /// The kind of source that judges this end; where nothing came, that of the windows in which something was due.
  var judging: StreamSource? { choice.judging ?? (windows.count == 1 ? windows.keys.first : nil) }

  /// The windows of the kind of source that judges this end.
  var judgingWindows: PackedWindows { choice.judging.flatMap { windows[$0] } ?? PackedWindows() }

  /// The same end with its windows scored by what became of the media.
  ///
  /// - Parameters:
  ///   - findings: of these when sound was played slower than time passed, and how much of it was played.
  ///   - fillsIn: whether the end gets windows for the time in which it missed something that none covers.
  func following(
    _ fates: [MediaKind: [Fate]], _ findings: [Finding], _ model: ScoreModel, fillsIn: Bool
  ) -> EndpointAssessment {
    var end = self
    // Of sums of a whole call there are no windows, whatever they show.
    let isOfSums = choice.judging == nil && ownEvents.contains { $0[.per] == "call" }
    let measured = fillsIn && !isOfSums ? judgingWindows.covering(fates) : judgingWindows
    let windows = measured.following(
      fates, unevenBy: [(.playout, findings.slowPlayout), (.silence, ownEvents.farEndStarved)],
      played: findings.slowlyPlayedShare, model)
    guard model.followsFates, !windows.isEmpty else { return self }
    end.windows[choice.judging ?? .stats] = windows
    end.statistics = ScoreStatistics(of: windows.unpacked)
    // Where most of what was due is unknown, the rest says nothing of the call.
    let (was, known) = (measured.count(where: { $0.score != nil }), windows.count(where: { $0.score != nil }))
    end.isMostlyUnknown = known < was - known
    return end
  }

  /// Periods without a packet of a medium, without times on hold.
  func gapsOffHold(_ kind: MediaKind) -> [PacketGap] { offHold(gaps[kind] ?? [], of: kind) }

  /// Periods without a packet, without times on hold.
  func offHold(_ gaps: [PacketGap], of kind: MediaKind) -> [PacketGap] {
    let quiet = SpanSet(quiet(kind).map { (start: $0.startMs, end: $0.endMs) })
    return PacketGap.runs(gaps).flatMap { gap in
      quiet.between(gap.startMs, gap.endMs).map { free in
        var part = gap
        (part.startMs, part.endMs) = free
        part.isOpen = gap.isOpen && free.end >= gap.endMs
        return part
      }
    }
  }

  /// Periods in which a medium was not to be received at this end.
  func quiet(_ kind: MediaKind) -> [QuietSpan] { quiet.filter { $0.kind == nil || $0.kind == kind } }

  /// When the call was over, by its events or by its media; nil if neither says.
  var endedMs: Double? { [overMs, times?.overMs].compactMap { $0 }.min() }

  /// A time of this end on the clock of the call.
  func onCallClock(_ ms: Double) -> Double { ms + (skew?.offsetMs ?? 0) }

  /// A time of this end on the clock of all captures.
  func onCaptureClock(_ ms: Double) -> Double { ms + captureMs }

  /// Whether media was received.
  var hasReceived: Bool {
    choice.judges.contains { $0.facts.direction == .inbound && $0.totals.hasMedia }
  }

  /// Duration of the call according to this end, from established to ended, ms.
  var lastedMs: Double? {
    times.map { min($0.overMs, overMs ?? .infinity) - $0.establishedMs }
  }

  /// From the first to the last window with media, without early media, ms.
  var activeMs: Double? {
    guard let activeSpan else { return nil }
    let established = ownEvents.first { $0.event == .callEstablished }?.timeMs ?? activeSpan.lowerBound
    return activeSpan.upperBound - max(activeSpan.lowerBound, established)
  }

  /// The E-model's mean opinion score of the audio as a whole, on the scale of its codec. If there were several codecs,
  /// it is for the time with the one used longest. Nil if no audio was measured.
  var mos: MeanOpinionScore? {
    // A score of what was received would ignore long periods in which nothing was.
    guard statistics.stalledShare ?? 0 < QualityBand.poorShare, choice.judging != .figures else { return nil }
    let sound = choice.judges.filter { $0.facts.direction == .inbound && $0.facts.kind == .audio }
      .max { ($0.totals.packets ?? 0) < ($1.totals.packets ?? 0) }
    let codecs = sound?.facts.ssrc.flatMap { CodecTimes.bySSRC(ownEvents)[$0] }
    var means: [String?: WindowInputMeans] = [:]
    for window in judgingWindows
    where window.state == .active && window.audioCQ != nil {
      let codec = codecs.map { $0.codec(at: (window.startMs + window.endMs) / 2) } ?? sound?.facts.codec
      means[codec, default: WindowInputMeans()].add(window.inputs)
    }
    let longest = means.max { ($0.value.windows, $0.key ?? "") < ($1.value.windows, $1.key ?? "") }
    guard let sound, let (codec, mean) = longest, let concealed = mean.concealedShare else { return nil }
    return MeanOpinionScore(
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
  /// Whether this is a device that rang until another one answered.
  var isAnsweredElsewhere: Bool {
    attempts.last?.outcome == .cancelled && endingEvent(of: ownEvents)?[.answered] == "elsewhere"
  }

  /// Whether it has the end of the call, or knows that it was established.
  var knowsOutcome: Bool {
    attempts.last.map { $0.outcome != .unknown || $0.setupWallMs != nil } ?? false
  }

  /// Duration of a call that this end took over from another device and saw end, ms: since it was established there,
  /// otherwise since the handover, on the clock of the call. Nil if it took none over.
  func handedOverMs(by others: [EndpointAssessment]) -> Double? {
    guard let takenMs = ownEvents.first(where: { $0.event == .callHandedOver })?.ownTimeMs,
      establishedMs.map({ $0 > takenMs }) ?? true,
      let endMs = ownEvents.last(where: { $0.event.isEnd && $0.ownTimeMs != nil })?.timeMs,
      endMs >= takenMs
    else { return nil }
    let taken = onCallClock(takenMs)
    let before = others.compactMap { end in end.establishedMs.map(end.onCallClock) }.filter { $0 <= taken }
    return onCallClock(endMs) - (before.min() ?? taken)
  }

  private var establishedMs: Double? {
    ownEvents.first { $0.event == .callEstablished && $0.ownTimeMs != nil }?.timeMs
  }
}

/// Means of the inputs of audio windows.
struct WindowInputMeans {
  private(set) var windows = 0
  private var concealed = (sum: 0.0, count: 0.0)
  private var delay = (sum: 0.0, count: 0.0)

  /// Share of audio concealed, 0–1; nil if no window has it.
  var concealedShare: Double? { concealed.count > 0 ? concealed.sum / concealed.count : nil }
  /// Mouth-to-ear delay, ms; nil if no window has it.
  var delayMs: Double? { delay.count > 0 ? delay.sum / delay.count : nil }

  mutating func add(_ inputs: WindowInputs) {
    windows += 1
    if let share = inputs.concealedShare { concealed = (concealed.sum + share, concealed.count + 1) }
    if let ms = inputs.delayMs { delay = (delay.sum + ms, delay.count + 1) }
  }
}

/// When a call ended according to its ends, on the clock of this one; nil if the recording ends about then, or if
/// unknown.
///
/// In a two-party call the first hang-up counts. In a conference only the end's own does: others come and go.
func endOfCall(
  at endpoint: Int64, ownEvents: [EventRecord], events: [StoredEvent], recordedUntil lastMs: Double?
) -> Double? {
  guard let lastMs else { return nil }
  let least = lastMs - sameMomentMs
  let own = hangUp(ownEvents).flatMap { $0 < least ? $0 : nil }
  guard let other = OtherEnd(of: endpoint, events: events), let theirs = hangUp(other.ownEvents),
    theirs < least,
    let aheadMs = other.behindMs, theirs + aheadMs < least
  else { return own }
  let here = theirs + aheadMs
  return own.map { min($0, here) } ?? here
}

/// If a recording ends this soon after the call, it ended with the call, ms.
private let sameMomentMs = 500.0

/// The last hang-up, unless the call was set up again after it.
private func hangUp(_ events: [EventRecord]) -> Double? {
  let up: [EventName] = [.callEstablished, .dtlsConnected, .iceConnected]
  guard let last = events.last(where: { $0.event == .callEnded && $0.ownTimeMs != nil }),
    let time = last.timeMs, !events.contains(where: { up.contains($0.event) && $0.timeMs ?? time > time })
  else { return nil }
  return time
}

/// The events of an end without connection breaks after the end of the call, when its checks are no longer answered.
func withoutBreaks(_ events: [EventRecord], after overMs: Double) -> [EventRecord] {
  events.filter { event in
    guard let time = event.timeMs, time >= overMs else { return true }
    switch event.event {
    case .iceDisconnected, .iceFailed, .dtlsFailed, .networkLost: return false
    // The state of a PeerConnection; for an SDK it means the call.
    case .callFailed: return event.sdk != "w3c"
    default: return true
    }
  }
}
