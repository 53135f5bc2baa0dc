/// The figures of one stream at one instant: a wide row in which each metric is present or unknown.
///
/// Values are doubles, exact for counters below 2^53. Presence is a bit set, so unknown is never mistaken for zero
/// and a sample costs no allocation.
public struct Sample: Sendable {
  /// Room for every case of `Metric`.
  public static let capacity = 88

  /// Time of the report: milliseconds since the Unix epoch, by the report's own clock.
  public var timeMs: Double
  @usableFromInline var present: (UInt64, UInt64) = (0, 0)
  @usableFromInline var values = SampleValues()

  /// An empty sample: nothing is known yet.
  @inlinable
  public init(timeMs: Double) {
    self.timeMs = timeMs
  }

  /// The value of a metric; nil if the source did not report it.
  ///
  /// Inlined wherever it is read: the offset of a named metric is then known, and no sample is copied for a
  /// call.
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

  /// Sets the metric with a raw value, for readers whose tables have raw values; must be below `capacity`.
  @inlinable
  public mutating func set(raw: UInt8, _ value: Double) {
    precondition(raw < Self.capacity)
    // By offset, without a branch for the vector it lies in.
    withUnsafeMutableBytes(of: &values) {
      $0.storeBytes(of: value, toByteOffset: Int(raw) &* MemoryLayout<Double>.stride, as: Double.self)
    }
    if raw < 64 { present.0 |= 1 &<< UInt64(raw) } else { present.1 |= 1 &<< (UInt64(raw) &- 64) }
  }

  /// Copies from another sample the metrics unknown here.
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

  /// Records the metrics of two bit sets, as `presence` has them, as unknown.
  @inlinable
  public mutating func clear(low: UInt64, high: UInt64) {
    present.0 &= ~low
    present.1 &= ~high
  }

  /// Copies all metrics known in another sample, overwriting those known here.
  @inlinable
  public mutating func merge(_ later: SampleView) {
    let presence = later.presence
    take(later, presence.low, from: 0)
    take(later, presence.high, from: 64)
  }

  /// Bit sets of the known metrics by raw value: 0 to 63, and from 64.
  @inlinable
  public var presence: (low: UInt64, high: UInt64) { (present.0, present.1) }
}
