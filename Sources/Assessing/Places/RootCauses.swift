import CallModel
import CallStore
import Scoring

/// What the path of each end carried, and where packets queued on it.
struct Ways {
  let rates: [WayRates]
  /// By the index of the listener, as what follows.
  let congestion: [Congestion?]
  /// Share of the packets lost while a relay carried them, and while none did; nil unless it was now so, now so.
  let relayedLoss: [(relayed: Double, direct: Double)?]

  /// Of which nothing is known, because nothing depends on it.
  init(unknownFor ends: [EndpointAssessment]) {
    rates = ends.map { _ in WayRates([]) }
    congestion = ends.map { _ in nil }
    relayedLoss = ends.map { _ in nil }
  }

  init(_ ends: [EndpointAssessment], in store: Store) throws {
    let rates = try ends.map { try WayRates(of: $0, in: store) }
    self.rates = rates
    congestion = ends.enumerated().map { index, end in
      let far = ends.count == 2 ? rates[1 - index] : nil
      return Congestion.found(rates[index], from: far, lost: end.lostShare)
    }
    relayedLoss = zip(ends, rates).map { $0.relayedLoss($1) }
  }
}

extension EndpointAssessment {
  /// Share of the packets to this end that were lost, by its own statistics; 0 if nothing counts them.
  fileprivate var lostShare: Double {
    let inbound = choice.chosen(.stats).filter { $0.facts.direction == .inbound }
    let lost = inbound.reduce(0) { $0 + max(0, $1.totals.lost ?? 0) }
    let packets = inbound.reduce(0) { $0 + ($1.totals.packets ?? 0) }
    return lost + packets > 0 ? Double(lost) / Double(lost + packets) : 0
  }

  fileprivate func relayedLoss(_ rates: WayRates) -> (relayed: Double, direct: Double)? {
    let relayed = rates.intervals.filter { $0.isRelayed == true }
    guard !relayed.isEmpty, rates.intervals.contains(where: { $0.isRelayed == false }) else { return nil }
    let spans = SpanSet(relayed.map { (start: $0.startMs, end: $0.endMs) })
    var (inside, outside): ([Double], [Double]) = ([], [])
    for window in judgingWindows {
      guard let share = window.lossShare else { continue }
      let (start, stop) = (onCallClock(window.startMs), onCallClock(window.endMs))
      let coveredMs = spans.covered(from: start, to: stop)
      if coveredMs >= 0.9 * (stop - start) { inside.append(share) }
      if coveredMs <= 0.1 * (stop - start) { outside.append(share) }
    }
    guard inside.count > 1, outside.count > 1 else { return nil }
    return (
      inside.reduce(0, +) / Double(inside.count), outside.reduce(0, +) / Double(outside.count)
    )
  }
}

extension PlaceFinder {
  /// How soon after a way collapsed, or a network changed, what came of it begins, ms; and how long it lasts after it.
  private static let (soonMs, aftermathMs) = (5000.0, 10_000.0)

  /// What began a trouble: a way that carried too little comes before what came of it, and a machine or a source, which
  /// no network explains, before both.
  func rootCause(of trouble: Trouble, _ ways: Ways, _ fault: PlacedFault?) -> RootCause? {
    let end = ends[trouble.listener]
    let name = end.endpoint.name
    let span = end.onCallClock(trouble.startMs)...end.onCallClock(trouble.endMs)
    let placed = fault?.rule.rootCause
    if let placed, ![.loss, .capacity].contains(placed) {
      return RootCause(placed, at: name, span, share: shareOfPoints(lostIn: span, at: end))
    }
    if let congestion = congestion(of: trouble, ways) {
      let held = congestion.startMs...congestion.endMs
      var root = RootCause(.capacity, at: name, held)
      (root.carriedBps, root.beforeBps) = (congestion.carried, congestion.before)
      // Where it held throughout, nothing shows what else would have cost points.
      if congestion.before != nil { root.share = shareOfPoints(lostIn: held, at: end) }
      return root
    }
    if let change = networkChange(before: span.lowerBound) {
      return RootCause(
        .handover, at: change.end, min(change.atMs, span.lowerBound)...span.upperBound,
        share: change.end == name ? shareOfPoints(lostIn: span, at: end) : nil)
    }
    return placed.map { RootCause($0, at: name, span, share: shareOfPoints(lostIn: span, at: end)) }
  }

  /// The change of network of an end shortly before a time on the clock of the call, or just after it.
  private func networkChange(before timeMs: Double) -> (end: String, atMs: Double)? {
    ends.lazy.flatMap { end in
      (findings[end.endpoint.key] ?? []).filter { $0.code == .networkChanged }.compactMap(\.startMs).map {
        (end: end.endpoint.name, atMs: end.onCallClock($0))
      }
    }.first { (-Self.soonMs...Self.soonMs / 2).contains($0.atMs - timeMs) }
  }

  /// The congestion of the way to its listener that a trouble came of.
  private func congestion(of trouble: Trouble, _ ways: Ways) -> Congestion? {
    guard trouble.mayComeOfPath, let congestion = ways.congestion[trouble.listener]
    else { return nil }
    let end = ends[trouble.listener]
    let (start, stop) = (end.onCallClock(trouble.startMs), end.onCallClock(trouble.endMs))
    return start >= congestion.startMs - Self.soonMs - Window.lengthMs
      && start <= congestion.endMs + Self.soonMs && stop > congestion.startMs ? congestion : nil
  }

  /// The part of all points that an end lost which it lost in a period, or soon after it, 0–1; nil without a score.
  private func shareOfPoints(lostIn span: ClosedRange<Double>, at end: EndpointAssessment) -> Double? {
    var (within, all) = (0.0, 0.0)
    for window in end.judgingWindows {
      guard let score = window.score else { continue }
      let cost = Double(100 - score) * (window.endMs - window.startMs)
      all += cost
      let startMs = end.onCallClock(window.startMs)
      if startMs > span.lowerBound - Window.lengthMs, startMs < span.upperBound + Self.aftermathMs {
        within += cost
      }
    }
    return all > 0 ? within / all : nil
  }

  // MARK: Places by what the ways carried

  func onlyWhileRelayed(_ trouble: Trouble, _ ways: Ways) -> PlacedFault? {
    guard trouble.isOfPath, let lost = ways.relayedLoss[trouble.listener], lost.relayed >= Self.lossShare,
      lost.direct < Self.cleanPart * lost.relayed
    else { return nil }
    return PlacedFault(
      .onlyWhileRelayed,
      evidence:
        "\(lossPercent(lost.relayed)) was lost while it carried the packets, and \(lossPercent(lost.direct)) otherwise"
    )
  }

  func downlinkCapacity(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment], _ ways: Ways
  ) -> PlacedFault? {
    guard ends.count > 2, congestion(of: trouble, ways) != nil,
      ways.congestion.count(where: { $0 != nil }) == 1, others.count(where: \.hasReceived) > 1
    else { return nil }
    return PlacedFault(
      .downlinkCapacity, at: end.endpoint.name,
      evidence: "packets queued on the way to it, and not on those to the others")
  }

  func queueBetweenEnds(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment], _ ways: Ways
  ) -> PlacedFault? {
    guard ends.count == 2, verdict.value != .good, let far = others.first, far.hasSent,
      Self.isSame(end, far), congestion(of: trouble, ways) != nil
    else { return nil }
    return PlacedFault(.queueBetweenEnds, evidence: "packets queued on it, and less came than was sent")
  }
}
