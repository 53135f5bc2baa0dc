import Glibc

/// How many packets the frames of a stream have had of late.
struct FrameSizes {
  private var logs = InlineArray<32, Double>(repeating: 0)
  private var count = 0

  /// Sizes whose logarithms are so far apart count as alike, as standard deviation.
  private static let spread = 0.2
  /// A size never seen is still possible.
  private static let least = 0.01

  /// Takes the number of packets of a frame.
  mutating func take(_ packets: Int) {
    logs[count & 31] = log(Double(packets))
    count &+= 1
  }

  /// Share of the last 32 frames that had about so many packets, 0–1.
  func share(_ packets: Int) -> Double {
    let size = log(Double(max(1, packets)))
    let known = min(count, 32)
    guard known > 0 else { return 1 }
    var sum = 0.0
    for i in 0..<known {
      let distance = (logs[i] - size) / Self.spread
      sum += exp(-distance * distance / 2)
    }
    return max(Self.least, sum / Double(known))
  }
}
