/// How long a stream that fell silent is played on.
///
/// What stops alone is missed by who listens. What stops because the call is over or on hold is not: one end hung up, SDP
/// told the sender to be silent, another stream took its place, the sender pauses as it did before, or nothing at all passes
/// any more, which is an outage only if something comes again.
extension MediaStream {
  /// Silence of the whole path up to here is between packets, ns.
  private static let betweenPacketsNs: Int64 = 100_000_000

  /// What was on its way when one end hung up comes after that, for so long, ns.
  private static let onItsWayNs: Int64 = 1_000_000_000

  /// A sender that just stops when there is nothing to say may be silent for so many times its longest pause.
  private static let pausesOfSilence = 4.0

  /// The moment up to which it is played when the clock of the capture has come so far.
  func playedUntil(_ timeNs: Int64) -> Int64 {
    var until = timeNs
    if timeNs &- path.heardNs > Self.betweenPacketsNs { until = path.heardNs }
    if isPause(timeNs &- lastNs) { until = min(until, lastNs) }
    if let over = path.overNs, over &+ Self.onItsWayNs >= lastNs { until = min(until, over) }
    if let restsSinceNs { until = min(until, restsSinceNs) }
    if let replacedNs, replacedNs > lastNs { until = min(until, replacedNs) }
    return until
  }

  /// Whether a silence so long is a pause, going by those that the sender made before.
  private func isPause(_ silenceNs: Int64) -> Bool {
    guard silenceNs > Self.betweenPacketsNs, let pauseMs = audio?.ownPauseMs else { return false }
    return Double(silenceNs) <= Self.pausesOfSilence * pauseMs * 1e6
  }

  /// Whether there is something to play since it was sampled last.
  func isPlayed(at timeNs: Int64) -> Bool { playedUntil(timeNs) > sampledNs }
}
