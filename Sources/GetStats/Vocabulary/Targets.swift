import CallModel

/// What members may say: a set of `Action.target`.
struct Targets {
  private var bits = SIMD4<UInt64>()

  func contains(_ target: Int?) -> Bool { target.map { bits[$0 >> 6] >> UInt64($0 & 63) & 1 == 1 } ?? false }

  mutating func insert(_ target: Int?) {
    guard let target else { return }
    bits[target >> 6] |= 1 << UInt64(target & 63)
  }
}

extension Action {
  /// The one thing of its report that it says, below 256; nil where it says none or several.
  var target: Int? {
    switch kind {
    case .metric, .mediasoupMetric: Int(code)
    case .limitation: Int(Metric.limitedBy.rawValue)
    case .text: 128 + Int(code)
    case .number: 192 + Int(code)
    default: nil
    }
  }

  /// Whether it says something of a stream's sample.
  var isFigure: Bool { [.metric, .mediasoupMetric, .limitation, .limitationDurations].contains(kind) }

  /// Takes out of a sample what it says there.
  func clear(in sample: inout Sample) {
    switch kind {
    case .metric, .mediasoupMetric: if let metric = Metric(rawValue: code) { sample.clear(metric) }
    case .limitation: sample.clear(.limitedBy)
    case .limitationDurations:
      sample.clear(.limitedByCpuMs)
      sample.clear(.limitedByBandwidthMs)
    default: break
    }
  }
}
