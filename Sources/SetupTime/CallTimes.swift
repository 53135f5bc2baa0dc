import CallModel

/// When one end says that its call was established and over, on its own clock.
public struct CallTimes: Sendable, Equatable {
  public var establishedMs: Double
  public var overMs: Double
  /// Whether this end called; nil where its log does not tell.
  private var hasCalled: Bool?

  /// The first establishment and the last end after it; nil where one of them is not told.
  public init?(_ events: [EventRecord]) {
    // What a server acknowledged where nobody answered is no call that stood.
    let events =
      Timeline(events).isUnanswered
      ? splitAttempts(events).filter { !Timeline($0).isUnanswered }.flatMap { $0 } : events
    func times(_ names: String...) -> [Double] {
      events.filter { names.contains($0.event) }.compactMap(\.ownTimeMs)
    }
    guard let established = times("call.established").min(),
      let over = times("call.ended", "call.failed").filter({ $0 >= established }).max()
    else { return nil }
    (establishedMs, overMs) = (established, over)
    switch direction(of: Timeline(events)) {
    case .outgoing: hasCalled = true
    case .incoming: hasCalled = false
    case .unknown: hasCalled = nil
    }
  }

  /// How long the call stood, ms: a difference of one clock.
  public var lastedMs: Double { overMs - establishedMs }

  /// Least difference of two clocks by which one end had hung up before the other was there, ms; nil where they do not
  /// contradict each other. Two ends that both called have met in a room, where one may leave before the other comes.
  public func apart(from other: CallTimes) -> Double? {
    if hasCalled == true, other.hasCalled == true { return nil }
    let gap = max(establishedMs - other.overMs, other.establishedMs - overMs)
    return gap > 0 ? gap : nil
  }
}

/// The difference of the clocks of a call's two ends, where both differ in its beginning and in its end by the same: the answer and
/// the hang-up reach both ends soon.
func byCallTimes(_ other: [EventRecord], _ reference: [EventRecord]) -> ClockSkew? {
  let directions = Set([other, reference].map { direction(of: Timeline($0)) })
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
