/// How long a stream that fell silent is played on.
///
/// What stops alone is missed by who listens. What stops because the call is over or on hold is not: one end hung up, SDP
/// told the sender to be silent, nobody answered yet, the call is being transferred, another stream took its place, others of the same sender go on, the sender pauses as it did
/// before, who listened is gone, or nothing at all passes any more, which is an outage only if something comes again.
extension MediaStream {
  /// Silence of the whole path up to here is between packets, ns.
  private static let betweenPacketsNs: Int64 = 100_000_000

  /// What was on its way when one end hung up comes after that, for so long, ns.
  private static let onItsWayNs: Int64 = 1_000_000_000

  /// A sender that just stops when there is nothing to say may be silent for so many times its longest pause.
  private static let pausesOfSilence = 4.0

  /// A layer that is silent for longer is switched off, and another goes on that was heard within so long, ns.
  private static let layerOffNs: Int64 = 1_000_000_000
  private static let goesOnNs: Int64 = 1_000_000_000

  /// The moment up to which it is played when the clock of the capture has come so far.
  func playedUntil(_ timeNs: Int64) -> Int64 {
    var until = timeNs
    if timeNs &- path.heardNs > Self.betweenPacketsNs { until = path.heardNs }
    if isPause(timeNs &- lastNs) || isGivenUp(at: timeNs) { until = min(until, lastNs) }
    if let endNs { until = min(until, endNs) }
    if let since = path.mayStopSinceNs, timeNs &- lastNs > Self.betweenPacketsNs {
      until = min(until, max(since, lastNs))
    }
    if let restsSinceNs { until = min(until, restsSinceNs) }
    if let since = beginsSince(timeNs) { until = min(until, since) }
    if let closed = path.closedNs(1 - sender) { until = min(until, closed) }
    if let replacedNs, replacedNs > lastNs { until = min(until, replacedNs) }
    return until
  }

  /// When the call was over. What still comes when all that was on its way is there takes that back; after a hang-up only if
  /// both ends send on: one alone has not noticed, and the other listens no more.
  private var endNs: Int64? {
    guard let overNs = path.overNs else { return nil }
    let lastOnItsWayNs = overNs &+ Self.onItsWayNs
    if lastNs <= lastOnItsWayNs { return overNs }
    return path.hungUpNs == nil || path.bothSent(after: lastOnItsWayNs) ? nil : overNs
  }

  /// Notes a tick at which nothing was to be played, to be caught up on if something comes again before the call is over.
  func leaveOpen(_ tickNs: Int64) {
    if endNs == nil { openTicks.append(tickNs) }
  }

  /// Whether a silence so long is a pause, going by those that the sender made before.
  private func isPause(_ silenceNs: Int64) -> Bool {
    guard silenceNs > Self.betweenPacketsNs, let pauseMs = audio?.ownPauseMs else { return false }
    return Double(silenceNs) <= Self.pausesOfSilence * pauseMs * 1e6
  }

  /// Whether its sender goes on with others of its sort, so that the way is not at fault: who left a conference, the branch of
  /// a call that another answered, a layer of a picture that is switched off.
  private func isGivenUp(at timeNs: Int64) -> Bool {
    let silenceNs = timeNs &- lastNs
    guard silenceNs > (kind == .audio ? Self.betweenPacketsNs : Self.layerOffNs) else { return false }
    return path.media.contains {
      $0 !== self && timeNs &- $0.lastNs < Self.goesOnNs && $0.lastNs &- lastNs > Self.betweenPacketsNs
        && $0.sender == sender && $0.role == .media && $0.kind == kind && isOnLeg(of: $0)
        && (kind == .audio ? $0.firstNs <= lastNs : isLayer(besides: $0))
    }
  }

  /// Whether another goes to the same host, so that it tells of the same way: relays have a way on either side.
  private func isOnLeg(of other: MediaStream) -> Bool {
    path.isWebRTC || other.destination.address == destination.address
  }

  /// Takes the first packet after ticks at which it was not played: what was missed is played then. A layer of which no number is
  /// missing while others of its picture went on was switched off.
  func goOn(with packet: RTPPacket) {
    // What goes on to a closed port is missed by nobody.
    guard path.closedNs(1 - sender) == nil else { return openTicks = [] }
    let follows = packet.sequence == UInt16(truncatingIfNeeded: sequence.highest) &+ 1
    guard kind == .video, follows, packet.timeNs &- lastNs > Self.layerOffNs,
      path.media.contains(where: { $0.lastNs > lastNs &+ Self.layerOffNs && isLayer(besides: $0) })
    else { return catchUp() }
    openTicks = []
    video?.rest()
  }

  /// Whether there is something to play since it was sampled last.
  func isPlayed(at timeNs: Int64) -> Bool { playedUntil(timeNs) > sampledNs }
}
