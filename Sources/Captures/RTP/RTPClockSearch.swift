import Packets

/// Finds the clock rate of a stream without a description, and keeps its packets in the meantime.
struct RTPClockSearch {
  private var guess = RTPClockEstimate()
  private var waiting: [RTPPacket] = []
  /// Whether the search is still in progress.
  private(set) var isOpen = true

  /// The maximum number of packets examined, and the maximum time.
  private static let most = 256
  private static let longestMs = 2000.0
  private static let shortMs = 350.0
  /// The clock rates of the codecs that WebRTC endpoints use, Hz.
  private static let webRTC = [8000, 16_000, 48_000, 90_000]
  /// Of these codecs, only Opus has packets this long, ms.
  private static let veryLongMs = 120.0
  private var isWebRTC = false

  /// Takes a packet; returns whether it is time to decide.
  ///
  /// On a flow with ICE or DTLS, only a few clock rates are possible, and a fraction of a second is enough to
  /// distinguish them.
  mutating func take(_ packet: RTPPacket, _ verdict: SequenceState.Verdict, isWebRTC: Bool) -> Bool {
    if case .advanced = verdict { guess.take(timeNs: packet.timeNs, timestamp: packet.timestamp) }
    waiting.append(packet)
    self.isWebRTC = isWebRTC
    if isWebRTC && guess.spanMs >= Self.shortMs && guess.packets >= 10 { return true }
    return guess.spanMs >= Self.longestMs && guess.packets >= 10 || waiting.count >= Self.most
  }

  /// The clock rate; `.some(nil)` if none can be found, nil if more packets are needed.
  func decide(final: Bool) -> Int?? {
    let patient = !final && waiting.count < Self.most
    // Several packets with the same timestamp are a video frame, and video uses 90 kHz (RFC 3551 and later
    // payload formats).
    if guess.packets >= 10 && guess.repeated * 4 > guess.packets { return .some(90_000) }
    if isWebRTC, let usual = guess.usualClock {
      // 480 ticks are 10 ms of Opus, and 30 ms at 16 kHz: packets that come evenly for long enough tell them apart.
      if guess.allows(usual), !guess.isSlow(for: usual) || !patient && !guess.isEven { return .some(usual) }
      if guess.allows(usual) {
        if patient, guess.spanMs < Self.longestMs { return nil }
        let other = guess.isEven ? guess.clock(tolerance: 0.05, among: Self.webRTC) : nil
        return .some(other ?? usual)
      }
      // The packets so far may have been delayed; more of them will show.
      if patient, guess.spanMs < Self.longestMs || guess.isCatchingUp(at: usual) { return nil }
    }
    if isWebRTC {
      let likely = Self.webRTC.filter { guess.stepMs(at: $0) < Self.veryLongMs }
      if let clock = guess.clock(tolerance: 0.35, among: likely) { return .some(clock) }
      // A stream still slower than its usual clock is delayed by seconds. No other codec has such packets.
      if let usual = guess.usualClock, let slope = guess.slope, slope > 0, slope < Double(usual) {
        return .some(usual)
      }
    }
    if let clock = guess.clock(tolerance: patient ? 0.1 : 0.3) { return .some(clock) }
    return patient ? nil : .some(nil)
  }

  /// Ends the search and returns the packets kept so far.
  mutating func close() -> [RTPPacket] {
    isOpen = false
    let packets = waiting
    waiting = []
    return packets
  }
}

/// Estimates the RTP clock rate from how timestamps advance with time, for payload types without a
/// description.
struct RTPClockEstimate {
  /// Clock rates used in practice, Hz.
  static let candidates = [8000, 16_000, 24_000, 32_000, 44_100, 48_000, 90_000]

  /// Sums for the least-squares fit of timestamp against arrival time.
  private var n = 0.0
  private var sumT = 0.0
  private var sumS = 0.0
  private var sumTT = 0.0
  private var sumTS = 0.0
  private var sumSS = 0.0
  private var firstNs: Int64 = 0
  private var last: UInt32 = 0
  private var advanced = 0.0
  private(set) var packets = 0
  private(set) var spanMs = 0.0
  /// The time between the last two packets, ms.
  private var lastGapMs = 0.0
  /// The smallest advance between two packets, ticks: the length of an audio packet.
  private(set) var minStep = Int32.max
  /// How many packets repeated the timestamp before them, as packets of one video frame do.
  private(set) var repeated = 0
  /// The number of forward steps, and of those that are not a multiple of 10 ms at 48, 16 and 8 kHz.
  private var steps = 0
  private var uneven = (at48: 0, at16: 0, at8: 0)

  /// Takes a packet that is in order.
  mutating func take(timeNs: Int64, timestamp: UInt32) {
    let step = Int32(bitPattern: timestamp &- last)
    if packets == 0 { firstNs = timeNs } else { advanced += Double(step) }
    if packets > 0 && step > 0 {
      minStep = min(minStep, step)
      steps += 1
      if step % 480 != 0 { uneven.at48 += 1 }
      if step % 160 != 0 { uneven.at16 += 1 }
      if step % 80 != 0 { uneven.at8 += 1 }
    }
    if packets > 0 && timestamp == last { repeated += 1 }
    last = timestamp
    packets += 1
    let beforeMs = spanMs
    spanMs = Double(timeNs &- firstNs) / 1e6
    lastGapMs = spanMs - beforeMs
    n += 1
    sumT += spanMs
    sumS += advanced
    sumTT += spanMs * spanMs
    sumTS += spanMs * advanced
    sumSS += advanced * advanced
  }

  /// The slope in ticks per second; nil if the times of the capture are not good enough.
  var slope: Double? {
    let d = n * sumTT - sumT * sumT
    // Packets written within a few milliseconds of each other carry no timing information.
    guard packets >= 3, spanMs >= 15, d > 0 else { return nil }
    return 1000 * (n * sumTS - sumT * sumS) / d
  }

  /// The clock rate of a whole stream: that of its assigned payload type, unless its timestamps count another usual one;
  /// without one, that of its timestamps.
  func clock(assigned: PayloadFormat?) -> Int? {
    let counted = spanMs >= Self.shortestMs ? clock(tolerance: 0.1) : nil
    guard let assigned else { return counted }
    let isOther = assigned.kind == .audio && spanMs >= ClockCheck.longMs && isEven
    return isOther
      ? ClockCheck.other(than: assigned.clockRate, in: self) ?? assigned.clockRate : assigned.clockRate
  }
  private static let shortestMs = 500.0

  /// The clock rate nearest to the slope, within a relative tolerance.
  func clock(tolerance: Double, among clocks: [Int] = candidates) -> Int? {
    guard let slope, slope > 0 else { return nil }
    var best: (Int, Double)?
    for candidate in clocks {
      let ratio = slope / Double(candidate)
      let error = max(ratio, 1 / ratio) - 1
      if error <= tolerance && error < best?.1 ?? .infinity { best = (candidate, error) }
    }
    return best?.0
  }

  /// The clock rate at which the packets have the usual length of WebRTC endpoints.
  ///
  /// Audio packets all have that length, or multiples of it if some are lost or silence is not sent. Video
  /// frames may be 2880 ticks apart once, and 3060 or 6030 the next time.
  var usualClock: Int? {
    let usual: (clock: Int, uneven: Int)? =
      switch minStep {
      case 160, 80: (8000, uneven.at8)
      case 320: (16_000, uneven.at16)
      case 480: (48_000, uneven.at48)
      // Lost packets leave multiples of an Opus packet; other long steps are those of video frames.
      case 960...: minStep < .max && minStep % 960 == 0 ? (48_000, uneven.at48) : nil
      default: nil
      }
    if let usual, usual.uneven * 5 <= steps { return usual.clock }
    return minStep >= 1500 && minStep < .max ? 90_000 : nil
  }

  /// Whether the slope is consistent with a clock rate. A path that is congested from the start reduces the
  /// slope, but not the length of packets.
  func allows(_ clock: Int) -> Bool {
    slope.map { $0 > 0.25 * Double(clock) && $0 < 4 * Double(clock) } ?? false
  }

  /// Whether packets take far longer to arrive than they last at a clock rate.
  func isSlow(for clock: Int) -> Bool { slope.map { $0 < 0.6 * Double(clock) } ?? false }

  /// Whether packets arrive at even intervals: on average a few milliseconds off the line fitted to them.
  var isEven: Bool {
    guard let slope, slope > 0 else { return false }
    let (t, s) = (sumT / n, sumS / n)
    let perMs = slope / 1000
    let square = sumSS / n - s * s - 2 * perMs * (sumTS / n - t * s) + perMs * perMs * (sumTT / n - t * t)
    return max(0, square).squareRoot() / perMs <= Self.evenMs
  }
  private static let evenMs = 10.0

  /// Whether packets arrive faster than they were sent at this clock rate, because a stall delayed them. The
  /// slope will then rise.
  func isCatchingUp(at clock: Int) -> Bool {
    lastGapMs < 0.5 * stepMs(at: clock)
  }

  /// The duration of the smallest advance at a clock rate, ms.
  func stepMs(at clock: Int) -> Double { 1000 * Double(minStep) / Double(clock) }
}
