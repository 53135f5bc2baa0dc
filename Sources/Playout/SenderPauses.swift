/// Pauses that a sender makes by just stopping when there is nothing to say: the next number comes when it goes on.
struct SenderPauses {
  /// Whether one was seen.
  private(set) var seen = false
  /// Those of a second or more, and the longest of all, samples.
  private var long = 0
  private var longest: Int64 = 0
  /// What was made up in them: no fault of the way, samples.
  private(set) var concealed: Int64 = 0
  /// What had been made up in all when there was nothing left to play, or up to where it is explained.
  private var concealedBefore: Int64 = 0

  /// Notes that nothing is left to play, which may prove to be a pause.
  mutating func mayBegin(concealed: Int64) { concealedBefore = concealed }

  /// Notes that one ended, in which `samples` had to be filled, of which a second has `rate`.
  ///
  /// - Parameters:
  ///   - silentFor: how long it was by the sender's own time, samples.
  ///   - total: what has been made up in all by now.
  mutating func end(_ samples: Int64, _ silentFor: Int64, concealed total: Int64, rate: Double) {
    concealed += max(0, min(total - concealedBefore, silentFor))
    concealedBefore = total
    guard samples > Int64(rate * Self.shortest) else { return }
    seen = true
    if samples >= Int64(rate) { long += 1 }
    longest = max(longest, samples)
  }

  /// Shorter ones are the step from a packet to the next, s.
  private static let shortest = 0.04

  /// The same at a clock so many times as fast, for a playout that has not made up anything yet.
  func scaled(by scale: Double) -> SenderPauses {
    var other = self
    other.longest = Int64(Double(longest) * scale)
    (other.concealed, other.concealedBefore) = (0, 0)
    return other
  }

  /// The longest, samples; nil where the sender does not pause time and again.
  var usualLongest: Int64? { long >= 2 ? longest : nil }
}
