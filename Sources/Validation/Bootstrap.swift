import CallModel

/// 95 % intervals by drawing calls again with replacement: segments of one call are no independent witnesses.
struct Bootstrap {
  /// Draws made.
  static let draws = 1000

  private var random: SplitMix64

  /// The same seed gives the same intervals.
  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The middle 95 % of a figure over draws of calls; nil where it cannot be computed.
  mutating func interval(
    _ byCall: [[(figure: Double, truth: Double)]], _ figure: ([(figure: Double, truth: Double)]) -> Double?
  ) -> ClosedRange<Double>? {
    guard byCall.count > 2 else { return nil }
    var values: [Double] = []
    for _ in 0..<Self.draws {
      var drawn: [(figure: Double, truth: Double)] = []
      for _ in byCall { drawn += byCall[Int(random.next() % UInt64(byCall.count))] }
      if let value = figure(drawn) { values.append(value) }
    }
    values.sort()
    guard values.count >= 40 else { return nil }
    let low = values[values.count / 40]
    return low...max(low, values[values.count - 1 - values.count / 40])
  }
}
