import CallModel

/// Finds the periods in which a stream got no packet, and distinguishes an outage from a far end that deliberately
/// sends nothing.
///
/// A browser treats a stream whose packets skip more than a second as new and counts no loss, so its loss counter can
/// prove loss but never a pause. A run is a pause if something else came from the far end meanwhile, and if the
/// run lasts at least `WindowCut.lengthMs` or the sequence numbers continue without a break. A capture sees all
/// sequence numbers: if they do not continue there is no pause, and exactly the missing ones were lost. The far end's
/// packet count is evaluated afterwards, see `SenderCount`.
struct PacketGapClassifier {
  /// Minimum length of a gap, ms: Opus in discontinuous transmission sends every 400 ms.
  static let shortestMs = 800.0

  /// A sign of life must come this long before the end of a silence, ms: what returns together with the media does not
  /// count.
  static let marginMs = 2000.0
  /// The same if sequence numbers continue; also the minimum time after the start of the silence, because not all
  /// streams stop with the same packet.
  static let shortMarginMs = 500.0

  /// Lost packets that explain less than this share of a run are ordinary loss next to it; more media than this
  /// multiple of the elapsed time arrived as a late burst.
  private static let explainedShare = 0.2
  private static let burstShare = 1.2
  /// A sender whose packets filled less than this share of the time before a run was already pausing.
  private static let talkingShare = 0.5
  /// Minimum share of an outage that is concealed, if concealment is counted; in an outage longer than `longMs`, by
  /// silence.
  private static let minConcealed = 0.5
  private static let longMs = 2000.0
  /// Minimum non-silent concealment after the last packet that indicates missing packets, ms.
  private static let shortestFadeMs = 40.0
  /// In a pause, the share of time with non-silent concealment is below this.
  private static let maxVoiced = 0.7
  /// Maximum non-silent concealment before the output is silent, ms.
  private static let longestFadeMs = 250.0

  /// Audible concealment after the last packet.
  struct Fade {
    var from: Double
    var to: Double
    var samples: Double
    /// Whether no packet arrived in that time.
    var isWithoutPackets: Bool
  }

  /// A completed run without packets.
  struct Ended {
    var from: Double
    var to: Double
    var silent: Bool
    /// Whether all sequence numbers are seen and continue without a break after the run.
    var numbersGoOn = false
    /// The part of the run that missing sequence numbers explain, 0–1; the rest was not sent in time. 1 if sequence
    /// numbers are not seen.
    var lostShare = 1.0
    /// Whether the rest was inaudible, because the sender was already pausing.
    var wasPausing = false
    /// Whether missing sequence numbers explain most of the run.
    var missesNumbers = false
    /// Whether nothing arrived afterwards.
    var isOpen = false
    /// Whether there is no evidence of the cause at all.
    var isUnexplained = false
    /// Whether SDP had requested the medium again, as after a hold, and nothing arrived.
    var isRequestedAgain = false
    /// Before the first report without packets, and in it.
    var fades: (Fade?, Fade?)

    /// Minimum time after the end of a hold without any packet, ms.
    private static let patienceMs = 5000.0

    /// Splits a run that lasts to the end if a hold ended within it: after a hold, media must resume.
    func split(at resumedMs: [Double]) -> [Ended] {
      guard isOpen, let resumed = resumedMs.filter({ $0 > from && $0 < to }).max(),
        to - resumed >= Self.patienceMs
      else { return [self] }
      var (held, missing) = (self, self)
      held.to = resumed
      held.isOpen = false
      missing.from = resumed
      missing.silent = false
      missing.lostShare = 1
      missing.wasPausing = false
      missing.isRequestedAgain = true
      missing.isUnexplained = false
      missing.fades = (nil, nil)
      return [held, missing]
    }
  }

  /// Whether the absence of loss proves that nothing was sent, as for a codec that sends nothing at all in silence.
  private let noLossMeansUnsent: Bool
  /// Whether the source sees every sequence number, so that the missing ones were lost.
  private let seesNumbers: Bool
  private var since: Double?
  /// When anything first came from the far end in the run, and when other media did.
  private var signOfLife: Double?
  private var otherMedia: Double?
  /// Whether anything besides this stream ever came from the far end.
  private var hasOtherArrivals = false
  private var fades: (Fade?, Fade?)
  /// Concealment in the last segment with packets: all of it, and below its non-silent and silent parts, ms.
  private var concealedMs = 0.0
  /// Number of recent packets, and the time up to the last of them, ms.
  private var lately = (packets: 0.0, timeMs: 0.0)
  private var fadedMs = 0.0
  private var silentMs = 0.0
  /// Non-silent concealment in the run, ms; a source that conceals a gap audibly knows that it is no pause.
  private var voicedMs = 0.0

  /// Whether it is audio. Video below its usual rate does not pause, and is not concealed.
  private let isSound: Bool

  /// When the stream was no longer sent, according to a capture at the sender.
  private let unsentAfterAll: SpanSet?
  /// Minimum part of a run that such a period must cover, because two captures do not start and end at the same time.
  private static let minUnsent = 0.8

  init(noLossMeansUnsent: Bool, seesNumbers: Bool, isSound: Bool, unsentAfterAll: SpanSet? = nil) {
    self.unsentAfterAll = unsentAfterAll
    self.noLossMeansUnsent = noLossMeansUnsent
    self.seesNumbers = seesNumbers
    self.isSound = isSound
  }

  /// Whether the next segment ends a run, or may contain a whole one before its packets.
  func isEnding(with segment: Segment) -> Bool {
    guard segment.hadPackets == true else { return false }
    let start = since ?? segment.lastPacketBefore.map { min($0, segment.from) } ?? segment.from
    return since != nil || segment.resumptionMs - start >= Self.shortestMs
  }

  /// Starts a run at the given time, because the capture follows the call for longer than the stream is sampled.
  mutating func continueRun(since lastMs: Double) { since = since ?? lastMs }

  /// The earliest audible start of the current or next run.
  var openSinceMs: Double? { fades.0.map { min($0.from, since ?? $0.from) } ?? since }

  /// Takes the next segment; returns the run that ended in it.
  mutating func add(_ segment: Segment) -> Ended? {
    guard let had = segment.hadPackets else { return nil }
    let start = since ?? segment.lastPacketBefore.map { min($0, segment.from) } ?? segment.from
    noteArrival(segment, since: start)
    if since == nil { voicedMs = 0 }
    voicedMs += segment.fadedMs ?? 0
    if !had {
      if since == nil { fades.1 = fade(segment) }
      since = start
      return nil
    }
    let until = max(segment.resumptionMs, since == nil ? start : segment.from)
    // Even with packets at both ends of the segment there may be a gap between them, if packets are missing.
    let isGap = since != nil || isMissed(until - start, segment)
    let ended = end(from: start, to: until, resumption: segment)
    if let quiet = segment.quietEnd { noteSenderReport(segment.senderReport?.timeMs, since: quiet) }
    fades = (fade(segment), nil)
    fadedMs = segment.fadedMs ?? 0
    concealedMs = segment.concealedMs ?? 0
    silentMs = segment.silentMs ?? 0
    remember(segment)
    return isGap ? ended : nil
  }

  /// Ends the current run, if any, at the end of the recording or before an unobserved period.
  ///
  /// - Parameter elsewhere: what last arrived from the far end by other means.
  mutating func finish(at end: Double, elsewhere: LastActivity.Arrival? = nil) -> Ended? {
    guard let since else { return nil }
    if let elsewhere { noteArrival(elsewhere, since: since) }
    return self.end(from: since, to: end, resumption: nil)
  }

  /// Records the first sign of life in the run.
  private mutating func noteArrival(_ segment: Segment, since start: Double) {
    if let arrival = segment.elsewhere { noteArrival(arrival, since: start) }
    if segment.hadPackets == false { noteSenderReport(segment.senderReport?.timeMs, since: start) }
  }

  /// Records a sender report for this stream.
  private mutating func noteSenderReport(_ report: Double?, since start: Double) {
    if let report {
      noteArrival(LastActivity.Arrival(from: report, to: report, isNonMedia: true), since: start)
    }
  }

  private mutating func noteArrival(_ arrival: LastActivity.Arrival, since start: Double) {
    if arrival.from < start { hasOtherArrivals = true }
    guard otherMedia == nil, arrival.from >= start, arrival.to >= start + Self.shortMarginMs else { return }
    signOfLife = signOfLife ?? arrival.to
    if !arrival.isNonMedia { otherMedia = arrival.to }
  }

  /// Whether packets are missing: sequence numbers are skipped, or audio was concealed as it is when packets stop.
  private func isMissed(_ length: Double, _ segment: Segment) -> Bool {
    guard isSound else { return true }
    if let further = segment.concealedMs, concealedMs + further < Self.minConcealed * length { return false }
    // Scattered loss causes no silence.
    if length > Self.longMs, let silent = segment.silentMs, silentMs + silent < Self.minConcealed * length {
      return false
    }
    if let lost = segment.growth[.lost], lost * segment.packetMs > Self.explainedShare * length {
      return true
    }
    return fadedMs + (segment.fadedMs ?? 0) >= Self.shortestFadeMs
  }

  /// Whether the sender continued where it had stopped: loss explains little of the time, and not more arrived than
  /// fits into the elapsed time.
  private func goesOn(_ length: Double, _ segment: Segment) -> Bool {
    guard let lost = segment.growth[.lost], let packets = segment.growth[.packets] else { return false }
    return lost * segment.packetMs <= Self.explainedShare * length
      && packets * segment.packetMs <= Self.burstShare * (segment.to - segment.from)
  }

  /// The same for video, whose packets have no fixed duration: fewer packets are missing than usually arrive in that
  /// time.
  private func pictureGoesOn(_ length: Double, _ segment: Segment) -> Bool {
    guard let lost = segment.growth[.lost] else { return false }
    return lost * lately.timeMs <= Self.explainedShare * lately.packets * length
  }

  /// Whether missing sequence numbers prove that media was sent: for audio they explain most of the time; for video
  /// more packets are missing than arrive, and were requested again, because a sender without feedback slows down.
  private func isProvenSent(_ length: Double, _ segment: Segment) -> Bool {
    guard let lost = segment.growth[.lost], lost > 0 else { return false }
    if isSound { return lost * segment.packetMs >= Self.minConcealed * length }
    return segment.nacked > 0 && lost > segment.growth[.packets] ?? .infinity
  }

  private mutating func end(from start: Double, to end: Double, resumption: Segment?) -> Ended? {
    let length = end - start
    // If no sequence number shows what became of the rest, neither does an answered check; a capture at the sender
    // does.
    let isUnsent =
      unsentAfterAll.map { $0.covered(from: start, to: end) >= Self.minUnsent * length } ?? false
    let isAlive = otherMedia != nil || signOfLife != nil
    if isAlive { hasOtherArrivals = true }
    let sign = resumption == nil && seesNumbers && !isUnsent ? otherMedia : signOfLife
    since = nil
    (signOfLife, otherMedia) = (nil, nil)
    guard length >= Self.shortestMs else { return nil }
    // In a run that lasts to the end no media returns, so no margin applies.
    func hasArrival(_ margin: Double) -> Bool {
      sign.map { $0 <= (resumption == nil ? end : end - margin) } ?? false
    }
    // For a run that lasts to the end nothing indicates loss.
    let isGoingOn = resumption.map { isSound ? goesOn(length, $0) : pictureGoesOn(length, $0) } ?? true
    var silent = length >= WindowCut.lengthMs && hasArrival(Self.marginMs) && (isGoingOn || !seesNumbers)
    if let resumption, isProvenSent(length, resumption) { silent = false }
    if !silent, isSound, isGoingOn {
      silent = hasArrival(Self.shortMarginMs) || noLossMeansUnsent && resumption != nil
    }
    // A capture sees no more of this audio up to its own end. If something else still comes from the far end, the
    // audio was not sent (a recording voicemail, for example), unless its reports or a capture at the sender prove
    // otherwise.
    let isLastOfCapture = resumption == nil && seesNumbers && isSound && unsentAfterAll == nil
    if isLastOfCapture, isAlive { silent = true }
    // For a capture, concealment is silent in a pause, and audible only where it knows that no pause was meant.
    let isVoiced =
      seesNumbers && isSound && length > Self.longestFadeMs && voicedMs >= Self.maxVoiced * length
    if isVoiced { silent = false }
    var ended = Ended(from: start, to: end, silent: silent, fades: isVoiced ? (nil, nil) : fades)
    ended.isOpen = resumption == nil
    // Lost if everything that came from the far end before is gone; otherwise the cause is unknown.
    ended.isUnexplained = isLastOfCapture && !silent && !hasOtherArrivals
    ended.numbersGoOn = seesNumbers && isSound && resumption != nil && isGoingOn && !isVoiced
    if seesNumbers, isSound, let resumption, let lost = resumption.growth[.lost] {
      let share = max(0, lost) * resumption.packetMs / length
      ended.lostShare = share >= 1 - Self.explainedShare ? 1 : share
      ended.missesNumbers = share >= 1 - Self.explainedShare
      ended.wasPausing = !isVoiced && lately.packets * resumption.packetMs < Self.talkingShare * lately.timeMs
    }
    return ended
  }

  /// Keeps a decaying sum in which the last segment counts for half.
  private mutating func remember(_ segment: Segment) {
    let from = max(segment.from, segment.lastPacketBefore ?? segment.from)
    lately.packets = lately.packets / 2 + (segment.growth[.packets] ?? 0)
    lately.timeMs = lately.timeMs / 2 + max(0, (segment.lastPacketAfter ?? segment.to) - from)
  }

  private func fade(_ segment: Segment) -> Fade? {
    guard let samples = segment.fadedSamples, samples > 0, let total = segment.growth[.totalSamples] else {
      return nil
    }
    // Concealment that lost packets explain is no fade.
    let missing = segment.growth.missingMs(packetMs: segment.packetMs)
    let most = min(Self.longestFadeMs, max(0, (segment.fadedMs ?? 0) - missing))
    let kept = min(samples, most * total / (segment.to - segment.from))
    let quiet = segment.hadPackets == false ? segment.from : segment.quietEnd
    return Fade(from: quiet ?? segment.from, to: segment.to, samples: kept, isWithoutPackets: quiet != nil)
  }
}
