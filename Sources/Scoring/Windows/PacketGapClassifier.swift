import CallModel

/// Follows the times in which a stream got no packet, and tells an outage from a far end that sends nothing on purpose.
///
/// A browser whose packets skip more than a second takes the stream for begun anew and counts none of them lost: numbers
/// alone tell a loss, never a pause. A pause is one during which something else was heard of, if it lasts as long as
/// `WindowCut.lengthMs` or numbers go on as if nothing had been. A capture sees all numbers: without them there is no pause, and
/// what is missing from them is all that was lost. What the far end says it sent meanwhile is looked at afterwards, see `SenderCount`.
struct PacketGapClassifier {
  /// Shortest time without a packet that is a gap: Opus in discontinuous transmission sends every 400 ms.
  static let shortestMs = 800.0

  /// How long before its end the far end must have been heard of in a silence: what comes back with the media is no sign.
  static let marginMs = 2000.0
  /// The same where numbers go on as well; and how long after its beginning, for not all streams end with the same packet.
  static let shortMarginMs = 500.0

  /// Lost packets that explain less of a run are the usual ones beside it; more media than this in its time came late at once.
  private static let explainedShare = 0.2
  private static let burstShare = 1.2
  /// A sender whose packets filled less of the time before a run was pausing already.
  private static let talkingShare = 0.5
  /// An outage is made up for at least this part of it, where that is counted; a long one, ms, by silence.
  private static let leastMadeUp = 0.5
  private static let longMs = 2000.0
  /// Sound that is made up, and not silent, when packets fail to come, ms: less is none.
  private static let shortestFadeMs = 40.0
  /// Sound is made up for less of a pause than that.
  private static let mostVoiced = 0.7
  /// Most that is made up until silence, ms.
  private static let longestFadeMs = 250.0

  /// What was made up, and could be heard, when packets ceased.
  struct Fade {
    var from: Double
    var to: Double
    var samples: Double
    /// Whether no packet came in that time.
    var isDry: Bool
  }

  /// A finished run without packets.
  struct Ended {
    var from: Double
    var to: Double
    var silent: Bool
    /// Whether numbers, of which all are seen, go on afterwards as if nothing had been.
    var numbersGoOn = false
    /// Which part of it missing numbers explain, 0–1; the rest was not sent in time. Where numbers are not seen, all of it.
    var lostShare = 1.0
    /// Whether the rest would not have been heard: the sender was pausing.
    var wasPausing = false
    /// Whether numbers are missing that explain most of it.
    var missesNumbers = false
    /// Whether nothing came any more afterwards.
    var isOpen = false
    /// Whether nothing at all shows why.
    var isUnexplained = false
    /// Whether SDP had asked for the medium again, as after a hold, and nothing came.
    var isAskedFor = false
    /// Before the first report without packets, and in it.
    var fades: (Fade?, Fade?)

    /// Shortest time after the end of a hold in which something must come, ms.
    private static let patienceMs = 5000.0

    /// The run in two, where it goes on to the end and a hold ended within it: whoever takes a call back is to be heard.
    func asked(for resumedMs: [Double]) -> [Ended] {
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
      missing.isAskedFor = true
      missing.isUnexplained = false
      missing.fades = (nil, nil)
      return [held, missing]
    }
  }

  /// Whether that nothing is lost says that nothing was sent: of a codec that sends nothing at all in silence.
  private let numbersTell: Bool
  /// Whether the source sees every number, so that what is missing from them is what was lost.
  private let seesNumbers: Bool
  private var since: Double?
  /// When anything was first heard of in the run, and when other media was.
  private var signOfLife: Double?
  private var otherMedia: Double?
  /// Whether the far end was ever heard of beside this stream.
  private var hasGivenSigns = false
  private var fades: (Fade?, Fade?)
  /// Sound made up in the last segment with packets, the part of it that was not silent, and the one that was, ms.
  private var madeUpMs = 0.0
  /// Packets that came lately, and in which time up to the last of them, ms.
  private var lately = (packets: 0.0, timeMs: 0.0)
  private var fadedMs = 0.0
  private var silentMs = 0.0
  /// Sound made up in the run that was not silence, ms: whoever made it up knows that nobody paused.
  private var voicedMs = 0.0

  /// Whether it is sound: a picture that falls short of its rate is no pause, and makes nothing up.
  private let isSound: Bool

  /// When nothing was sent any more, by a capture where it was to be sent.
  private let unsentAfterAll: SpanSet?
  /// Nobody sent it in at least this part of a run: two captures end and begin at other moments.
  private static let leastUnsent = 0.8

  init(numbersTell: Bool, seesNumbers: Bool, isSound: Bool, unsentAfterAll: SpanSet? = nil) {
    self.unsentAfterAll = unsentAfterAll
    self.numbersTell = numbersTell
    self.seesNumbers = seesNumbers
    self.isSound = isSound
  }

  /// Whether the next segment ends a run, or can hold a whole one before its packets.
  func isEnding(with segment: Segment) -> Bool {
    guard segment.hadPackets == true else { return false }
    let start = since ?? segment.lastPacketBefore.map { min($0, segment.from) } ?? segment.from
    return since != nil || segment.resumptionMs - start >= Self.shortestMs
  }

  /// Takes it that nothing comes any more since then, as its capture still follows the call.
  mutating func goOn(since lastMs: Double) { since = since ?? lastMs }

  /// The earliest that the next run can have begun to be heard, if one goes on or can begin.
  var openSinceMs: Double? { fades.0.map { min($0.from, since ?? $0.from) } ?? since }

  /// Takes the next segment; gives back the run that ended in it.
  mutating func add(_ segment: Segment) -> Ended? {
    guard let had = segment.hadPackets else { return nil }
    let start = since ?? segment.lastPacketBefore.map { min($0, segment.from) } ?? segment.from
    listen(segment, since: start)
    if since == nil { voicedMs = 0 }
    voicedMs += segment.fadedMs ?? 0
    if !had {
      if since == nil { fades.1 = fade(segment) }
      since = start
      return nil
    }
    let until = max(segment.resumptionMs, since == nil ? start : segment.from)
    // With packets at both ends of the segment a gap may still lie between them, if anything was missed.
    let isGap = since != nil || isMissed(until - start, segment)
    let ended = end(from: start, to: until, going: segment)
    if let quiet = segment.quietEnd { hear(segment.senderReport?.timeMs, since: quiet) }
    fades = (fade(segment), nil)
    fadedMs = segment.fadedMs ?? 0
    madeUpMs = segment.madeUpMs ?? 0
    silentMs = segment.silentMs ?? 0
    remember(segment)
    return isGap ? ended : nil
  }

  /// Ends the run, if one is going on, with the recording or before a time of which nothing is known.
  ///
  /// - Parameter elsewhere: when the end was last heard of by other means.
  mutating func finish(at end: Double, elsewhere: LastActivity.Beat? = nil) -> Ended? {
    guard let since else { return nil }
    if let elsewhere { listen(elsewhere, since: since) }
    return self.end(from: since, to: end, going: nil)
  }

  /// Notes the first sign of life in the run.
  private mutating func listen(_ segment: Segment, since start: Double) {
    if let heard = segment.elsewhere { listen(heard, since: start) }
    if segment.hadPackets == false { hear(segment.senderReport?.timeMs, since: start) }
  }

  /// Notes that the sender reported on this very stream.
  private mutating func hear(_ report: Double?, since start: Double) {
    if let report { listen(LastActivity.Beat(from: report, to: report, isSign: true), since: start) }
  }

  private mutating func listen(_ heard: LastActivity.Beat, since start: Double) {
    if heard.from < start { hasGivenSigns = true }
    guard otherMedia == nil, heard.from >= start, heard.to >= start + Self.shortMarginMs else { return }
    signOfLife = signOfLife ?? heard.to
    if !heard.isSign { otherMedia = heard.to }
  }

  /// Whether packets were missed: numbers skipped, or sound was made up as it is when they fail to come.
  private func isMissed(_ length: Double, _ segment: Segment) -> Bool {
    guard isSound else { return true }
    if let made = segment.madeUpMs, madeUpMs + made < Self.leastMadeUp * length { return false }
    // Loss here and there leaves no silence.
    if length > Self.longMs, let silent = segment.silentMs, silentMs + silent < Self.leastMadeUp * length {
      return false
    }
    if let lost = segment.growth[.lost], lost * segment.packetMs > Self.explainedShare * length {
      return true
    }
    return fadedMs + (segment.fadedMs ?? 0) >= Self.shortestFadeMs
  }

  /// Whether the sender took up again where it had left off: what was lost explains little of the time, and not more came
  /// than time had passed for.
  private func goesOn(_ length: Double, _ segment: Segment) -> Bool {
    guard let lost = segment.growth[.lost], let packets = segment.growth[.packets] else { return false }
    return lost * segment.packetMs <= Self.explainedShare * length
      && packets * segment.packetMs <= Self.burstShare * (segment.to - segment.from)
  }

  /// The same of a picture, whose packets hold no certain time: fewer are missing than came in such a time.
  private func pictureGoesOn(_ length: Double, _ segment: Segment) -> Bool {
    guard let lost = segment.growth[.lost] else { return false }
    return lost * lately.timeMs <= Self.explainedShare * lately.packets * length
  }

  /// Whether missing numbers tell that it was sent: they explain most of a time without sound; of a picture more are missing than
  /// come, and asked for again, for a sender that nobody answers slows down.
  private func isTold(_ length: Double, _ segment: Segment) -> Bool {
    guard let lost = segment.growth[.lost], lost > 0 else { return false }
    if isSound { return lost * segment.packetMs >= Self.leastMadeUp * length }
    return segment.asked > 0 && lost > segment.growth[.packets] ?? .infinity
  }

  private mutating func end(from start: Double, to end: Double, going: Segment?) -> Ended? {
    let length = end - start
    // Where no number shows what became of the rest, a check that was answered does not either; a capture of its sender does.
    let isUnsent =
      unsentAfterAll.map { $0.covered(from: start, to: end) >= Self.leastUnsent * length } ?? false
    let isAlive = otherMedia != nil || signOfLife != nil
    if isAlive { hasGivenSigns = true }
    let sign = going == nil && seesNumbers && !isUnsent ? otherMedia : signOfLife
    since = nil
    (signOfLife, otherMedia) = (nil, nil)
    guard length >= Self.shortestMs else { return nil }
    // With what goes on to the end no media comes back.
    func isHeard(_ margin: Double) -> Bool { sign.map { $0 <= (going == nil ? end : end - margin) } ?? false }
    // Of one that goes on to the end nothing speaks for a loss.
    let isGoingOn = going.map { isSound ? goesOn(length, $0) : pictureGoesOn(length, $0) } ?? true
    var silent = length >= WindowCut.lengthMs && isHeard(Self.marginMs) && (isGoingOn || !seesNumbers)
    if let going, isTold(length, going) { silent = false }
    if !silent, isSound, isGoingOn { silent = isHeard(Self.shortMarginMs) || numbersTell && going != nil }
    // A capture sees nothing of this sound any more, up to its end. Of a far end that is still heard of it was not sent (a voicemail that
    // records), unless its reports, or a capture where it was sent, tell otherwise.
    let isLastOfCapture = going == nil && seesNumbers && isSound && unsentAfterAll == nil
    if isLastOfCapture, isAlive { silent = true }
    // A capture makes up silence in a pause, and sound only where it knows that none was meant.
    let isVoiced =
      seesNumbers && isSound && length > Self.longestFadeMs && voicedMs >= Self.mostVoiced * length
    if isVoiced { silent = false }
    var ended = Ended(from: start, to: end, silent: silent, fades: isVoiced ? (nil, nil) : fades)
    ended.isOpen = going == nil
    // Lost, where all of the far end is gone that was heard of before; else nobody knows why nothing comes any more.
    ended.isUnexplained = isLastOfCapture && !silent && !hasGivenSigns
    ended.numbersGoOn = seesNumbers && isSound && going != nil && isGoingOn && !isVoiced
    if seesNumbers, isSound, let going, let lost = going.growth[.lost] {
      let share = max(0, lost) * going.packetMs / length
      ended.lostShare = share >= 1 - Self.explainedShare ? 1 : share
      ended.missesNumbers = share >= 1 - Self.explainedShare
      ended.wasPausing = !isVoiced && lately.packets * going.packetMs < Self.talkingShare * lately.timeMs
    }
    return ended
  }

  /// Half of what is remembered is of the last segment.
  private mutating func remember(_ segment: Segment) {
    let from = max(segment.from, segment.lastPacketBefore ?? segment.from)
    lately.packets = lately.packets / 2 + (segment.growth[.packets] ?? 0)
    lately.timeMs = lately.timeMs / 2 + max(0, (segment.lastPacketAfter ?? segment.to) - from)
  }

  private func fade(_ segment: Segment) -> Fade? {
    guard let samples = segment.fadedSamples, samples > 0, let total = segment.growth[.totalSamples] else {
      return nil
    }
    // What lost packets explain is no fading.
    let missing = segment.growth.missingMs(packetMs: segment.packetMs)
    let most = min(Self.longestFadeMs, max(0, (segment.fadedMs ?? 0) - missing))
    let kept = min(samples, most * total / (segment.to - segment.from))
    let quiet = segment.hadPackets == false ? segment.from : segment.quietEnd
    return Fade(from: quiet ?? segment.from, to: segment.to, samples: kept, isDry: quiet != nil)
  }
}
