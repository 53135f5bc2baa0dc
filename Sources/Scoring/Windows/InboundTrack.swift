import CallModel

/// Follows one received stream: distributes its growth over the windows and finds gaps and freezes.
///
/// A class, because it is large and was copied for every window. One scorer has it, on one thread at a time.
final class InboundTrack: @unchecked Sendable {
  typealias Arrival = LastActivity.Arrival

  /// If the recording ends this soon after the last packet, media lasted to its end, ms. Reports come every second, and
  /// media stops slightly before a hang-up is signalled.
  static let trailingMs = 1000.0

  /// How long the jitter buffer settles after the first packet, ms; stretching then does not mean late packets.
  static let settlingMs = 5000.0

  /// How long the end of a silence waits for a sender report that covers it, in ms and in reports: sender reports for
  /// audio are up to 7.5 s apart.
  private static let awaited = (ms: 8000.0, reports: 64)

  let facts: StreamFacts
  /// Parsed once, because every window needs it.
  let mode: OpusMode
  /// Its codecs, if it had more than one.
  private let codecs: CodecTimes?
  private(set) var kind: MediaKind?
  private(set) var bins = WindowBins<StreamBin>()
  /// When media began and ended; nil without any.
  private(set) var firstMediaMs: Double?
  private(set) var endMs: Double?

  /// The previous report, once media has begun. Not optional: moving a large sample into an optional copies it.
  private var previous = Sample(timeMs: 0)
  private var emptyReportMs: Double?
  private var lastPacket = LastPacket()
  private var pace = PacketPace()
  private var continuity = CounterContinuity()
  private var pending: [Segment] = []
  private var classifier: PacketGapClassifier
  private var sent = SenderCount()
  private var attribution: FreezeAttribution
  private var blank = BlankPicture()
  private var wait = PictureWait()
  private(set) var farClock = FarClock()
  /// Freezes and pauses found, up to a maximum number.
  private(set) var frozen: [FreezeAttribution.Frozen] = []
  /// Periods in which it is proven that no audio was sent, up to a maximum number.
  private(set) var unsent: [UnsentSpan] = []
  /// Whether the source counts freezes.
  private(set) var countsFreezes = false
  /// Periods without a packet and their classification, up to a maximum number; complete after `finish`.
  private(set) var gaps: [PacketGap] = []
  /// Until when the capture follows the call, which may be longer than this stream is sampled.
  private let untilMs: Double?
  /// When holds of this medium ended, that is, when it was requested again.
  private let resumedMs: [Double]
  private var silence: (from: Double, to: Double)?
  /// Whether there was no report for so long that the next one starts anew.
  private var isGone = false
  /// Whether a stream of figures counts packets itself, as statistics do.
  var countsPackets = false
  /// Whether nothing has arrived since the call ended.
  private(set) var isResting = false

  /// A track without samples.
  ///
  /// - Parameters:
  ///   - motion: when the content moved at its source, if known.
  ///   - unsentAfterAll: when the stream was no longer sent, according to a capture at the sender.
  ///   - codecs: its codecs over time, if they changed.
  ///   - untilMs: until when its capture follows the call; a silent stream is soon no longer sampled.
  ///   - quiet: times on hold.
  init(
    _ facts: StreamFacts, motion: SpanSet? = nil, unsentAfterAll: SpanSet? = nil, codecs: CodecTimes? = nil,
    untilMs: Double? = nil, quiet: [QuietSpan] = []
  ) {
    self.facts = facts
    self.untilMs = facts.source == .capture && facts.kind == .audio ? untilMs : nil
    resumedMs = quiet.filter { $0.kind == nil || $0.kind == facts.kind }.map(\.endMs).filter(\.isFinite)
    self.codecs = codecs
    mode = OpusMode(facts.fmtp)
    // A browser does not count all loss. Opus DTX still sends every 400 ms, and video is always sent.
    let isOpus = facts.codec?.lowercased() == "opus" || facts.codec == nil && facts.clockRate == 48_000
    let isCaptured = facts.source == .capture
    classifier = PacketGapClassifier(
      noLossMeansUnsent: isCaptured && facts.kind == .audio && !isOpus, seesNumbers: isCaptured,
      isSound: facts.kind != .video, unsentAfterAll: unsentAfterAll)
    kind = facts.kind
    attribution = FreezeAttribution(isScreen: facts.screen == true, motion: motion)
  }

  /// The codec at a given time.
  func codec(at timeMs: Double) -> String? { codecs.map { $0.codec(at: timeMs) } ?? facts.codec }

  /// The time of the stream's first media if this is its first report with packets.
  func openingTime(_ sample: SampleView) -> Double? {
    guard firstMediaMs == nil, FirstMedia.has(sample) else { return nil }
    return FirstMedia.time(sample, kind: kind ?? Self.guess(sample), previous: emptyReportMs)
  }

  /// Takes a report from after the end of the call. One without a new packet says nothing about the call and must be
  /// skipped; one with new packets, if the previous report was also after the end, shows that media continues. Nil if
  /// packets are not counted.
  func rests(_ sample: SampleView, after overMs: Double) -> (isResting: Bool, goesOn: Bool)? {
    guard firstMediaMs != nil, let before = previous[.packets], let now = sample[.packets] else { return nil }
    isResting = now == before
    return (isResting, !isResting && previous.timeMs >= overMs)
  }

  /// Whether the last report repeated the time of playout of the one before.
  private var isPlayoutStale = false

  /// Takes a report from before the windows are fixed; only its time is used.
  func noteEmpty(_ sample: SampleView) {
    if firstMediaMs == nil, !FirstMedia.has(sample) { emptyReportMs = sample.timeMs }
  }

  /// Takes the next report, and what last arrived by other means. Returns when packets arrived, if any did.
  func add(_ sample: SampleView, elsewhere: Arrival?, on grid: WindowGrid) -> Arrival? {
    guard sample.timeMs.isFinite else { return nil }
    if sample.has(.freezeCount) { countsFreezes = true }
    guard firstMediaMs != nil else {
      guard let opening = openingTime(sample) else {
        emptyReportMs = sample.timeMs
        return nil
      }
      if kind == nil { kind = Self.guess(sample) }
      firstMediaMs = opening
      lastPacket.begin(sample, previous: emptyReportMs)
      observeOpening(sample, from: opening, on: grid)
      if kind == .video, facts.screen != true, sample[.frames] == 0 { wait.begin(at: opening) }
      previous = sample.copied
      return arrival(from: opening, to: sample.timeMs)
    }
    guard sample.timeMs > previous.timeMs else { return nil }
    farClock.add(sample)
    defer { previous = sample.copied }
    isGone = false
    isResting = false
    // A counter that decreased was reset (or the SSRC changed under the same id): start anew from here.
    guard !previous.look({ CounterDeltas.isRestarted($0, sample) }) else {
      interrupt(on: grid)
      return nil
    }
    var segment = previous.look { Segment(from: $0, to: sample) }
    segment.packetMs = pace.packetMs
    if isPlayoutStale { segment.playoutDelays.before = nil }
    isPlayoutStale = segment.isPlayoutStale
    guard continuity.covers(segment, kind: kind) else {
      interrupt(on: grid)
      return nil
    }
    segment.lastPacketBefore = lastPacket.timeMs
    previous.look { lastPacket.add(sample, after: $0) }
    segment.lastPacketAfter = lastPacket.timeMs
    segment.elsewhere = elsewhere
    if kind == .audio { pace.learn(segment) }
    if let firstMediaMs { segment.forgetStretch(before: firstMediaMs + Self.settlingMs) }
    sent.add(segment, isSound: kind != .video)
    pending.append(segment)
    while pending.count > 1, let first = pending.first, first.to < sample.timeMs - Self.trailingMs,
      !isAwaited(first, at: sample.timeMs)
    {
      settle(pending.removeFirst(), on: grid)
    }
    return segment.hadPackets == true ? arrival(from: segment.from, to: segment.to) : nil
  }

  /// Whether a segment ends a silence that the next sender report will explain.
  private func isAwaited(_ segment: Segment, at now: Double) -> Bool {
    guard classifier.isEnding(with: segment), let last = sent.lastMs else { return false }
    return last < segment.resumptionMs && now - segment.to < Self.awaited.ms
      && pending.count < Self.awaited.reports
  }

  private func arrival(from: Double, to: Double) -> Arrival {
    lastPacket.timeMs.map { Arrival(from: $0, to: $0) } ?? Arrival(from: from, to: to)
  }

  /// Settles the segments held back. The last one ends with the media if the recording or the call ends with it.
  ///
  /// - Parameters:
  ///   - overMs: when the call ended, if before the end of the recording.
  ///   - elsewhere: what last arrived from the far end by other means.
  func finish(on grid: WindowGrid, overMs: Double? = nil, elsewhere: Arrival? = nil) {
    guard firstMediaMs != nil else { return }
    followCall(on: grid)
    var end = max(previous.timeMs, untilMs ?? 0)
    let lastFrom = pending.last?.from ?? end
    let isOver = overMs.map { isResting || (lastPacket.timeMs ?? end) <= $0 + Self.trailingMs } ?? false
    if let overMs, isOver { end = min(end, max(overMs, lastFrom)) }
    if let packet = lastPacket.timeMs, end - packet <= Self.trailingMs || isOver && packet >= lastFrom {
      end = packet
    }
    endMs = end
    settleAll(endingAt: end, elsewhere: elsewhere, on: grid)
  }

  /// Extends the silence from the last sample to the end of what the capture has of the call.
  private func followCall(on grid: WindowGrid) {
    guard let untilMs, untilMs > previous.timeMs else { return }
    for segment in pending { settle(segment, on: grid) }
    pending = []
    grid.forEachOverlap(from: previous.timeMs, to: untilMs) {
      bins[$0, default: StreamBin()].observedMs += $1
    }
    classifier.continueRun(since: lastPacket.timeMs ?? previous.timeMs)
  }

  /// Settles a track that is no longer reported; returns the time before which no later sample can change a window.
  func settle(at now: Double, on grid: WindowGrid) -> Double {
    guard firstMediaMs != nil else { return now - WindowCut.lengthMs }
    if !isGone, untilMs == nil, now - previous.timeMs > CounterContinuity.longestCountedMs {
      finish(on: grid)
      attribution.interrupt()
      isGone = true
    }
    if isGone { return now }
    let first = min(pending.first?.from ?? .infinity, pending.first?.lastPacketBefore ?? .infinity)
    let open = min(classifier.openSinceMs ?? .infinity, attribution.openSinceMs ?? .infinity)
    return min(previous.timeMs, first, open, lastPacket.timeMs ?? .infinity)
  }

  /// Ends everything in progress at the previous report: after an unobserved period nothing continues.
  private func interrupt(on grid: WindowGrid) {
    settleAll(endingAt: previous.timeMs, on: grid)
    attribution.interrupt()
    sent.interrupt()
    lastPacket.forget()
  }

  /// Forgets windows that were already returned.
  func forget(before index: Int) { bins.forget(before: index) }

  private func settleAll(
    endingAt end: Double, elsewhere: Arrival? = nil, on grid: WindowGrid
  ) {
    for var segment in pending where segment.from < end {
      segment.cut(at: end)
      settle(segment, on: grid)
    }
    pending = []
    if let ended = classifier.finish(at: end, elsewhere: elsewhere) {
      for part in ended.split(at: resumedMs) { settleParts(part, on: grid) }
    }
    if let frozen = attribution.finish(at: end, sent) { settle(frozen, on: grid) }
  }

  // MARK: Into the windows

  /// Accounts for the time from the first packet to the first report. For video, growth in that time is start-up and
  /// does not count; for audio, what lost packets explain does count.
  private func observeOpening(_ sample: SampleView, from: Double, on grid: WindowGrid) {
    let to = sample.timeMs
    guard to - from <= WindowCut.lengthMs else { return }
    if kind == .audio, to > from {
      place(Segment(opening: sample, from: from), on: grid)
    } else {
      grid.forEachOverlap(from: from, to: to) { bins[$0, default: StreamBin()].observedMs += $1 }
    }
    if let index = grid.index(at: to) { bins[index, default: StreamBin()].samples += 1 }
  }

  /// Distributes a segment. Video and periods without packets are placed by their own times; other audio is only known
  /// to lie between two reports.
  private func place(_ segment: Segment, on grid: WindowGrid) {
    guard kind == .audio, segment.hadPackets != false else {
      let length = segment.to - segment.from
      return grid.forEachOverlap(from: segment.from, to: segment.to) { index, overlap in
        bins[index, default: StreamBin()].add(segment, share: overlap / length, observedMs: overlap)
      }
    }
    grid.forEachShare(from: segment.from, to: segment.to) { index, share, overlap in
      bins[index, default: StreamBin()].add(segment, share: share, observedMs: overlap)
    }
  }

  private func settle(_ segment: Segment, on grid: WindowGrid) {
    if kind == .audio {
      segment.forEachPart { place($0, on: grid) }
    } else {
      place(segment, on: grid)
    }
    if let index = grid.index(at: segment.to) { bins[index, default: StreamBin()].samples += 1 }
    // A report on the border of two windows belongs to both.
    notePlayout(segment.playoutDelays.before, at: segment.from, on: grid)
    notePlayout(segment.playoutDelays.after, at: segment.to, on: grid)
    if let waited = wait.add(segment) {
      grid.forEachOverlap(from: waited.from, to: waited.to) { bins[$0, default: StreamBin()].waitMs += $1 }
    }
    if let ended = classifier.add(segment) { settleParts(ended, on: grid) }
    if kind == .video, blank.add(segment) { settleBlank(from: segment.from, to: segment.to, on: grid) }
    if let frozen = attribution.add(segment, sent) { settle(frozen, on: grid) }
    sent.forget(
      before: min(segment.from, classifier.openSinceMs ?? .infinity, attribution.openSinceMs ?? .infinity))
  }

  /// Assigns a playout delay to the windows of its report.
  private func notePlayout(_ delay: Double?, at timeMs: Double, on grid: WindowGrid) {
    guard let delay else { return }
    grid.forEachOverlap(from: timeMs - 0.001, to: timeMs + 0.001) { index, _ in
      // Do not create a window after the last one.
      guard bins.contains(index) else { return }
      bins[index, default: StreamBin()].addPlayout(delay, at: timeMs)
    }
  }

  private func settleParts(_ run: PacketGapClassifier.Ended, on grid: WindowGrid) {
    if kind == .audio, unsent.count < FrozenSpan.maxKept, let span = unsentSpan(run) { unsent.append(span) }
    let parts = sent.parts(of: run, isSound: kind != .video, packetMs: pace.packetMs)
    for part in parts {
      settle(part, on: grid)
      guard part.to - part.from >= PacketGap.minMs, gaps.count < FrozenSpan.maxKept else { continue }
      gaps.append(PacketGap(part, of: run, isUnsent: sent.isUnsent(run, packetMs: pace.packetMs)))
    }
  }

  /// The period without packets as unsent audio; nil if that is not proven, or if it is too short.
  private func unsentSpan(_ run: PacketGapClassifier.Ended) -> UnsentSpan? {
    let isStandstill = run.numbersGoOn && !run.silent && !run.wasPausing
    let least = isStandstill ? Threshold.stall.value : Threshold.noSound.value
    guard run.to - run.from >= least else { return nil }
    let proof: UnsentSpan.Proof? =
      run.numbersGoOn
      ? .sequenceNumbers : sent.isUnsent(run, packetMs: pace.packetMs) ? .senderReports : nil
    return proof.map {
      UnsentSpan(startMs: run.from, endMs: run.to, proof: $0, isStandstill: isStandstill)
    }
  }

  private func settle(_ run: PacketGapClassifier.Ended, on grid: WindowGrid) {
    if run.silent {
      silence = (run.from, run.to)
      for fade in [run.fades.0, run.fades.1] { settle(fade, on: grid) }
    }
    grid.forEachOverlap(from: run.from, to: run.to) { index, overlap in
      guard !run.silent else { return bins[index, default: StreamBin()].silentMs += overlap }
      let lost = overlap * run.lostShare
      bins[index, default: StreamBin()].lostGapMs += lost
      bins[index, default: StreamBin()].gapMs += run.wasPausing ? lost : overlap
      if run.wasPausing { bins[index, default: StreamBin()].silentMs += overlap - lost }
    }
  }

  /// Counts blank video as not sent by the far end.
  private func settleBlank(from: Double, to: Double, on grid: WindowGrid) {
    let begin = silence.map { $0.to >= from ? min($0.from, from) : from } ?? from
    silence = (begin, to)
    grid.forEachOverlap(from: from, to: to) { bins[$0, default: StreamBin()].silentMs += $1 }
  }

  private func settle(_ fade: PacketGapClassifier.Fade?, on grid: WindowGrid) {
    guard let fade else { return }
    func place(_ index: Int, _ share: Double) {
      bins[index, default: StreamBin()].fadedSamples += fade.samples * share
    }
    // Placed like the segment itself.
    if fade.isWithoutPackets {
      let length = fade.to - fade.from
      grid.forEachOverlap(from: fade.from, to: fade.to) { place($0, $1 / length) }
    } else {
      grid.forEachShare(from: fade.from, to: fade.to) { index, share, _ in place(index, share) }
    }
  }

  private func settle(_ frozen: FreezeAttribution.Frozen, on grid: WindowGrid) {
    if self.frozen.count < FrozenSpan.maxKept { self.frozen.append(frozen) }
    // The time before the first frame is accounted for separately (`waitMs`).
    if frozen.isBeforeFirst, facts.screen != true {
      return grid.forEachOverlap(from: frozen.from, to: frozen.to) {
        bins[$0, default: StreamBin()].beforeFirstMs += $1
      }
    }
    let length = frozen.to - frozen.from
    guard let silence, silence.from < frozen.to, silence.to > frozen.from else {
      return settle(length, of: frozen.freezes, spreadOver: frozen.possible, on: grid)
    }
    // Video that the far end did not send cannot freeze; the rest before and after must be long to count.
    for (from, to) in [(frozen.from, silence.from), (silence.to, frozen.to)]
    where to - from >= WindowCut.shortestLastMs {
      settle(to - from, of: frozen.freezes, spreadOver: (from, to), on: grid)
    }
  }

  /// A short freeze lies anywhere between two reports: each window gets its expected share.
  private func settle(
    _ length: Double, of freezes: Double, spreadOver span: (from: Double, to: Double), on grid: WindowGrid
  ) {
    let width = span.to - span.from
    guard width > 0 else { return }
    let isPlaced = length >= width
    grid.forEachOverlap(from: span.from, to: span.to) { index, overlap in
      bins[index, default: StreamBin()].frozenMs += overlap * min(1, length / width)
      bins[index, default: StreamBin()].freezes += isPlaced ? freezes : freezes * overlap / width
    }
  }

  private static func guess(_ sample: SampleView) -> MediaKind {
    sample.has(.frames) || sample.has(.framesReceived) || sample.has(.width) ? .video : .audio
  }
}
