/// Reads a sample in place: a sample is large, and passing it by value copies all of it even to read one
/// number.
///
/// Valid only while the sample stays in place and unchanged.
public struct SampleView {
  @usableFromInline let place: UnsafePointer<Sample>

  /// A view of the sample at an address.
  @inlinable
  public init(_ place: UnsafePointer<Sample>) { self.place = place }

  /// When it was reported: milliseconds since the Unix epoch.
  @inlinable public var timeMs: Double {
    @inline(__always) get { place.pointee.timeMs }
  }

  /// The value of a metric; nil if the source did not report it.
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

  /// The value of the metric with a raw value, meaningless if it is unknown.
  @inlinable @inline(__always)
  public func value(_ raw: Int) -> Double {
    UnsafeRawPointer(place).load(
      fromByteOffset: Self.placeOfValues &+ raw &* MemoryLayout<Double>.stride, as: Double.self)
  }

  /// The known metrics, as in `Sample.presence`.
  @inlinable public var presence: (low: UInt64, high: UInt64) {
    @inline(__always) get { place.pointee.presence }
  }

  /// Offset of the values in a sample: after the time and the bit sets, aligned for a vector.
  @inlinable static var placeOfValues: Int {
    @inline(__always) get {
      let head = MemoryLayout<Double>.size + MemoryLayout<(UInt64, UInt64)>.size
      let step = MemoryLayout<SampleValues>.alignment
      return (head + step - 1) / step * step
    }
  }

  /// Whether every value is a finite number.
  public var isFinite: Bool { place.pointee.isFinite }

  /// A copy of the sample.
  public var copied: Sample { place.pointee }

  /// Overwrites another sample with this one.
  @inlinable
  public func copy(to other: UnsafeMutablePointer<Sample>) { other.update(from: place, count: 1) }
}

extension Sample {
  /// Calls the body with a view of the sample, with exclusive access.
  @inlinable
  public mutating func look<R>(_ body: (SampleView) throws -> R) rethrows -> R {
    try withUnsafePointer(to: &self) { try body(SampleView($0)) }
  }
}

extension SampleView {
  /// How far the time of a packet may be outside the two reports around it, ms: times are rounded and read
  /// one after the other.
  public static var packetTolerance: Double { 100 }

  /// When the last packet was received (ms since the Unix epoch), from a report with new packets since an
  /// `earlier` time.
  ///
  /// Nil if the source does not report it, or by another clock: in seconds, without an epoch, zero, or not
  /// corrected together with the reports' clock. Such a time is not between the two reports.
  public func lastPacketTime(after earlier: Double) -> Double? {
    Self.packetTime(self[.lastPacketMs], from: earlier, to: timeMs)
  }

  fileprivate static func packetTime(_ last: Double?, from earlier: Double, to timeMs: Double) -> Double? {
    guard let last, last >= earlier - packetTolerance, last <= timeMs + packetTolerance else { return nil }
    return min(max(last, earlier), timeMs)
  }
}

extension TransportSample {
  /// The same for any packet on the path.
  public func lastPacketTime(after earlier: Double) -> Double? {
    SampleView.packetTime(lastPacketMs, from: earlier, to: timeMs)
  }
}

/// Storage for the values of a sample, by raw value of the metric.
///
/// Ten vectors rather than an `InlineArray`: with this compiler (6.3), reading one element of that first
/// copies all 640 bytes, and every hot loop reads samples by element.
@usableFromInline
struct SampleValues: Sendable {
  @usableFromInline typealias Vector8 = SIMD8<Double>
  @usableFromInline var a = Vector8(), b = Vector8(), c = Vector8(), d = Vector8(), e = Vector8()
  @usableFromInline var f = Vector8(), g = Vector8(), h = Vector8(), i = Vector8(), j = Vector8(),
    k = Vector8()

  @inlinable init() {}

  /// Whether all are finite: zero times infinity or NaN is NaN.
  @inlinable var areFinite: Bool {
    let first = a * 0.0 + b * 0.0 + c * 0.0 + d * 0.0 + e * 0.0
    let second = f * 0.0 + g * 0.0 + h * 0.0 + i * 0.0 + j * 0.0 + k * 0.0
    return (first + second).sum() == 0
  }

  @inlinable
  subscript(_ index: Int) -> Double {
    @inline(__always) get {
      switch index &>> 3 {
      case 0: a[index & 7]
      case 1: b[index & 7]
      case 2: c[index & 7]
      case 3: d[index & 7]
      case 4: e[index & 7]
      case 5: f[index & 7]
      case 6: g[index & 7]
      case 7: h[index & 7]
      case 8: i[index & 7]
      case 9: j[index & 7]
      default: k[index & 7]
      }
    }
    @inline(__always) set {
      switch index &>> 3 {
      case 0: a[index & 7] = newValue
      case 1: b[index & 7] = newValue
      case 2: c[index & 7] = newValue
      case 3: d[index & 7] = newValue
      case 4: e[index & 7] = newValue
      case 5: f[index & 7] = newValue
      case 6: g[index & 7] = newValue
      case 7: h[index & 7] = newValue
      case 8: i[index & 7] = newValue
      case 9: j[index & 7] = newValue
      default: k[index & 7] = newValue
      }
    }
  }
}
