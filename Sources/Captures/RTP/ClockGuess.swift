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
  /// Timestamps met more than once in a row, as packets of one video frame have them.
  private(set) var repeated = 0

  /// Takes a packet in order.
  mutating func take(timeNs: Int64, timestamp: UInt32) {
    if packets == 0 { firstNs = timeNs } else { advanced += Double(Int32(bitPattern: timestamp &- last)) }
    if packets > 0 && timestamp == last { repeated += 1 }
    last = timestamp
    packets += 1
    spanMs = Double(timeNs &- firstNs) / 1e6
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
}
