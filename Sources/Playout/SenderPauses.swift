/// Pauses in which a sender simply stops sending: it continues with the next sequence number.
struct SenderPauses {
  /// Whether there was one.
  private(set) var seen = false
  /// Number of pauses of at least a second, and the longest pause, samples.
  private var long = 0
  private var longest: Int64 = 0
  /// Samples concealed during pauses, which is not the network's fault.
  private(set) var concealed: Int64 = 0
  /// Total concealed samples when the buffer became empty, or up to which they are explained.
  private var concealedBefore: Int64 = 0

  /// Records that the buffer is empty, which may turn out to be a pause.
  mutating func mayBegin(concealed: Int64) { concealedBefore = concealed }

  /// Records the end of a pause in which `samples` were filled, at a sampling `rate`.
  ///
  /// - Parameters:
  /// - silentFor: its duration by the sender's clock, samples.
  /// - total: total concealed samples so far.
  mutating func end(_ samples: Int64, _ silentFor: Int64, concealed total: Int64, rate: Double) {
    concealed += max(0, min(total - concealedBefore, silentFor))
    concealedBefore = total
    guard samples > Int64(rate * Self.shortest) else { return }
    seen = true
    if samples >= Int64(rate) { long += 1 }
    longest = max(longest, samples)
  }

  /// Shorter ones are the interval between packets, s.
  private static let shortest = 0.04

  /// The same at a multiple of the clock rate, for a playout that has not concealed anything yet.
  func scaled(by scale: Double) -> SenderPauses {
    var other = self
    other.longest = Int64(Double(longest) * scale)
    (other.concealed, other.concealedBefore) = (0, 0)
    return other
  }

  /// The longest one, samples; nil unless the sender pauses repeatedly.
  var usualLongest: Int64? { long >= 2 ? longest : nil }
}
