import CallModel
import Packets
import Playout

extension MediaStream {
  /// Takes the counters as they stand at a tick of the capture's clock, and hands on the samples that are settled: those of
  /// a picture wait until nothing can change them.
  func sample(at tickNs: Int64, _ due: (Sample) throws -> Void) rethrows {
    noteRedundancy()
    guard role == .media else { return }
    let timeNs = playedUntil(tickNs)
    if !openTicks.isEmpty { catchUp(to: timeNs) }
    sampledNs = timeNs
    let sample = counters(at: timeNs)
    if video == nil && unsettled.isEmpty { return try due(sample) }
    unsettled.append((timeNs, sample))
    try settle(upTo: timeNs &- Int64(FreezeDetector.settleMs * 1e6), due)
  }

  /// Hands on the samples up to a moment.
  func settle(upTo timeNs: Int64, _ due: (Sample) throws -> Void) rethrows {
    var count = 0
    while count < unsettled.count && unsettled[count].timeNs <= timeNs {
      if video != nil { addScreen(&unsettled[count].sample, unsettled[count].timeNs) }
      try due(unsettled[count].sample)
      count += 1
    }
    unsettled.removeFirst(count)
  }

  /// Takes the samples of a silence after which it went on, or of what of it is played all the same.
  func catchUp(to timeNs: Int64 = .max) {
    let due = openTicks.prefix { $0 <= timeNs }
    for tick in due {
      unsettled.append((tick, counters(at: tick)))
      sampledNs = tick
    }
    openTicks.removeFirst(due.count)
  }

  private func counters(at timeNs: Int64) -> Sample {
    var s = Sample(timeMs: timeNs.unixMs)
    s.set(.packets, Double(sequence.unique))
    s.set(.bytes, Double(payloadBytes))
    s.set(.headerBytes, Double(headerBytes))
    s.set(.expected, Double(sequence.expected))
    s.set(.lost, Double(sequence.lost))
    s.set(.duplicates, Double(sequence.duplicates))
    s.set(.reordered, Double(sequence.reordered))
    s.set(.lastPacketMs, lastNs.unixMs)
    if let report = senderReport, kind == .audio {
      senderReport = nil
      s.set(.farPackets, Double(report.packets))
      s.set(.farPacketsMs, report.timeNs.unixMs)
    }
    if let fraction = reports.newFraction() { s.set(.fractionLost, fraction) }
    guard clockRate > 0 else { return s }
    s.set(.jitterMs, kind == .video && tellsPictures ? frameJitter.ms : jitter.ms)
    if audio != nil { addAudio(&s, timeNs) }
    if video != nil { addVideo(&s) }
    return s
  }

  private func addAudio(_ s: inout Sample, _ timeNs: Int64) {
    audio?.advance(to: timeNs)
    guard let fec = audio?.fec, let played else { return }
    s.set(.totalSamples, played.total)
    s.set(.totalSamplesDurationMs, played.total * 1000 / Double(soundRate))
    s.set(.concealedSamples, played.concealed)
    s.set(.silentConcealedSamples, played.silentConcealed)
    if let energy = played.energy { s.set(.totalAudioEnergy, energy) }
    s.set(.jitterBufferDelayMs, played.delaySumMs)
    s.set(.jitterBufferTargetDelayMs, played.wantedSumMs)
    s.set(.jitterBufferEmitted, played.emitted)
    s.set(.concealmentEvents, Double(played.concealments))
    s.set(.insertedSamples, played.inserted)
    s.set(.removedSamples, played.removed)
    s.set(.late, Double(played.late))
    let (redundant, restored) = (audio?.redundant ?? 0, audio?.restored ?? 0)
    s.set(.fecPackets, Double(fec.received + redundant))
    s.set(.fecDiscarded, Double(fec.received - fec.used + max(0, redundant - restored)))
  }

  private func addVideo(_ s: inout Sample) {
    guard let video else { return }
    s.set(.rtxPackets, Double(repeats))
    s.set(.rtxBytes, Double(repeatBytes))
    s.set(.framesReceived, Double(video.received))
    if let ownRepeatRequests { s.set(.nack, Double(ownRepeatRequests)) }
  }

  private func addScreen(_ s: inout Sample, _ timeNs: Int64) {
    video?.settle(upTo: timeNs)
    guard let screen = video?.screen else { return }
    s.set(.jitterBufferDelayMs, screen.delaySumMs)
    s.set(.jitterBufferTargetDelayMs, screen.wantedSumMs)
    s.set(.jitterBufferEmitted, Double(screen.frames))
    s.set(.frames, Double(screen.frames))
    s.set(.freezeCount, Double(screen.freezeCount))
    s.set(.freezeMs, screen.freezeMs)
    s.set(.pauseCount, Double(screen.pauseCount))
    s.set(.pauseMs, screen.pauseMs)
    s.set(.interFrameDelayMs, screen.intervalMs)
    s.set(.squaredInterFrameDelayS2, screen.squaredIntervalS2)
  }
}

extension MediaStream {
  /// Takes a packet of another payload type than the main one: where that goes on for several packets the stream changes
  /// over to it, clock and all (RFC 7160); one that nobody describes has its clock looked for. Answers whether the packet is dealt
  /// with: it may wait until then.
  func changes(with packet: RTPPacket, _ described: DescribedType) -> Bool {
    let rate = described.isKnown ? described.clockRate : PayloadFormat.assignedClock(packet.payloadType)
    guard role == .media, !described.isKnown || described.isMedium else { return false }
    let isKnown = rate > 0
    guard isKnown || !described.isKnown && kind == .audio && clockRate > 0 else { return false }
    if clock.isOpen { decideClock(final: true) }
    let isOtherClock = rate != clockRate
    // Pictures have one clock (RFC 3551 and all that followed).
    if isOtherClock && kind == .video { return false }
    // Hardly anything in it: it may be noise in a pause.
    let isPlain = kind == .video || ComfortNoiseMark.isSmall(packet.payloadLength)
    let waits =
      isKnown && isOtherClock ? CodecChange.Waiting.forChange : isPlain ? .no : .provisionally
    if codecChange.isProvisional, codecChange.isOutdated(by: packet) { playProvisional() }
    guard codecChange.take(packet, number: sequence.unique, waits: waits, isKnown: isKnown) else {
      return waits != .no
    }
    if !isKnown {
      searchClock(of: packet, isHeld: waits != .no)
      return true
    }
    let named = described.isKnown ? describedFormat : PayloadFormat.assigned(packet.payloadType)
    guard let named, named.kind == kind || kind == nil else {
      if waits == .provisionally { playProvisional() }
      return waits != .no
    }
    mainType = packet.payloadType
    changeOver(to: named, at: named.clockRate, codecChange.close())
    return waits != .no
  }

  /// Plays what waited for a change of codec that is none.
  func playProvisional() {
    for packet in codecChange.release() { measure(packet, .advanced(gap: 0)) }
  }

  /// Begins to look for the clock of what goes on under a type that nobody describes.
  private func searchClock(of packet: RTPPacket, isHeld: Bool) {
    mainType = packet.payloadType
    clock = RTPClockSearch()
    for waiting in codecChange.close() + (isHeld ? [] : [packet]) {
      _ = clock.take(waiting, .advanced(gap: 0), isWebRTC: path.isWebRTC)
    }
  }

  /// Takes the clock that was found, or not, for that of the codec that the stream changed over to. Sound remains sound.
  func endSearch(_ found: Int?) {
    let rate = found.flatMap { $0 == 90_000 ? nil : $0 } ?? clockRate
    changeOver(to: nil, at: rate, clock.close())
    clockGuessed = true
  }

  /// Takes the codec of the sound in redundant blocks (RFC 2198) for its own; the clock is the same.
  func unwrap(_ wrapper: UInt8, as type: UInt8) {
    guard mainType == wrapper else { return }
    mainType = type
    if let named = describedFormat ?? PayloadFormat.assigned(type),
      clock.isOpen || named.clockRate == clockRate
    {
      format = named
    }
  }

  private func changeOver(to other: PayloadFormat?, at rate: Int, _ waiting: [RTPPacket]) {
    format = other
    kind = other.map(\.kind) ?? kind
    if rate == clockRate {
      audio?.change(to: other)
    } else if let first = waiting.first {
      jitter.rebase()
      audio?.advance(to: first.timeNs)
      let former = audio
      playedBefore = played ?? PlayedSound()
      clockRate = rate
      clockGuessed = false
      audio = nil
      if let former {
        beginSound(first)
        audio?.goOn(from: former, with: first, afterNs: first.timeNs &- newestNs)
      }
    }
    for packet in waiting { measure(packet, .advanced(gap: 0)) }
  }

  /// What was played so far, whatever the codec: counted at the clock of the first.
  var played: PlayedSound? {
    let scale = soundRate > 0 && clockRate > 0 ? Double(soundRate) / Double(clockRate) : 1
    return audio?.played(scale: scale, after: playedBefore)
  }
}

/// How long a stream that fell silent is played on.
///
/// What stops alone is missed by who listens. What stops because the call is over or on hold is not: one end hung up, SDP
/// told the sender to be silent, nobody answered yet, the call is being transferred, another stream took its place, others of the same sender go on, the sender pauses as it did
/// before, who listened is gone, or nothing at all passes any more, which is an outage only if something comes again.
extension MediaStream {
  /// Silence of the whole path up to here is between packets, ns.
  private static let betweenPacketsNs: Int64 = 100_000_000

  /// What was on its way when one end hung up comes after that, for so long, ns.
  private static let onItsWayNs: Int64 = 1_000_000_000

  /// A sender that just stops when there is nothing to say may be silent for so many times its longest pause.
  private static let pausesOfSilence = 4.0

  /// A layer that is silent for longer is switched off, and another goes on that was heard within so long, ns.
  private static let layerOffNs: Int64 = 1_000_000_000
  private static let goesOnNs: Int64 = 1_000_000_000

  /// The moment up to which it is played when the clock of the capture has come so far.
  func playedUntil(_ timeNs: Int64) -> Int64 {
    var until = timeNs
    if timeNs &- path.heardNs > Self.betweenPacketsNs { until = path.heardNs }
    if isPause(timeNs &- lastNs) || isGivenUp(at: timeNs) { until = min(until, lastNs) }
    if let endNs { until = min(until, endNs) }
    if let since = path.mayStopSinceNs, timeNs &- lastNs > Self.betweenPacketsNs {
      until = min(until, max(since, lastNs))
    }
    if let restsSinceNs { until = min(until, restsSinceNs) }
    if let since = beginsSince(timeNs) { until = min(until, since) }
    if let closed = path.closedNs(1 - sender) { until = min(until, closed) }
    if let replacedNs, replacedNs > lastNs { until = min(until, replacedNs) }
    return until
  }

  /// When the call was over. What still comes when all that was on its way is there takes that back; after a hang-up only if
  /// both ends send on: one alone has not noticed, and the other listens no more.
  private var endNs: Int64? {
    guard let overNs = path.overNs else { return nil }
    let lastOnItsWayNs = overNs &+ Self.onItsWayNs
    if lastNs <= lastOnItsWayNs { return overNs }
    return path.hungUpNs == nil || path.bothSent(after: lastOnItsWayNs) ? nil : overNs
  }

  /// Notes a tick at which nothing was to be played, to be caught up on if something comes again before the call is over.
  func leaveOpen(_ tickNs: Int64) {
    if endNs == nil { openTicks.append(tickNs) }
  }

  /// Whether a silence so long is a pause, going by those that the sender made before.
  private func isPause(_ silenceNs: Int64) -> Bool {
    guard silenceNs > Self.betweenPacketsNs, let pauseMs = audio?.ownPauseMs else { return false }
    return Double(silenceNs) <= Self.pausesOfSilence * pauseMs * 1e6
  }

  /// Whether its sender goes on with others of its sort, so that the way is not at fault: who left a conference, the branch of
  /// a call that another answered, a layer of a picture that is switched off.
  private func isGivenUp(at timeNs: Int64) -> Bool {
    let silenceNs = timeNs &- lastNs
    guard silenceNs > (kind == .audio ? Self.betweenPacketsNs : Self.layerOffNs) else { return false }
    return path.media.contains {
      $0 !== self && timeNs &- $0.lastNs < Self.goesOnNs && $0.lastNs &- lastNs > Self.betweenPacketsNs
        && $0.sender == sender && $0.role == .media && $0.kind == kind && isOnLeg(of: $0)
        && (kind == .audio ? $0.firstNs <= lastNs : isLayer(besides: $0))
    }
  }

  /// Whether another goes to the same host, so that it tells of the same way: relays have a way on either side.
  private func isOnLeg(of other: MediaStream) -> Bool {
    path.isWebRTC || other.destination.address == destination.address
  }

  /// Takes the first packet after ticks at which it was not played: what was missed is played then. A layer of which no number is
  /// missing while others of its picture went on was switched off.
  func goOn(with packet: RTPPacket) {
    // What goes on to a closed port is missed by nobody.
    guard path.closedNs(1 - sender) == nil else { return openTicks = [] }
    let follows = packet.sequence == UInt16(truncatingIfNeeded: sequence.highest) &+ 1
    guard kind == .video, follows, packet.timeNs &- lastNs > Self.layerOffNs,
      path.media.contains(where: { $0.lastNs > lastNs &+ Self.layerOffNs && isLayer(besides: $0) })
    else { return catchUp() }
    openTicks = []
    video?.rest()
  }

  /// Whether there is something to play since it was sampled last.
  func isPlayed(at timeNs: Int64) -> Bool { playedUntil(timeNs) > sampledNs }
}
