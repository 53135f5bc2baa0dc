/// A sample read where it lies. A sample is large, and each way of handing one on by value copies all of it, be it for
/// one number.
///
/// Good for as long as what it looks at lies there unchanged.
public struct SampleView {
  @usableFromInline let place: UnsafePointer<Sample>

  /// Looks at the sample in that place.
  @inlinable
  public init(_ place: UnsafePointer<Sample>) { self.place = place }

  /// When it was reported: milliseconds since the Unix epoch.
  @inlinable public var timeMs: Double {
    @inline(__always) get { place.pointee.timeMs }
  }

  /// The value of a metric, or nil where the source did not say.
  @inlinable
  public subscript(_ metric: Metric) -> Double? {
    @inline(__always) get { has(metric) ? value(Int(metric.rawValue)) : nil }
  }

  /// Whether a metric is known.
  @inlinable @inline(__always)
  public func has(_ metric: Metric) -> Bool {
    let raw = UInt64(metric.rawValue)
    return raw < 64
      ? (place.pointee.present.0 >> raw) & 1 == 1 : (place.pointee.present.1 >> (raw &- 64)) & 1 == 1
  }

  /// The value of the metric with that raw value, known or not.
  @inlinable @inline(__always)
  public func value(_ raw: Int) -> Double {
    UnsafeRawPointer(place).load(
      fromByteOffset: Self.placeOfValues &+ raw &* MemoryLayout<Double>.stride, as: Double.self)
  }

  /// Which metrics are known, as `Sample.presence`.
  @inlinable public var presence: (low: UInt64, high: UInt64) {
    @inline(__always) get { place.pointee.presence }
  }

  /// Where in a sample its values begin: after the time and the bits, at the next place where a vector may lie.
  @inlinable static var placeOfValues: Int {
    @inline(__always) get {
      let head = MemoryLayout<Double>.size + MemoryLayout<(UInt64, UInt64)>.size
      let step = MemoryLayout<SampleValues>.alignment
      return (head + step - 1) / step * step
    }
  }

  /// Whether every value is a finite number.
  public var isFinite: Bool { place.pointee.isFinite }

  /// The sample itself.
  public var copied: Sample { place.pointee }

  /// Puts the sample where another one is.
  @inlinable
  public func copy(to other: UnsafeMutablePointer<Sample>) { other.update(from: place, count: 1) }
}

extension Sample {
  /// Looks at the sample in its place, which nobody else may touch meanwhile.
  @inlinable
  public mutating func look<R>(_ body: (SampleView) throws -> R) rethrows -> R {
    try withUnsafePointer(to: &self) { try body(SampleView($0)) }
  }
}
