import CallModel
import Packets

/// Emulates libwebrtc's NetEq for a stream: which audio arrived in time, what was concealed, how long it waited.
///
/// In steps of ten milliseconds: play what is due, restore it from in-band FEC, wait for what may still arrive, or
/// conceal; accelerate or decelerate towards the target delay (libwebrtc `decision_logic.cc`, `neteq_impl.cc`). Counts
/// are samples at the RTP clock.
public struct AudioPlayout {
  let rate: Double
  /// Samples in ten milliseconds.
  private let step: Int64
  var frames = PlayoutQueue()
  /// RTP time after the decoded audio, and decoded samples not played yet.
  var next: Int64 = 0
  var remaining: Int64 = 0
  var expanded: Int64 = 0
  var pending: Int64 = 0
  /// Whether silence follows the last decoded audio.
  var pausing = ComfortNoiseMark.SilenceHint.none
  var ownPauses = SenderPauses()
  public var sparse = SparseSound()
  var lengths: PacketDuration
  private var usualLengths = PacketDurationCache()
  /// The last decoded frame: its RTP time, and its waiting time.
  var (decodedAt, decodedDelayMs) = (Int64.min, 0.0)
  /// The playout position, and the same in ms since the first packet.
  var clockNs: Int64 { didSet { nowMs = Double(clockNs &- startNs) / 1e6 } }
  private var nowMs = 0.0
  var startNs: Int64
  var lastTimestamp: UInt32
  var numbers: SequenceUnwrapper
  var newest: Int64 = 0
  var filteredMs = 0.0
  var sinceStretch = AudioPlayout.stretchApart
  var history = ArrivalHistory()
  public var wanted = TargetDelay()
  public var fec = InBandFEC()
  private let mayHaveFEC: Bool
  var silence: PauseDetector
  var minTransitMs = Double.infinity
  private var steps = TimingSteps()
  /// The target delay before a step of the time of its packets; empty if there is none. Not within this value, which it
  /// would make twice as large.
  private var wantedBefore: [TargetDelay] = []

  /// Delay of the newest packet relative to the fastest, ms.
  public var newestLatenessMs = 0.0
  private(set) var total: Int64 = 0
  var concealed: Int64 = 0
  /// Samples concealed with silence: in a pause, or when concealment had faded.
  var silentConcealed: Int64 = 0
  private(set) var emitted: Int64 = 0
  private(set) var delaySumMs = 0.0
  private(set) var wantedSumMs = 0.0
  /// Energy of the played audio as counted by getStats, s; nil if no packet has a level.
  private(set) var energy: Double?
  /// Power of the audio being played.
  var power = 0.0
  var concealments = 0
  private(set) var inserted: Int64 = 0
  private(set) var removed: Int64 = 0
  private(set) var late = 0
  /// Packets with redundant blocks of earlier audio, and missing frames restored from them.
  public var redundant = 0
  public var restored = 0

  /// By how much one time-stretch lengthens or shortens audio, ms: a pitch period.
  private static let stretchMs = 5.3
  private static let shortenMs = 5.8
  /// Steps between stretches: at least five, and only every second attempt finds periodic audio.
  private static let stretchApart = 7
  /// Concealed and following audio are merged where they match best, which uses this much of the concealment, ms:
  /// measured.
  private static let joinMs = 1.0
  /// Beyond this multiple of the upper limit, audio is accelerated without a pause, by several periods.
  private static let hurryFactor = 4.0
  private static let hurryMs = 10.0
  /// Overshoot of a stretch, ms.
  private static let granularityMs = 20.0
  /// Decoded audio needed for a stretch, ms.
  private static let stretchNeedsMs = 30.0
  /// Concealment has faded to half after this long; then half the target delay is buffered before playout continues.
  private static let fadedMs = 90.0
  private static let gathered = 0.5
  /// Beyond the target delay plus this, buffered audio is not delayed any longer, ms.
  private static let patienceMs = 50.0
  /// After this long without a packet, playout stops.
  private static let deadMs = Double(Limit.playoutWait.value) * 1000

  public init(rate: Int, format: PayloadFormat?, first packet: RTPPacket, mayHaveFEC: Bool) {
    silence = PauseDetector(format, clockRate: rate, type: packet.payloadType)
    lengths = PacketDuration(format, clockRate: rate)
    self.rate = Double(rate)
    step = Int64(rate / 100)
    clockNs = packet.timeNs
    startNs = packet.timeNs
    lastTimestamp = packet.timestamp
    numbers = SequenceUnwrapper(before: packet.sequence)
    self.mayHaveFEC = mayHaveFEC
  }

  /// Typical duration of its packets, ms.
  public var packetLengthMs: Double { ms(lengths.usual) }
  /// RTP time of the newest packet, from the first on.
  public var newestMedia: Int64 { newest }
  /// Size of the last packet, bytes.
  public var lastSize: Int { lengths.lastSize }
  /// The longest pause in which the sender simply stopped sending, ms; nil unless it does so repeatedly.
  public var ownPauseMs: Double? { ownPauses.usualLongest.map(ms) }

  /// Buffered audio, smoothed, ms.
  public var levelMs: Double { filteredMs + ms(remaining) }

  /// Adds a media or comfort noise packet in order of arrival, excluding padding and duplicates.
  public mutating func take(_ packet: RTPPacket, level: UInt8?, isNoise: Bool = false) {
    advance(to: packet.timeNs)
    let jump = Int64(Int32(bitPattern: packet.timestamp &- lastTimestamp))
    let at = newest + jump
    let (missed, follows) = numbers.take(packet.sequence, jump: jump, length: lengths.last)
    // Time advanced and sequence numbers did not: the sender had nothing to send.
    let rested = jump > (missed + 1) * lengths.last + lengths.last / 2
    let skips = follows && rested
    let silentFor = skips ? jump - lengths.last : nil
    let step = follows && jump > 0 ? jump : nil
    let sign = silence.take(packet.payloadLength, isNoise: isNoise, rested: rested)
    let restMs = rested ? ms(jump - (missed + 1) * lengths.last) : nil
    let own = lengths.take(size: packet.payloadLength, after: step, pauses: sign != .none)
    if jump > 0 {
      if follows, sign == .none, !isPausing { sparse.noteStill(before: packet, jumpMs: ms(jump)) }
      sparse.take(
        packet, restMs: restMs, lengthMs: ms(lengths.last), isFromSize: own != nil, isSound: sign == .none,
        isRepeated: silence.isRepeated)
    }
    if jump > 0 {
      newest = at
      lastTimestamp = packet.timestamp
    }
    let redundant =
      mayHaveFEC && fec.isPossible && fec.isCarried(packet, level: level, lengthMs: waitingMs(1))
    if redundant { fec.received += 1 }
    // NetEq measures arrivals in its own steps, and counts a packet that restores the previous one as that one.
    let atMs = ms(at)
    let earliestMs = redundant ? ms(at - lengths.usual) : atMs
    let transit = Double(packet.timeNs &- startNs) / 1e6 - atMs
    if follows || missed > 0, let sign = steps.take(atMs: nowMs, transitMs: transit) {
      takeStep(sign, transitMs: transit)
    }
    if let arrival = history.take(mediaMs: earliestMs, arrivalMs: nowMs) {
      wanted.take(delayMs: arrival.delayMs, overtaken: arrival.overtaken, atMs: nowMs)
    }
    minTransitMs = min(minTransitMs, transit)
    newestLatenessMs = transit - minTransitMs
    if level != nil, energy == nil { energy = 0 }
    if let step, at < next, at - step == decodedAt { endDecoded(at: at) }
    guard at >= next else {
      late += 1
      return
    }
    settlePending(silentFor, missed, rested)
    insert(
      .init(
        at: at, arrivedMs: nowMs, power: level.map(AudioLevelGuess.power) ?? power, length: own,
        step: skips ? nil : step, redundant: redundant, skips: skips,
        rested: rested, sign: sign))
  }

  private mutating func takeStep(_ sign: TimingSteps.Sign, transitMs: Double) {
    switch sign {
    case .begins: wantedBefore = [wanted]
    case .caughtUp: wantedBefore = []
    case .settled:
      guard var before = wantedBefore.popLast() else { return }
      before.minMs = wanted.minMs
      (wanted, history, minTransitMs) = (before, ArrivalHistory(), transitMs)
    }
  }

  /// Adds the earlier audio in a redundant packet, before its primary audio: missing frames are filled in.
  public mutating func takeRedundant(_ packet: RTPPacket) {
    advance(to: packet.timeNs)
    redundant += 1
    let own = newest + Int64(Int32(bitPattern: packet.timestamp &- lastTimestamp))
    for i in (0..<packet.blocks.count).reversed() {
      let at = own - packet.blocks.offset(i)
      if at < next || frames.has(at) { continue }
      restored += 1
      insert(.init(at: at, arrivedMs: nowMs, power: power))
    }
  }

  /// Plays up to a time.
  public mutating func advance(to timeNs: Int64) {
    // Whatever the capture's clock, at most the longest silence is played.
    let latest = clockNs &+ Int64(Self.deadMs * 1e6)
    if timeNs > latest {
      if frames.isEmpty { clockNs = timeNs } else { clockNs = timeNs &- Int64(Self.deadMs * 1e6) }
    }
    while clockNs <= timeNs {
      play()
      clockNs += 10_000_000
    }
  }

  var isPausing: Bool { pausing != .none }
  func ms(_ samples: Int64) -> Double { Double(samples) / rate * 1000 }
  func samples(_ ms: Double) -> Int64 { Int64(ms * rate / 1000) }

  private mutating func insert(_ frame: PlayoutQueue.Frame) {
    // NetEq flushes an overfull buffer and continues with the newest packet.
    if frames.insert(frame) { next = frames.last.at }
  }

  private mutating func play() {
    total += step
    sinceStretch += 1
    let target = wanted.ms
    if expanded == 0 { filterLevel(target) }
    switch decide(target) {
    case .wait where remaining < step:
      if ms(expanded) < Self.fadedMs { energy? += power * 0.01 }
      return makeUp(step)
    case .wait: break
    case .play: if remaining < step { resume() }
    case .lengthen:
      decodeToStretch()
      stretch(by: Self.stretchMs)
    case .shorten:
      let enough = remaining >= 2 * step
      decodeToStretch()
      if enough { stretch(by: sinceStretch < Self.stretchApart ? -Self.hurryMs : -Self.shortenMs) }
    }
    expanded = 0
    remaining -= step
    energy? += power * 0.01
    guard remaining < 0 else { return }
    let lacking = -remaining
    remaining = 0
    makeUp(lacking)
  }

  /// Decodes the next frame, also after concealment.
  private mutating func resume() {
    decode()
    let joined = samples(Self.joinMs)
    if expanded > 0, !isPausing, concealed >= joined, remaining > joined {
      remaining -= joined
      concealed -= joined
    }
    decodeMore(upTo: step)
  }

  /// Decodes what a stretch needs; if little is left, at least 20 ms more.
  private mutating func decodeToStretch() {
    guard remaining < samples(Self.stretchNeedsMs) else { return }
    let enough = remaining < 2 * step ? remaining + 2 * step : 0
    decode()
    decodeMore(upTo: enough)
  }

  /// Decodes consecutive frames until this much is available: packets may be shorter than a step.
  private mutating func decodeMore(upTo enough: Int64) {
    while remaining < enough, !frames.isEmpty, firstAvailable <= next { decode() }
  }

  /// Duration of this many samples, ms.
  @inline(__always)
  private mutating func waitingMs(_ count: Int) -> Double {
    usualLengths.ms(count, of: lengths.usual, rate: rate)
  }

  @inline(__always)
  private mutating func filterLevel(_ target: Double) {
    let factor = target <= 20 ? 251.0 : target <= 60 ? 252.0 : target <= 140 ? 253.0 : 254.0
    filteredMs += (waitingMs(frames.count) - filteredMs) * (256 - factor) / 256
  }

  @inline(__always)
  private mutating func decide(_ target: Double) -> PlayoutStep {
    guard !frames.isEmpty else { return .wait }
    if expanded > 0, ms(expanded) > Self.fadedMs, spanMs < Self.gathered * target, !isPausing { return .wait }
    let available = firstAvailable
    if available > next {
      let isEarly = available - next > expanded
      return isEarly && spanMs <= target + Self.patienceMs ? .wait : .play
    }
    guard expanded == 0 else { return .play }
    let delay = history.delayMs(of: ms(next - remaining), atMs: nowMs)
    let high = target + history.greatestMs + Self.granularityMs
    if delay >= Self.hurryFactor * high { return .shorten }
    guard sinceStretch >= Self.stretchApart else { return .play }
    return delay >= high ? .shorten : delay < target ? .lengthen : .play
  }

  /// How long the first buffered frame is overdue, if the last one was on time at its arrival, ms.
  private var spanMs: Double { ms(frames.last.at - frames.first.at) + nowMs - frames.last.arrivedMs }

  /// RTP time of the first frame that is buffered or can be restored.
  private var firstAvailable: Int64 {
    let frame = frames.first
    return frame.redundant && !frame.skips && frame.at - lengths.usual >= next
      ? frame.at - lengths.usual : frame.at
  }

  /// Decodes the first buffered frame, or restores the one before it.
  private mutating func decode() {
    guard !frames.isEmpty else { return }
    let available = firstAvailable
    let isRestored = available < frames.first.at
    decodedAt = isRestored ? .min : available
    decodedDelayMs = max(0, nowMs - frames.first.arrivedMs)
    next = available
    addDecoded(isRestored ? lengths.usual : frames.firstLength ?? lengths.usual)
    if isRestored {
      fec.used += 1
      pausing = .none
    } else {
      let frame = frames.pop()
      // A frame directly followed by audio was audio itself.
      pausing = frame.sign == .likely && !frames.isEmpty && !frames.first.rested ? .none : frame.sign
      power = frame.power
    }
  }

  @inline(__always)
  private mutating func addDecoded(_ samples: Int64) {
    emitted += samples
    delaySumMs += Double(samples) * decodedDelayMs
    wantedSumMs += Double(samples) * wanted.ms
    remaining += samples
    next += samples
  }

  /// The frame after the last decoded one shows that that was shorter than assumed.
  private mutating func endDecoded(at end: Int64) {
    addDecoded(end - next)
    guard remaining < 0 else { return }
    concealed -= remaining
    remaining = 0
  }

  private mutating func stretch(by ms: Double) {
    let change = samples(ms)
    remaining += change
    filteredMs = max(0, filteredMs + ms)
    sinceStretch = 0
    if change > 0 { inserted += change } else { removed -= change }
  }
}

/// What a sender sends instead of audio, pauses, and restarts.
extension AudioPlayout {
  /// Adds a telephone event, sent instead of audio.
  public mutating func takeKey(_ packet: RTPPacket) {
    advance(to: packet.timeNs)
    numbers.pass(packet.sequence)
    pausing = .certain
  }

  /// Adds a packet without audio, a keep-alive (RFC 6263) or bandwidth probe: its number is not missing.
  public mutating func skip(_ packet: RTPPacket) { numbers.skip(packet.sequence) }

  /// Plays up to a time, and skips to another, if nothing was to be sent in between.
  public mutating func rest(from timeNs: Int64, until end: Int64) {
    advance(to: timeNs)
    guard end > clockNs else { return }
    frames.clear()
    (remaining, expanded, pending) = (0, 0, 0)
    clockNs = end
  }

  /// The sender restarted: buffered audio is discarded.
  public mutating func restart(_ packet: RTPPacket) {
    advance(to: packet.timeNs)
    frames.clear()
    remaining = 0
    lastTimestamp = packet.timestamp
    newest = next
    history = ArrivalHistory()
    (steps, wantedBefore) = (TimingSteps(), [])
    minTransitMs = .infinity
  }
}

/// The action of a playout in ten milliseconds.
enum PlayoutStep {
  case play
  case wait
  case lengthen
  case shorten
}
