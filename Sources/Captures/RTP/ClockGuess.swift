/// The RTP clock from how timestamps advance with time, for payload types that nothing describes.
struct ClockGuess {
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
