import CallModel
import Packets
import Playout

extension MediaStream {
  /// Reads the counters at a tick of the capture's clock, and passes on samples that are final. Samples with
  /// video wait until they cannot change any more.
  func sample(at tickNs: Int64, _ due: (Sample) throws -> Void) rethrows {
    noteRedundancy()
    guard role == .media else { return }
    let timeNs = playedUntil(tickNs)
    if !openTicks.isEmpty { catchUp(to: timeNs) }
    sampledNs = timeNs
    let sample = timeNs == path.hungUpNs ? atHangUp ?? counters(at: timeNs) : counters(at: timeNs)
    if video == nil && unsettled.isEmpty { return try due(sample) }
    unsettled.append((timeNs, sample))
    try settle(upTo: timeNs &- Int64(FreezeDetector.settleMs * 1e6), due)
  }

  /// Passes on the samples up to a time.
  func settle(upTo timeNs: Int64, _ due: (Sample) throws -> Void) rethrows {
    var count = 0
    while count < unsettled.count && unsettled[count].timeNs <= timeNs {
      if video != nil { addScreen(&unsettled[count].sample, unsettled[count].timeNs) }
      try due(unsettled[count].sample)
      count += 1
    }
    unsettled.removeFirst(count)
  }

  /// Takes the samples of a silence after which the stream went on, or for the part of it that is played
  /// anyway.
  func catchUp(to timeNs: Int64 = .max) {
    let due = openTicks.prefix { $0 <= timeNs }
    for tick in due {
      unsettled.append((tick, counters(at: tick)))
      sampledNs = tick
    }
    openTicks.removeFirst(due.count)
  }

  /// Keeps what was counted up to the hang-up: later packets are heard by nobody, and their loss is no fault.
  func stop(at hungUpNs: Int64) { atHangUp = counters(at: hungUpNs) }

  /// Packets that were lost after the hang-up, unless both ends went on.
  var lostAfterEnd: Int {
    guard let atHangUp, endNs != nil, let before = atHangUp[.lost] else { return 0 }
    return max(0, sequence.lost - Int(before))
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
    s.set(.jitterMs, kind == .video && separatesFrames ? frameJitter.ms : jitter.ms)
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
  /// Handles a packet whose payload type differs from the main one. If several follow, the stream changes to
  /// the new type, including its clock rate (RFC 7160); for a type without a description, the clock rate is
  /// searched. Returns whether the packet has been handled; it may have to wait for the decision.
  func changes(with packet: RTPPacket, _ described: DescribedType) -> Bool {
    let rate = described.isKnown ? described.clockRate : PayloadFormat.assignedClock(packet.payloadType)
    guard role == .media, !described.isKnown || described.isMedium else { return false }
    let isKnown = rate > 0
    guard isKnown || !described.isKnown && kind == .audio && clockRate > 0 else { return false }
    if clock.isOpen { decideClock(final: true) }
    let isOtherClock = rate != clockRate
    // All video uses one clock rate (RFC 3551 and later payload formats).
    if isOtherClock && kind == .video { return false }
    // A nearly empty packet may be comfort noise.
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

  /// Plays packets that waited for a codec change that did not happen.
  func playProvisional() {
    for packet in codecChange.release() { measure(packet, .advanced(gap: 0)) }
  }

  /// Begins the search for the clock rate of a new type without a description.
  private func searchClock(of packet: RTPPacket, isHeld: Bool) {
    mainType = packet.payloadType
    clock = RTPClockSearch()
    for waiting in codecChange.close() + (isHeld ? [] : [packet]) {
      _ = clock.take(waiting, .advanced(gap: 0), isWebRTC: path.isWebRTC)
    }
  }

  /// Uses the clock rate that was found, or the current one, for the new codec. Audio remains audio.
  func endSearch(_ found: Int?) {
    let rate = found.flatMap { $0 == 90_000 ? nil : $0 } ?? clockRate
    changeOver(to: nil, at: rate, clock.close())
    clockGuessed = true
  }

  /// Uses the codec of the audio in redundant blocks (RFC 2198) as the stream's codec. The clock rate is the
  /// same.
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
    noteCodec(after: format?.name, is: other?.name)
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

  /// Adds the change of codec to the events of the receiving end.
  private func noteCodec(after former: String?, is name: String?) {
    guard let former, former != name else { return }
    var w = ArgumentWriter()
    w.add(.from, former)
    w.add(.to, name ?? "")
    w.add(.kind, (kind ?? .audio).rawValue)
    w.add(.direction, StreamDirection.inbound.rawValue)
    w.add(.ssrc, Int(ssrc))
    path.add(.mediaCodecChanged, "RTP payload type", at: lastNs, end: 1 - sender, args: w.text)
  }

  /// What has been played so far with all codecs, counted at the clock rate of the first.
  var played: PlayedSound? {
    let scale = soundRate > 0 && clockRate > 0 ? Double(soundRate) / Double(clockRate) : 1
    return audio?.played(scale: scale, after: playedBefore)
  }
}

/// How long playout continues for a stream that fell silent.
///
/// A stream that stops on its own is missed by the listener. It is not missed if it stops because the call is
/// over or on hold: one end hung up, SDP told the sender to stop, nobody has answered yet, the call is being
/// transferred, another stream has replaced it, other streams of the same sender go on, the sender pauses as
/// it did before, the listener is gone, or nothing at all is received any more, which is an outage only if
/// something arrives again.
extension MediaStream {
  /// Up to this length, silence of the whole path is a normal gap between packets, ns.
  private static let betweenPacketsNs: Int64 = 100_000_000

  /// How long packets already in transit may arrive after one end hung up, ns.
  private static let inTransitNs: Int64 = 1_000_000_000

  /// A sender that stops when there is nothing to say may be silent for this multiple of its longest pause.
  private static let pausesOfSilence = 4.0

  /// A layer that is silent for longer than the first value has been switched off, provided that another one
  /// was received within the second, ns.
  private static let layerOffNs: Int64 = 1_000_000_000
  private static let goesOnNs: Int64 = 1_000_000_000

  /// The time up to which the stream is played when the clock of the capture has reached `timeNs`.
  func playedUntil(_ timeNs: Int64) -> Int64 {
    var until = timeNs
    if timeNs &- path.lastReceivedNs > Self.betweenPacketsNs { until = path.lastReceivedNs }
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

  /// When the call was over. Packets that arrive after those in transit cancel this; after a hang-up, only if
  /// both ends go on sending: one end alone has not noticed, and the other no longer listens.
  private var endNs: Int64? {
    guard let overNs = path.overNs else { return nil }
    let lastInTransitNs = overNs &+ Self.inTransitNs
    if lastNs <= lastInTransitNs { return overNs }
    return path.hungUpNs == nil || path.bothSent(after: lastInTransitNs) ? nil : overNs
  }

  /// Records a tick without playout. It is caught up on if something arrives before the call is over.
  func leaveOpen(_ tickNs: Int64) {
    if endNs == nil { openTicks.append(tickNs) }
  }

  /// Whether a silence of this length is a pause, judging by earlier pauses of the sender.
  private func isPause(_ silenceNs: Int64) -> Bool {
    guard silenceNs > Self.betweenPacketsNs, let pauseMs = audio?.ownPauseMs else { return false }
    return Double(silenceNs) <= Self.pausesOfSilence * pauseMs * 1e6
  }

  /// Whether the sender's other streams of the same kind go on, so that the network is not at fault: a
  /// participant left a conference, another branch of a forked call was answered, or a video layer was
  /// switched off.
  private func isGivenUp(at timeNs: Int64) -> Bool {
    let silenceNs = timeNs &- lastNs
    guard silenceNs > (kind == .audio ? Self.betweenPacketsNs : Self.layerOffNs) else { return false }
    return path.media.contains {
      $0 !== self && timeNs &- $0.lastNs < Self.goesOnNs && $0.lastNs &- lastNs > Self.betweenPacketsNs
        && $0.sender == sender && $0.role == .media && $0.kind == kind && isOnLeg(of: $0)
        && (kind == .audio ? $0.firstNs <= lastNs : isLayer(besides: $0))
    }
  }

  /// Whether another stream goes to the same host, so that it shows the state of the same route. Relays have
  /// a route on either side.
  private func isOnLeg(of other: MediaStream) -> Bool {
    path.isWebRTC || other.destination.address == destination.address
  }

  /// Takes the first packet after ticks without playout. The missed time is played now. A video layer without
  /// missing numbers was switched off if others of its source went on.
  func goOn(with packet: RTPPacket) {
    // Packets sent to a closed port are not missed.
    guard path.closedNs(1 - sender) == nil else { return openTicks = [] }
    let follows = packet.sequence == UInt16(truncatingIfNeeded: sequence.highest) &+ 1
    guard kind == .video, follows, packet.timeNs &- lastNs > Self.layerOffNs,
      path.media.contains(where: { $0.lastNs > lastNs &+ Self.layerOffNs && isLayer(besides: $0) })
    else { return catchUp() }
    openTicks = []
    video?.rest()
  }

  /// Whether there is anything to play since the last sample.
  func isPlayed(at timeNs: Int64) -> Bool { playedUntil(timeNs) > sampledNs }
}
