import Packets

/// Finds the clock of a stream that nothing describes, and keeps its packets meanwhile.
struct RTPClockSearch {
  private var guess = RTPClockEstimate()
  private var waiting: [RTPPacket] = []
  /// Whether the clock is still looked for.
  private(set) var isOpen = true

  /// Packets and time looked at.
  private static let most = 256
  private static let longestMs = 2000.0
  private static let shortMs = 350.0
  /// Clocks of the codecs that browsers and their kin use.
  private static let webRTC = [8000, 16_000, 48_000, 90_000]
  /// None of them but Opus has packets so long, ms.
  private static let veryLongMs = 120.0
  private var isWebRTC = false

  /// Takes a packet; answers whether it is time to decide.
  ///
  /// On a flow with ICE or DTLS few clocks come in question, and a fraction of a second tells them apart.
  mutating func take(_ packet: RTPPacket, _ verdict: SequenceState.Verdict, isWebRTC: Bool) -> Bool {
    if case .advanced = verdict { guess.take(timeNs: packet.timeNs, timestamp: packet.timestamp) }
    waiting.append(packet)
    self.isWebRTC = isWebRTC
    if isWebRTC && guess.spanMs >= Self.shortMs && guess.packets >= 10 { return true }
    return guess.spanMs >= Self.longestMs && guess.packets >= 10 || waiting.count >= Self.most
  }

  /// The clock, `.some(nil)` where there is none to be found, nil where it takes more packets.
  func decide(final: Bool) -> Int?? {
    let patient = !final && waiting.count < Self.most
    // Several packets of one timestamp are a video frame, and video runs at 90 kHz (RFC 3551 and all that followed).
    if guess.packets >= 10 && guess.repeated * 4 > guess.packets { return .some(90_000) }
    if isWebRTC, let usual = guess.usualClock {
      if guess.allows(usual) { return .some(usual) }
      // What came so far may have stood still on its way; more of it tells.
      if patient, guess.spanMs < Self.longestMs || guess.isCatchingUp(at: usual) { return nil }
    }
    if isWebRTC {
      let likely = Self.webRTC.filter { guess.stepMs(at: $0) < Self.veryLongMs }
      if let clock = guess.clock(tolerance: 0.35, among: likely) { return .some(clock) }
      // What is still behind its usual clock is held up for seconds: nothing else has packets like that.
      if let usual = guess.usualClock, let slope = guess.slope, slope > 0, slope < Double(usual) {
        return .some(usual)
      }
    }
    if let clock = guess.clock(tolerance: patient ? 0.1 : 0.3) { return .some(clock) }
    return patient ? nil : .some(nil)
  }

  /// Ends the search; the packets kept so far.
  mutating func close() -> [RTPPacket] {
    isOpen = false
    let packets = waiting
    waiting = []
    return packets
  }
}

/// The RTP clock from how timestamps advance with time, for payload types that nothing describes.
struct RTPClockEstimate {
  /// Clocks met in practice, Hz.
  static let candidates = [8000, 16_000, 24_000, 32_000, 44_100, 48_000, 90_000]

  /// Sums of the least squares of timestamp on arrival.
  private var n = 0.0
  private var sumT = 0.0
  private var sumS = 0.0
  private var sumTT = 0.0
  private var sumTS = 0.0
  private var firstNs: Int64 = 0
  private var last: UInt32 = 0
  private var advanced = 0.0
  private(set) var packets = 0
  private(set) var spanMs = 0.0
  /// Time between the last two packets, ms.
  private var lastGapMs = 0.0
  /// The least advance between two packets, ticks: the length of an audio packet.
  private(set) var leastStep = Int32.max
  /// Timestamps met more than once in a row, as packets of one video frame have them.
  private(set) var repeated = 0
  /// Steps ahead, and those that are no multiple of 10 ms at 48, 16 and 8 kHz.
  private var steps = 0
  private var uneven = (at48: 0, at16: 0, at8: 0)

  /// Takes a packet in order.
  mutating func take(timeNs: Int64, timestamp: UInt32) {
    let step = Int32(bitPattern: timestamp &- last)
    if packets == 0 { firstNs = timeNs } else { advanced += Double(step) }
    if packets > 0 && step > 0 {
      leastStep = min(leastStep, step)
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
  }

  /// Ticks a second by the slope; nil where the times of the capture cannot carry it.
  var slope: Double? {
    let d = n * sumTT - sumT * sumT
    // Packets written within a few milliseconds of each other have no timing.
    guard packets >= 3, spanMs >= 15, d > 0 else { return nil }
    return 1000 * (n * sumTS - sumT * sumS) / d
  }

  /// The clock nearest to the slope within a relative tolerance.
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

  /// The clock at which packets of browsers have their usual length.
  ///
  /// Packets of sound are all so long, or multiples of it where some are lost or silence is not sent; a camera's pictures may
  /// be 2880 ticks apart once, and 3060 or 6030 the next time.
  var usualClock: Int? {
    let usual: (clock: Int, uneven: Int)? =
      switch leastStep {
      case 160, 80: (8000, uneven.at8)
      case 320: (16_000, uneven.at16)
      case 480: (48_000, uneven.at48)
      // Lost packets leave multiples of an Opus packet; other long steps are those of pictures.
      case 960...: leastStep < .max && leastStep % 960 == 0 ? (48_000, uneven.at48) : nil
      default: nil
      }
    if let usual, usual.uneven * 5 <= steps { return usual.clock }
    return leastStep >= 1500 && leastStep < .max ? 90_000 : nil
  }

  /// Whether the slope does not contradict a clock: a path that is congested from the start slows it, but not the length of
  /// packets.
  func allows(_ clock: Int) -> Bool {
    slope.map { $0 > 0.25 * Double(clock) && $0 < 4 * Double(clock) } ?? false
  }

  /// Whether packets come faster than they were sent, if that is their clock: a stall held them up, and the slope will rise.
  func isCatchingUp(at clock: Int) -> Bool {
    lastGapMs < 0.5 * stepMs(at: clock)
  }

  /// How long the least advance lasts at a clock, ms.
  func stepMs(at clock: Int) -> Double { 1000 * Double(leastStep) / Double(clock) }
}
