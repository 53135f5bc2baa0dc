import CallModel

/// When a call was established and when it was over according to one end, on its own clock.
public struct CallTimes: Sendable, Equatable {
  public var establishedMs: Double
  public var overMs: Double
  /// Whether this end is the caller; nil if its log does not say.
  private var hasCalled: Bool?

  /// Uses the first establishment and the last end after it: if that end follows from a failure, the time of
  /// the failure. Fails if one of them is missing.
  public init?(_ events: [EventRecord]) {
    // A call that a server acknowledged but nobody answered was never established.
    let events =
      AttemptEvents(events).isUnanswered
      ? splitAttempts(events).filter { !AttemptEvents($0).isUnanswered }.flatMap { $0 } : events
    func times(_ names: EventName...) -> [Double] {
      events.filter { names.contains($0.event) }.compactMap(\.ownTimeMs)
    }
    guard let established = times(.callEstablished).min(),
      let over = times(.callEnded, .callFailed).filter({ $0 >= established }).max()
    else { return nil }
    let failed = times(.callFailed).filter { $0 >= established && over - $0 <= EndOfAttempt.sameEndMs }
      .min()
    (establishedMs, overMs) = (established, failed ?? over)
    switch direction(of: AttemptEvents(events)) {
    case .outgoing: hasCalled = true
    case .incoming: hasCalled = false
    case .unknown: hasCalled = nil
    }
  }

  /// The minimum clock difference by which one end would have hung up before the other joined, ms; nil if the
  /// times are consistent. Two ends that both called have met in a room, where one may leave before the other
  /// joins.
  public func apart(from other: CallTimes) -> Double? {
    if hasCalled == true, other.hasCalled == true { return nil }
    let gap = max(establishedMs - other.overMs, other.establishedMs - overMs)
    return gap > 0 ? gap : nil
  }
}

/// The clock difference between a call's two ends, if both its beginning and its end differ by the same. The
/// answer and the hang-up reach both ends with little delay.
func byCallTimes(_ other: [EventRecord], _ reference: [EventRecord]) -> ClockSkew? {
  let directions = Set([other, reference].map { direction(of: AttemptEvents($0)) })
  guard directions == [.outgoing, .incoming], let theirs = CallTimes(other), let ours = CallTimes(reference)
  else { return nil }
  let differences = [ours.establishedMs - theirs.establishedMs, ours.overMs - theirs.overMs].sorted()
  guard let low = differences.first, let high = differences.last, high - low <= clockAgreementMs else {
    return nil
  }
  return ClockSkew(
    offsetMs: (low + high) / 2, uncertaintyMs: clockAgreementMs, pairs: 2,
    evidence: "when both ends say that the call was established and over")
}
