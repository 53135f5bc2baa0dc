import CallModel
import Packets
import Playout

/// One RTP stream: an SSRC from one sender to one receiver, followed across changes of address.
///
/// Its properties are accessed for every packet, from one thread only. They are exempt from the dynamic check
/// of exclusive access, which cost a third of the reading time.
final class MediaStream {
  /// What the SSRC carries.
  enum Role: Equatable {
    /// Only padding so far.
    case probing
    case media
    /// Neither audio nor video according to SDP: it is not played, and nothing of it can be missed.
    case data
    /// Retransmissions (RFC 4588) of another SSRC.
    case repair
    /// Redundancy (FlexFEC, RFC 8627) of another SSRC.
    case redundancy
  }

  let ssrc: UInt32
  /// The index within the source.
  let number: Int
  /// The path it belongs to and the end that sends it.
  @exclusivity(unchecked) unowned var path: MediaTransport
  @exclusivity(unchecked) var sender: Int
  /// Whether packets have arrived recently, so that it is processed at each tick.
  @exclusivity(unchecked) var isAwake = false
  /// The index in `figures` of the pair of addresses with most of the recent packets, and those addresses.
  var route = 0
  var source: Endpoint { didSet { lookedUp = nil } }
  var destination: Endpoint { didSet { lookedUp = nil } }
  @exclusivity(unchecked) var role = Role.probing
  /// The stream whose packets this one repeats, and the stream that repeats this one's.
  unowned var repairs: MediaStream?
  unowned var repairedBy: MediaStream?
  @exclusivity(unchecked) var repairGuess = RetransmissionGuess()
  /// Samples held until it is known which end is local.
  var held: [Sample] = []
  static let maxHeld = 10
  /// When another stream replaced it, and the time of the last sample.
  var replacedNs: Int64?
  @exclusivity(unchecked) var sampledNs: Int64 = .min
  /// What had been counted when the call was hung up; nil as long as nothing comes after it.
  @exclusivity(unchecked) var atHangUp: Sample?
  /// When its sender was told to stop or to resume; whether it was told to resume and has not done so yet;
  /// whether it left by itself, and whether it did so for the time that it holds the call.
  @exclusivity(unchecked) var silentSinceNs: Int64?
  var (isAwaited, hasLeft, isHolding) = (false, false, false)
  /// Ticks at which nothing was received on its path, until something arrives again.
  @exclusivity(unchecked) var openTicks: [Int64] = []
  /// Samples whose video figures may still be revised.
  var unsettled: [(timeNs: Int64, sample: Sample)] = []

  // The content of the stream.
  @exclusivity(unchecked) var mainType: UInt8?
  var format: PayloadFormat? { didSet { separatesFrames = format?.separatesFrames ?? true } }
  @exclusivity(unchecked) private(set) var separatesFrames = true
  @exclusivity(unchecked) var kind: MediaKind?
  @exclusivity(unchecked) var clockRate = 0 { didSet { msPerTick = 1000 / Double(clockRate) } }
  @exclusivity(unchecked) private var msPerTick = 0.0
  var clockGuessed = false
  @exclusivity(unchecked) var clock = RTPClockSearch()
  /// Whether the timestamps agree with the clock of the codec, until that is known; the clock that the codec has if
  /// they do not; and how much sound the sender makes.
  @exclusivity(unchecked) var clockCheck: ClockCheck?
  var namedClock: Int?
  var soundMade = SoundRate()
  /// What SDP says about the payload type that was last looked up.
  @exclusivity(unchecked) private var lookedUp: (type: UInt8, version: Int, says: DescribedType)?
  private(set) var describedFormat: PayloadFormat?
  /// A possible change of the main payload type.
  @exclusivity(unchecked) var codecChange = CodecChange()
  /// Detects whether its audio comes in redundant blocks.
  @exclusivity(unchecked) var redundancy = RedundancyDetector()
  var earlyRepeats: [RTPPacket] = []
  /// Names in the header extensions of its first packets.
  var names = StreamNames()
  /// The timestamp of the last key press, which all packets of one have.
  var keyTimestamp: UInt32?

  /// The size of the largest packet of sound looked at, once a second.
  var largestSize = 0

  // Figures.
  @exclusivity(unchecked) var sequence = SequenceState()
  @exclusivity(unchecked) var jitter = JitterMeter()
  @exclusivity(unchecked) var frameJitter = JitterMeter()
  @exclusivity(unchecked) var losses = LossRuns()
  @exclusivity(unchecked) var figures: [TupleFigures] = []
  var firstNs: Int64 = 0
  /// The time of the last packet processed; the index of its waiting packets (see `PacketBatcher`), negative
  /// if there are none; and whether packets may wait, because nothing but the stream itself depends on them.
  @exclusivity(unchecked) var lastNs: Int64 = 0
  @exclusivity(unchecked) var waitingAt = -1
  @exclusivity(unchecked) var mayWait = false
  @exclusivity(unchecked) var maxDeltaNs: Int64 = 0
  @exclusivity(unchecked) var payloadBytes = 0
  @exclusivity(unchecked) var headerBytes = 0
  var probes = 0
  var captureDuplicates = 0
  /// The time to live of the last packet.
  @exclusivity(unchecked) private(set) var ttl: UInt8 = 0
  /// Whether the capture has missed part of the TCP that carries the stream since its last packet, and the
  /// number of packets missed in this way.
  @exclusivity(unchecked) var isPastHole = false
  var uncaptured = 0
  var (repeats, repeatBytes) = (0, 0)
  /// The number of redundancy packets beside its video that have a payload type of their own.
  var redundant = 0
  @exclusivity(unchecked) private(set) var recent = RecentPackets()
  @exclusivity(unchecked) private var lastFrameTimestamp: UInt32?
  @exclusivity(unchecked) private var levels = AudioLevelGuess()
  @exclusivity(unchecked) var hasLevels = false
  /// When the sender spoke, if requested.
  @exclusivity(unchecked) var speech: SpeechSpans?
  /// Whether its sender declares it to be screen content.
  @exclusivity(unchecked) private(set) var isScreen = false
  /// The largest backward step of the RTP timestamp while sequence numbers continued, ms; 0 if there was
  /// none.
  @exclusivity(unchecked) var steppedBackMs = 0.0
  /// The largest forward step, ms, and its time.
  var (steppedForwardMs, steppedForwardNs): (Double, Int64) = (0, 0)
  @exclusivity(unchecked) var doubts = ReceiverRejection()
  /// The timestamp and time of the newest packet in order.
  @exclusivity(unchecked) private(set) var newestTimestamp: UInt32 = 0
  @exclusivity(unchecked) private(set) var newestNs: Int64 = 0
  /// The simulated playout, once the clock rate is known.
  @exclusivity(unchecked) var audio: AudioPlayout?
  /// What was played before the codec changed its clock rate, and the clock rate at which samples are
  /// counted.
  var playedBefore = PlayedSound()
  var soundRate = 0
  @exclusivity(unchecked) var video: VideoPlayout?
  /// Synchronises audio and video; and the last video packet that it has seen.
  var lipSync = LipSync()
  var syncedNs: Int64 = 0
  /// Reports of the sender about this stream, and those of its receiver if they are unencrypted.
  var (senderReports, sent) = (0, SenderReports())
  /// The packet count in the last sender report, until it is included in a sample.
  var senderReport: (packets: UInt32, timeNs: Int64)?
  /// The number of retransmission requests for packets of its sender.
  var repeatRequests = 0
  var reports = ReceiverReports()
  var uncapturedLoss = UncapturedLoss()
  var (reportedLoss, returned) = (ReportedLoss(), ReturnedErrors())
  var stalled = StalledReception()

  init(ssrc: UInt32, number: Int, source: Endpoint, destination: Endpoint, path: MediaTransport, sender: Int)
  {
    self.path = path
    self.sender = sender
    self.ssrc = ssrc
    self.number = number
    self.source = source
    self.destination = destination
  }

  /// What SDP says about a payload type on this stream's addresses. This is called for every packet, and
  /// looked up only if it may have changed.
  @inline(__always)
  func type(_ type: UInt8, in described: DescribedPorts) -> DescribedType {
    if let lookedUp, lookedUp.type == type, lookedUp.version == described.version { return lookedUp.says }
    return lookUp(type, in: described)
  }

  private func lookUp(_ type: UInt8, in described: DescribedPorts) -> DescribedType {
    describedFormat = described.format(type, source, destination)
    let says = describedFormat.map(DescribedType.init) ?? .unknown
    lookedUp = (type, described.version, says)
    return says
  }

  /// Takes a packet. `described` is what SDP says about its payload type; `interrupted` means that the sender
  /// sent something else on the flow in the meantime (fax), so that skipped numbers are not loss.
  func take(_ packet: RTPPacket, described: DescribedType, interrupted: Bool) {
    switch recent.take(packet) {
    case .first: break
    case .passedOn: captureDuplicates &+= 1
    case .again:
      captureDuplicates &+= 1
      return
    case .beforeRouter: return
    }
    ttl = packet.ttl
    if let hungUpNs = path.hungUpNs, atHangUp == nil { stop(at: hungUpNs) }
    if sequence.expected == 0 { begin(packet) }
    if codecChange.isProvisional, packet.payloadType != codecChange.type { playProvisional() }
    if silentSinceNs != nil { wake(with: packet) }
    if !openTicks.isEmpty { goOn(with: packet) }
    let isEvent = isTelephoneEvent(packet, described)
    let isEmpty = packet.payloadLength == 0
    let isNoise = described.isNoise || PayloadFormat.isComfortNoise(packet.payloadType)
    if mainType == nil && !isEvent && !isEmpty && !isNoise {
      settle(on: packet, described.isKnown ? describedFormat : nil)
    }
    let delta = Int(Int16(bitPattern: packet.sequence &- UInt16(truncatingIfNeeded: sequence.highest)))
    if delta > 800 || delta < -SequenceState.maxMisorder { losses.settle(sequence) }
    let verdict = sequence.take(
      packet.sequence, plausible: delta >= SequenceState.maxDropout && agreesWithClock(packet, delta),
      restart: delta > 50 && (interrupted || wasRenegotiated(packet) || outrunsTime(packet, delta)))
    if verdict == .duplicate || verdict == .doubtful { return }
    if isPastHole { passHole(before: packet, verdict) }
    if packet.timeNs &- lastNs > maxDeltaNs { maxDeltaNs = packet.timeNs &- lastNs }
    if kind == .audio, packet.timeNs &- lastNs >= MediaTransport.minWaitNs {
      path.soundCame(of: sender, afterNs: lastNs, at: packet.timeNs)
    }
    lastNs = packet.timeNs
    losses.take(verdict, &sequence)
    examine(packet, verdict, delta, isSound: !isEvent && !isEmpty && !isNoise)
    if isEmpty || packet.padded && packet.payloadLength <= Self.longestPadding {
      probes &+= 1
      audio?.skip(packet)
      headerBytes &+= packet.headerLength &+ packet.payloadLength
      return
    }
    payloadBytes &+= packet.payloadLength
    headerBytes &+= packet.headerLength
    if role == .probing { firstMedia(packet) }
    if role == .repair {
      repairs?.takeRepeat(packet)
      return
    }
    if role == .redundancy { return }
    if kind != .audio {
      if !repairGuess.isSettled && isRepair(packet) { return }
      repairGuess.remember(packet)
    }
    if isEvent {
      audio?.takeKey(packet)
      noteKey(packet)
      return
    }
    if isNoise {
      audio?.take(packet, level: nil, isNoise: true)
      return
    }
    if packet.payloadType != mainType, !clock.isOpen || clockRate > 0, changes(with: packet, described) {
      return
    }
    if clock.isOpen {
      if clock.take(packet, verdict, isWebRTC: path.isWebRTC) { decideClock(final: false) }
      return
    }
    if clockCheck != nil, check(packet, verdict) { return }
    measure(packet, verdict)
  }

  /// Whether it is established audio, so that nothing else depends on its packets before the next tick.
  var isSteady: Bool { isAwake && kind == .audio && role == .media && !clock.isOpen }

  /// Makes the decisions that are left at the end of the capture.
  func finish() {
    if clock.isOpen { decideClock(final: true) }
    losses.finish(sequence)
    audio?.advance(to: lastNs)
  }

  // The maximum size of a packet with only padding: RTP allows 255 bytes, plus an authentication tag.
  private static let longestPadding = 271

  func begin(_ packet: RTPPacket) {
    path.passed(packet.direction, from: sender)
    firstNs = packet.timeNs
    lastNs = packet.timeNs
    newestNs = packet.timeNs
    newestTimestamp = packet.timestamp
  }

  private func firstMedia(_ packet: RTPPacket) {
    guard format == nil || kind != nil else { return role = .data }
    if format?.isRedundancy == true {
      kind = nil
      return role = .redundancy
    }
    role = .media
    if path[sender].firstMediaNs == nil { path[sender].firstMediaNs = packet.timeNs }
  }

  private func settle(on packet: RTPPacket, _ described: PayloadFormat?) {
    mainType = packet.payloadType
    guard let known = described ?? PayloadFormat.assigned(packet.payloadType) else { return }
    format = known
    kind = known.kind
    clockRate = known.clockRate
    if kind == .audio { clockCheck = ClockCheck(named: known.clockRate) }
    for packet in clock.close() { measure(packet, .advanced(gap: 0)) }
  }

  /// Whether a long jump of sequence numbers took the corresponding time. It is then loss, not a restart.
  private func agreesWithClock(_ packet: RTPPacket, _ delta: Int) -> Bool {
    guard clockRate > 0, sequence.unique > 100 else { return false }
    let elapsed = Double(packet.timeNs &- newestNs) / 1e9
    let media = Double(packet.timestamp &- newestTimestamp) / Double(clockRate)
    let rate = Double(sequence.unique) / max(0.1, Double(newestNs &- firstNs) / 1e9)
    return elapsed > 1 && abs(media - elapsed) < 0.2 * elapsed + 0.5 && Double(delta) < 4 * rate * elapsed
  }

  func decideClock(final: Bool) {
    guard let found = clock.decide(final: final) else { return }
    if clockRate > 0 { return endSearch(found) }
    if let rate = found {
      clockRate = rate
      clockGuessed = true
      kind = rate == 90_000 ? .video : .audio
    }
    var repeats = earlyRepeats[...]
    earlyRepeats = []
    for packet in clock.close() {
      while let early = repeats.first, early.timeNs < packet.timeNs {
        video?.takeRepeat(early)
        repeats.removeFirst()
      }
      measure(packet, .advanced(gap: 0))
    }
    for packet in repeats { video?.takeRepeat(packet) }
    noteRedundancy()
  }

  /// Updates what depends on the clock rate: jitter and playout.
  @inline(__always)
  func measure(_ packet: RTPPacket, _ verdict: SequenceState.Verdict) {
    let isLater = Int32(bitPattern: packet.timestamp &- newestTimestamp) >= 0
    let isAnew = verdict == .restarted || !isLater && stepsBack(packet, verdict)
    if isLater, kind == .audio { noteStepForward(packet, verdict) }
    if isLater || isAnew {
      newestTimestamp = packet.timestamp
      newestNs = packet.timeNs
    }
    guard clockRate > 0 else { return }
    if isAnew {
      beginAnew(with: packet)
    }
    jitter.take(timeNs: packet.timeNs, timestamp: packet.timestamp, msPerTick: msPerTick)
    if kind == .audio {
      play(packet)
    } else if role != .data && separatesFrames {
      show(packet, verdict, msPerTick)
    }
  }

  @inline(__always)
  private func play(_ packet: RTPPacket) {
    if audio == nil { beginSound(packet) }
    let level = levels.level(packet.oneByteElements)
    if level != nil { hasLevels = true }
    if packet.blocks.count > 0, redundancy.isOn { audio?.takeRedundant(packet) }
    if speech != nil, let heard = level ?? packet.level { speech?.take(heard, at: packet.timeNs) }
    audio?.take(packet, level: level)
  }

  /// Begins playout with the first packet of a codec.
  func beginSound(_ first: RTPPacket) {
    if soundRate == 0 { soundRate = clockRate }
    audio = AudioPlayout(rate: clockRate, format: format, first: first, mayHaveFEC: mayHaveFEC)
    audio?.fec.isClear = format?.isClear == true
  }

  /// Whether Opus may have in-band FEC: SDP says so, or nothing says otherwise.
  private var mayHaveFEC: Bool {
    guard clockRate == 48_000 else { return false }
    guard let format else { return true }
    return format.name.lowercased() == "opus" && format.fmtp?.contains("useinbandfec=0") != true
  }

  private func show(_ packet: RTPPacket, _ verdict: SequenceState.Verdict, _ msPerTick: Double) {
    if packet.saysScreen { isScreen = true }
    if packet.timestamp != lastFrameTimestamp && verdict != .reordered {
      frameJitter.take(timeNs: packet.timeNs, timestamp: packet.timestamp, msPerTick: msPerTick)
      lastFrameTimestamp = packet.timestamp
    }
    if video == nil {
      video = VideoPlayout(rate: clockRate, first: packet, roundTripMs: path[sender].lastAnswerMs)
    }
    let behind = Int64(Int16(bitPattern: packet.sequence &- UInt16(truncatingIfNeeded: sequence.highest)))
    video?.take(packet, number: sequence.highest + behind)
  }
}
