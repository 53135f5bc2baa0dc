/// What one stream reported at one instant: a wide row in which every metric is present or unknown.
///
/// Values are doubles, exact for counters below 2^53. Presence is a bit set, so unknown is never mistaken for zero
/// and a sample costs no allocation.
public struct Sample: Sendable {
  /// Room for every case of `Metric`.
  public static let capacity = 88

  /// When it was reported: milliseconds since the Unix epoch, the report's own clock.
  public var timeMs: Double
  @usableFromInline var present: (UInt64, UInt64) = (0, 0)
  @usableFromInline var values = SampleValues()

  /// An empty sample: nothing is known yet.
  @inlinable
  public init(timeMs: Double) {
    self.timeMs = timeMs
  }

  /// The value of a metric, or nil where the source did not say.
  ///
  /// Inlined wherever it is read: the place of a named metric is known then, and no sample is copied for a call.
  @inlinable
  public subscript(_ metric: Metric) -> Double? {
    @inline(__always) get { has(metric) ? values[Int(metric.rawValue)] : nil }
    set { newValue.map { set(metric, $0) } ?? clear(metric) }
  }

  /// Whether a metric is known.
  @inlinable @inline(__always)
  public func has(_ metric: Metric) -> Bool {
    let raw = UInt64(metric.rawValue)
    return raw < 64 ? (present.0 >> raw) & 1 == 1 : (present.1 >> (raw - 64)) & 1 == 1
  }

  /// Whether every value is a finite number.
  public var isFinite: Bool { timeMs.isFinite && values.areFinite }

  /// Whether nothing at all is known.
  public var isEmpty: Bool { present.0 == 0 && present.1 == 0 }

  /// Records a metric as known.
  @inlinable
  public mutating func set(_ metric: Metric, _ value: Double) { set(raw: metric.rawValue, value) }

  /// Records the metric of a raw value, for readers whose tables hold those; must be below `capacity`.
  @inlinable
  public mutating func set(raw: UInt8, _ value: Double) {
    precondition(raw < Self.capacity)
    // Where it lies: which of the vectors that is need not be asked.
    withUnsafeMutableBytes(of: &values) {
      $0.storeBytes(of: value, toByteOffset: Int(raw) &* MemoryLayout<Double>.stride, as: Double.self)
    }
    if raw < 64 { present.0 |= 1 &<< UInt64(raw) } else { present.1 |= 1 &<< (UInt64(raw) &- 64) }
  }

  /// Takes from another sample what this one does not know.
  @inlinable
  public mutating func fill(from other: SampleView) {
    let presence = other.presence
    take(other, presence.low & ~present.0, from: 0)
    take(other, presence.high & ~present.1, from: 64)
  }

  @inlinable
  mutating func take(_ other: SampleView, _ mask: UInt64, from base: Int) {
    if base == 0 { present.0 |= mask } else { present.1 |= mask }
    var bits = mask
    while bits != 0 {
      let index = base &+ bits.trailingZeroBitCount
      bits &= bits &- 1
      values[index] = other.value(index)
    }
  }

  /// Records a metric as unknown.
  @inlinable
  public mutating func clear(_ metric: Metric) {
    let raw = UInt64(metric.rawValue)
    if raw < 64 { present.0 &= ~(1 << raw) } else { present.1 &= ~(1 << (raw - 64)) }
  }

  /// Adds what another sample knows: its values hold where both know one.
  @inlinable
  public mutating func merge(_ later: SampleView) {
    let presence = later.presence
    take(later, presence.low, from: 0)
    take(later, presence.high, from: 64)
  }

  /// Which metrics are known, a bit for each raw value: below 64, and from 64 on.
  @inlinable
  public var presence: (low: UInt64, high: UInt64) { (present.0, present.1) }
}
