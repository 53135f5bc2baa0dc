/// Caches durations of packets: needed a hundred times per second, for the same few values.
struct PacketDurationCache {
  private var length = Int64.min
  private var known = InlineArray<8, Double>(repeating: 0)

  /// The duration of `count` packets of `length` samples at a sampling rate.
  @inline(__always)
  mutating func ms(_ count: Int, of length: Int64, rate: Double) -> Double {
    if length != self.length { learn(length, rate) }
    return count >= 0 && count < 8 ? known[count] : Self.ms(count, length, rate)
  }

  private mutating func learn(_ length: Int64, _ rate: Double) {
    self.length = length
    for count in 0..<8 { known[count] = Self.ms(count, length, rate) }
  }

  private static func ms(_ count: Int, _ length: Int64, _ rate: Double) -> Double {
    Double(Int64(count) * length) / rate * 1000
  }
}
