/// Mean of a gauge over time; nil until something is known.
struct WeightedMean {
  private var sum = 0.0
  private var weight = 0.0

  /// The mean, nil without observations.
  var value: Double? { weight > 0 ? sum / weight : nil }

  /// Takes a value that held for `weight` (ms).
  mutating func add(_ value: Double?, weight extra: Double) {
    guard let value, value.isFinite, extra > 0 else { return }
    sum += value * extra
    weight += extra
  }
}
