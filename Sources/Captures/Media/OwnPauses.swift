/// Pauses that a sender makes by just stopping when there is nothing to say: the next number comes when it goes on.
struct OwnPauses {
  /// Whether one was seen.
  private(set) var seen = false
  /// Those of a second or more, and the longest of all, samples.
  private var long = 0
  private var longest: Int64 = 0

  /// Notes one of so many samples, of which a second has `rate`.
  mutating func take(_ samples: Int64, rate: Double) {
    seen = true
    if samples >= Int64(rate) { long += 1 }
    longest = max(longest, samples)
  }

  /// The same at a clock so many times as fast.
  func scaled(by scale: Double) -> OwnPauses {
    var other = self
    other.longest = Int64(Double(longest) * scale)
    return other
  }

  /// The longest, samples; nil where the sender does not pause time and again.
  var usualLongest: Int64? { long >= 2 ? longest : nil }
}
