/// Plays a stream as libwebrtc's NetEq would: which audio was there in time, what had to be made up, how long it waited.
///
/// Ten milliseconds at a time: play what is due, restore it from in-band redundancy, wait for what may still come, or
/// conceal; stretch or shorten towards the wanted delay (libwebrtc `decision_logic.cc`). Counts are samples at the RTP clock.
struct AudioPlayout {
  private struct Frame {
    /// RTP time since the first packet, unwrapped.
    var at: Int64
    /// Whether it carries the frame before it.
    var redundant: Bool
    /// Whether time went on before it but numbers did not: silence, not loss.
    var skips: Bool
    /// Whether it is so short that it only says "silence follows".
    var pauses: Bool
  }

  private let rate: Double
  /// Samples of ten milliseconds.
  private let step: Int64
  private var frames: [Frame] = []
  private var head = 0
  private var next: Int64 = 0
  private var remaining: Int64 = 0
  private var expanded: Int64 = 0
  private var pending: Int64 = 0
  private var isPausing = false
  private var suppresses = false
  private var frameLength: Int64
  private var clockNs: Int64
  private let startNs: Int64
  private var lastTimestamp: UInt32
  private var lastSequence: UInt16 = 0
  private var newest: Int64 = 0
  private var filteredMs = 0.0
  private var sinceStretch = 0
  /// Steps in a row for which the level has been above (negative) or below (positive) its limits.
  private var beyond = 0
  private var delay = ArrivalDelay()
  var fec = InBandFEC()
  private let mayHaveFEC: Bool
  /// Delay wanted so that sound does not run ahead of the picture, ms.
  var syncMs = 0.0

  /// How late sound is played against the fastest packet so far, ms.
  private(set) var latenessMs = 0.0
  private var leastTransitMs = Double.infinity

  private(set) var total: Int64 = 0
  private(set) var concealed: Int64 = 0
  private(set) var emitted: Int64 = 0
  private(set) var delaySumMs = 0.0
  private(set) var inserted: Int64 = 0
  private(set) var removed: Int64 = 0
  private(set) var late = 0

  /// Frames that wait at most; NetEq throws its buffer away beyond 200.
  private static let mostFrames = 200
  /// Samples by which one stretch lengthens or shortens sound, ms (a pitch period or so).
  private static let shortenMs = 6.0
  private static let lengthenMs = 4.0
  /// Stretches are at least so many steps apart.
  private static let stretchApart = 5
  /// Steps for which the level must be beyond its limits: sound does not always allow a stretch.
  private static let stretchPatience = 60
  /// Opus sends at least every 400 ms during silence; what lasts longer without a packet is concealed.
  private static let longestPauseMs = 450.0
  /// After so long without a packet nothing is played any more.
  private static let deadMs = 30_000.0

  init(rate: Int, first packet: RTPPacket, mayHaveFEC: Bool) {
    self.rate = Double(rate)
    step = Int64(rate / 100)
    frameLength = Int64(rate / 50)  // 20 ms until packets say otherwise
    clockNs = packet.timeNs
    startNs = packet.timeNs
    lastTimestamp = packet.timestamp
    lastSequence = packet.sequence &- 1
    self.mayHaveFEC = mayHaveFEC
  }

  /// Takes a packet of the medium in order of arrival, padding and repeats left out.
  mutating func take(_ packet: RTPPacket, level: UInt8?) {
    advance(to: packet.timeNs)
    let jump = Int64(Int32(bitPattern: packet.timestamp &- lastTimestamp))
    let at = newest + jump
    let follows = packet.sequence == lastSequence &+ 1
    // Time went on and numbers did not: the sender had nothing to say.
    let skips = follows && jump > frameLength + frameLength / 2
    if follows && jump > 0 && jump <= Int64(rate * 0.12) && at > newest { frameLength = jump }
    if jump > 0 {
      newest = at
      lastTimestamp = packet.timestamp
    }
    if Int16(bitPattern: packet.sequence &- lastSequence) > 0 { lastSequence = packet.sequence }
    let redundant = mayHaveFEC && fec.isCarried(level: level)
    if redundant { fec.received += 1 }
    let frameMs = Double(frameLength) / rate * 1000
    let arrivalMs = Double(packet.timeNs &- startNs) / 1e6
    let mediaMs = Double(at) / rate * 1000
    delay.take(arrivalMs: arrivalMs, mediaMs: mediaMs, extra: redundant ? frameMs : 0)
    leastTransitMs = min(leastTransitMs, arrivalMs - mediaMs)
    guard at >= next else {
      late += 1
      return
    }
    settlePending(skips)
    insert(
      Frame(at: at, redundant: redundant, skips: skips, pauses: packet.payloadLength <= 20))
  }

  /// A sender that began anew: what waits is thrown away.
  mutating func restart(_ packet: RTPPacket) {
    advance(to: packet.timeNs)
    frames = []
    head = 0
    remaining = 0
    lastTimestamp = packet.timestamp
    newest = next
    delay.rebase()
  }

  /// Plays up to a moment.
  mutating func advance(to timeNs: Int64) {
    // Whatever the capture says of its time, no more than the longest silence is played through.
    let latest = clockNs &+ Int64(Self.deadMs * 1e6)
    if timeNs > latest {
      if head == frames.count { clockNs = timeNs } else { clockNs = timeNs &- Int64(Self.deadMs * 1e6) }
    }
    while clockNs <= timeNs {
      play()
      clockNs += 10_000_000
    }
  }

  private mutating func insert(_ frame: Frame) {
    var i = frames.count
    while i > head && frames[i - 1].at > frame.at { i -= 1 }
    frames.insert(frame, at: i)
    if frames.count - head > Self.mostFrames {
      // NetEq flushes an overfull buffer and goes on with the newest.
      next = frames[frames.count - 1].at
      frames.removeFirst(frames.count - 1)
      head = 0
    }
  }

  private mutating func pop() -> Frame {
    let frame = frames[head]
    head += 1
    if head == frames.count {
      frames.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 64 {
      frames.removeFirst(head)
      head = 0
    }
    return frame
  }

  private mutating func play() {
    total += step
    let levelMs =
      (Double(frames.count - head) * Double(frameLength) + Double(remaining)) / rate * 1000
    let target = max(delay.targetMs, syncMs)
    let factor = target <= 20 ? 251.0 : target <= 60 ? 252.0 : target <= 140 ? 253.0 : 254.0
    filteredMs += (levelMs - filteredMs) * (256 - factor) / 256
    sinceStretch += 1
    if remaining >= step {
      remaining -= step
    } else if !fetch(levelMs, target) {
      wait()
      return
    }
    latenessMs = Double(clockNs &- startNs) / 1e6 - Double(next - remaining) / rate * 1000 - leastTransitMs
    emitted += step
    delaySumMs += Double(step) * levelMs
    if sinceStretch >= Self.stretchApart { stretch(target) }
  }

  /// Gets what is due, or what may be played in its place; false where there is nothing.
  private mutating func fetch(_ levelMs: Double, _ target: Double) -> Bool {
    guard head < frames.count else { return false }
    let frame = frames[head]
    if frame.at > next {
      let silent = frame.skips
      let available = frame.redundant && !silent ? frame.at - frameLength : frame.at
      let leap = available - next
      // Wait until as much was made up as is missing, unless enough waits to go on at once.
      guard
        silent || leap <= 0 || expanded >= leap || leap >= Int64(rate)
          || levelMs >= target && expanded >= step
      else { return false }
      if available < frame.at {
        fec.used += 1
        next = frame.at
        remaining += frameLength - step
        expanded = 0
        isPausing = false
        return true
      }
    }
    let played = pop()
    next = played.at + frameLength
    remaining += frameLength - step
    expanded = 0
    isPausing = played.pauses
    return true
  }

  /// Nothing to play: comfort noise where the sender pauses, else made-up sound.
  private mutating func wait() {
    expanded += step
    if (isPausing || suppresses) && Double(pending) < Self.longestPauseMs / 1000 * rate {
      pending += step
      return
    }
    concealed += step + pending
    pending = 0
  }

  /// A packet came: what was played meanwhile was silence if its number follows on, else it stood for something lost.
  private mutating func settlePending(_ wasSilence: Bool) {
    if wasSilence && expanded > 4 * step { suppresses = true }
    if !wasSilence && !isPausing { concealed += pending }
    pending = 0
  }

  private mutating func stretch(_ target: Double) {
    let low = max(target * 0.75, target - 85)
    let high = max(target, low + 20)
    var ms = 0.0
    if filteredMs >= 4 * high {
      ms = -10
    } else if filteredMs >= high {
      ms = -Self.shortenMs
    } else if filteredMs < low {
      ms = Self.lengthenMs
    }
    let samples = Int64(ms * rate / 1000)
    beyond = ms == 0 || (ms < 0) != (beyond < 0) ? (ms < 0 ? -1 : 1) : beyond + (ms < 0 ? -1 : 1)
    if ms == 0 { beyond = 0 }
    guard samples != 0, abs(beyond) > Self.stretchPatience, remaining + samples >= 0 else { return }
    remaining += samples
    filteredMs += ms
    sinceStretch = 0
    if samples > 0 { inserted += samples } else { removed -= samples }
  }
}
