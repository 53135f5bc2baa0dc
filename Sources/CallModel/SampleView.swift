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
    @inline(__always) get { has(metric) ? place.value(Int(metric.rawValue)) : nil }
  }

  /// Whether a metric is known.
  @inlinable @inline(__always)
  public func has(_ metric: Metric) -> Bool {
    let raw = UInt64(metric.rawValue)
    return raw < 64
      ? (place.pointee.present.0 >> raw) & 1 == 1 : (place.pointee.present.1 >> (raw &- 64)) & 1 == 1
  }

  /// Whether every value is a finite number.
  public var isFinite: Bool { place.pointee.isFinite }

  /// The sample itself, copied.
  public var sample: Sample { place.pointee }
}

extension Sample {
  /// Looks at the sample in its place, which nobody else may touch meanwhile.
  @inlinable
  public mutating func look<R>(_ body: (SampleView) throws -> R) rethrows -> R {
    try withUnsafePointer(to: &self) { try body(SampleView($0)) }
  }
}
