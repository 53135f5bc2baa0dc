/// Room for the values of a sample, by raw value of their metric.
///
/// Ten vectors rather than an `InlineArray`: reading one element of that copies the whole of it (640 bytes) first, with
/// this compiler (6.3), and samples are read element by element in every hot loop.
@usableFromInline
struct SampleValues: Sendable {
  @usableFromInline typealias Eight = SIMD8<Double>
  @usableFromInline var a = Eight(), b = Eight(), c = Eight(), d = Eight(), e = Eight()
  @usableFromInline var f = Eight(), g = Eight(), h = Eight(), i = Eight(), j = Eight()

  @inlinable init() {}

  /// Whether all are finite: zero times anything else is not a number.
  @inlinable var areFinite: Bool {
    let first = a * 0.0 + b * 0.0 + c * 0.0 + d * 0.0 + e * 0.0
    let second = f * 0.0 + g * 0.0 + h * 0.0 + i * 0.0 + j * 0.0
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
      default: j[index & 7]
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
      default: j[index & 7] = newValue
      }
    }
  }
}
