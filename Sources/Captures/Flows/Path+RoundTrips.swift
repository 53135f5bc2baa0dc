/// How long the ends take to answer, seen from the tap.
extension Path {
  /// An answer that took so long may have waited for one who stood still, ms.
  private static let leastWaitMs = 500.0
  static let leastWaitNs: Int64 = 500_000_000

  /// Notes how long an end took to answer a check or a report, from `askedNs` on; what it says it held it is taken off.
  func add(roundTripMs: Double, answeredBy end: Int, askedNs: Int64, at timeNs: Int64) {
    // Nothing answers after a minute: such times come from broken captures.
    guard roundTripMs >= 0, roundTripMs <= 60_000, !waited(roundTripMs, for: end, askedNs, timeNs) else {
      return
    }
    self[end].answers += 1
    self[end].answerSumMs += roundTripMs
    self[end].lastAnswerMs = roundTripMs
    for stream in media where stream.sender == end { stream.video?.roundTripMs = roundTripMs }
    guard roundTrips.count < Self.mostRoundTrips else { return roundTripsLeftOut += 1 }
    roundTrips.append(
      RoundTrip(timeNs: timeNs, ms: Float(roundTripMs), answeredBy: UInt8(truncatingIfNeeded: end)))
  }

  /// Notes that an end sent sound again after a while, `leastWaitNs` or more.
  func soundCame(of end: Int, afterNs: Int64, at timeNs: Int64) { self[end].soundless = (afterNs, timeNs) }

  /// Whether most of the time that an answer took passed while who answers sent no sound amid its sound: a program that stood still,
  /// or a way that was broken. It says nothing of how long the way is.
  private func waited(_ ms: Double, for end: Int, _ askedNs: Int64, _ timeNs: Int64) -> Bool {
    guard ms >= Self.leastWaitMs else { return false }
    let untilNs = askedNs &+ Int64(ms * 1e6)
    func covers(_ fromNs: Int64, _ toNs: Int64) -> Bool {
      Double(min(toNs, untilNs) &- max(fromNs, askedNs)) >= ms * 1e6 / 2
    }
    if let soundless = self[end].soundless, covers(soundless.fromNs, soundless.toNs) { return true }
    let last = media.lazy.filter { $0.sender == end && $0.kind == .audio }.map(\.lastNs).max()
    return last.map { timeNs &- $0 >= Self.leastWaitNs && covers($0, timeNs) } ?? false
  }
}
