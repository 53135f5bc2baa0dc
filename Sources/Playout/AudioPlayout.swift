import Packets

/// Plays a stream as libwebrtc's NetEq would: which audio was there in time, what had to be made up, how long it waited.
///
/// Ten milliseconds at a time: play what is due, restore it from in-band redundancy, wait for what may still come, or
/// conceal; stretch or shorten towards the wanted delay (libwebrtc `decision_logic.cc`, `neteq_impl.cc`). Counts are
/// samples at the RTP clock.
public struct AudioPlayout {
  let rate: Double
  /// Samples of ten milliseconds.
  private let step: Int64
  var frames = PlayoutQueue()
  /// RTP time that follows what was decoded, and decoded samples not played yet.
  var next: Int64 = 0
  var remaining: Int64 = 0
  var expanded: Int64 = 0
  var pending: Int64 = 0
  /// Whether silence follows what was decoded last.
  var pausing = ComfortNoiseMark.SilenceHint.none
  var ownPauses = SenderPauses()
  public var sparse = SparseSound()
  var lengths: PacketDuration
  private var usualLengths = PacketDurationCache()
  /// The frame decoded last: its RTP time, and how long it had waited.
  var (decodedAt, decodedDelayMs) = (Int64.min, 0.0)
  /// How far it has played, and the same in ms since the first packet.
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

  /// How late the newest packet was against the fastest, ms.
  public var newestLatenessMs = 0.0
  private(set) var total: Int64 = 0
  var concealed: Int64 = 0
  /// What was made up as silence: in a pause, or when made-up sound had faded.
  var silentConcealed: Int64 = 0
  private(set) var emitted: Int64 = 0
  private(set) var delaySumMs = 0.0
  private(set) var wantedSumMs = 0.0
  /// Energy of what was played as getStats counts it, s; nil where no packet tells its level.
  private(set) var energy: Double?
  /// Power of what is being played.
  var power = 0.0
  var concealments = 0
  private(set) var inserted: Int64 = 0
  private(set) var removed: Int64 = 0
  private(set) var late = 0
  /// Packets that carried earlier sound in blocks of their own, and frames that were missing and restored from them.
  public var redundant = 0
  public var restored = 0

  /// By how much one stretch lengthens or shortens sound, ms: a period of a voice.
  private static let stretchMs = 5.3
  private static let shortenMs = 5.8
  /// Steps from one stretch to the next: five must pass, and only every second attempt meets sound that repeats itself.
  private static let stretchApart = 7
  /// Made-up sound and what follows it are joined where they match best, which takes so much of the made-up, ms: measured.
  private static let joinMs = 1.0
  /// Beyond this many times the upper limit sound is shortened without a pause, by several periods.
  private static let hurryFactor = 4.0
  private static let hurryMs = 10.0
  /// What a stretch overshoots, ms.
  private static let granularityMs = 20.0
  /// Decoded sound that a stretch needs, ms.
  private static let stretchNeedsMs = 30.0
  /// Made-up sound has faded to half after so long; then half of the wanted delay is gathered before sound goes on.
  private static let fadedMs = 90.0
  private static let gathered = 0.5
  /// What waits beyond the wanted delay is not waited for any longer, ms.
  private static let patienceMs = 50.0
  /// After so long without a packet nothing is played any more.
  private static let deadMs = 30_000.0

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

  /// The longest pause that the sender made by just stopping, ms; nil where it does not do so time and again.
  /// How much sound its packets hold as a rule, ms.
  public var packetLengthMs: Double { ms(lengths.usual) }
  public var ownPauseMs: Double? { ownPauses.usualLongest.map(ms) }

  /// What waits to be played, smoothed, ms.
  public var levelMs: Double { filteredMs + ms(remaining) }

  /// Takes a packet of the medium or of comfort noise in order of arrival, padding and repeats left out.
  public mutating func take(_ packet: RTPPacket, level: UInt8?, isNoise: Bool = false) {
    advance(to: packet.timeNs)
    let jump = Int64(Int32(bitPattern: packet.timestamp &- lastTimestamp))
    let at = newest + jump
    let (missed, follows) = numbers.take(packet.sequence, jump: jump, length: lengths.last)
    // Time went on and numbers did not: the sender had nothing to say.
    let rested = jump > (missed + 1) * lengths.last + lengths.last / 2
    let skips = follows && rested
    let silentFor = skips ? jump - lengths.last : nil
    let step = follows && jump > 0 ? jump : nil
    let sign = silence.take(packet.payloadLength, isNoise: isNoise, rested: rested)
    let restMs = rested ? ms(jump - (missed + 1) * lengths.last) : nil
    let own = lengths.take(size: packet.payloadLength, after: step, pauses: sign != .none)
    if jump > 0 {
      sparse.take(
        packet, restMs: restMs, lengthMs: ms(lengths.last), isTold: own != nil, isSound: sign == .none,
        isRepeated: silence.isRepeated)
    }
    if jump > 0 {
      newest = at
      lastTimestamp = packet.timestamp
    }
    let redundant =
      mayHaveFEC && fec.isPossible && fec.isCarried(packet, level: level, lengthMs: waitingMs(1))
    if redundant { fec.received += 1 }
    // NetEq counts arrivals in its own steps, and a packet that restores the one before as that one.
    let atMs = ms(at)
    let earliestMs = redundant ? ms(at - lengths.usual) : atMs
    if let arrival = history.take(mediaMs: earliestMs, arrivalMs: nowMs) {
      wanted.take(delayMs: arrival.delayMs, overtaken: arrival.overtaken, atMs: nowMs)
    }
    let transit = Double(packet.timeNs &- startNs) / 1e6 - atMs
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

  /// Takes the earlier sound that a packet of redundant audio carries, before that itself: what is missing of it takes its place.
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

  /// Plays up to a moment.
  public mutating func advance(to timeNs: Int64) {
    // Whatever the capture says of its time, no more than the longest silence is played through.
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
    // NetEq flushes an overfull buffer and goes on with the newest.
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

  /// Decodes what comes next, after what had to be made up as well.
  private mutating func resume() {
    decode()
    let joined = samples(Self.joinMs)
    if expanded > 0, !isPausing, concealed >= joined, remaining > joined {
      remaining -= joined
      concealed -= joined
    }
    decodeMore(upTo: step)
  }

  /// Decodes what a stretch needs; where little is left, 20 ms more at least.
  private mutating func decodeToStretch() {
    guard remaining < samples(Self.stretchNeedsMs) else { return }
    let enough = remaining < 2 * step ? remaining + 2 * step : 0
    decode()
    decodeMore(upTo: enough)
  }

  /// Decodes what follows at once, until so much is there: packets may be shorter than a step.
  private mutating func decodeMore(upTo enough: Int64) {
    while remaining < enough, !frames.isEmpty, firstAvailable <= next { decode() }
  }

  /// How long so many frames are, ms.
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

  /// From when the first frame that waits was due to now, if the last was when it came, ms.
  private var spanMs: Double { ms(frames.last.at - frames.first.at) + nowMs - frames.last.arrivedMs }

  /// RTP time of the first frame that waits, or that can be restored.
  private var firstAvailable: Int64 {
    let frame = frames.first
    return frame.redundant && !frame.skips && frame.at - lengths.usual >= next
      ? frame.at - lengths.usual : frame.at
  }

  /// Decodes what waits first, or restores what lies before it.
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
      // What sound follows at once was sound itself.
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

  /// What follows the frame decoded last shows that this was shorter than it was taken for.
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

/// What a sender does in place of sound, or rests instead, and after which it begins anew.
extension AudioPlayout {
  /// Takes a key press, which is sent in place of sound.
  public mutating func takeKey(_ packet: RTPPacket) {
    advance(to: packet.timeNs)
    numbers.pass(packet.sequence)
    pausing = .certain
  }

  /// Takes a packet without sound, which keeps a way open (RFC 6263) or tries its width: its number is not missing.
  public mutating func skip(_ packet: RTPPacket) { numbers.skip(packet.sequence) }

  /// Plays up to a moment and not from there to another, when nothing was to be sent.
  public mutating func rest(from timeNs: Int64, until end: Int64) {
    advance(to: timeNs)
    guard end > clockNs else { return }
    frames.clear()
    (remaining, expanded, pending) = (0, 0, 0)
    clockNs = end
  }

  /// A sender that began anew: what waits is thrown away.
  public mutating func restart(_ packet: RTPPacket) {
    advance(to: packet.timeNs)
    frames.clear()
    remaining = 0
    lastTimestamp = packet.timestamp
    newest = next
    history = ArrivalHistory()
    minTransitMs = .infinity
  }
}
