/// When a way carried less than was sent on it: packets queued, and were dropped.
struct Congestion: Equatable {
  /// ms since the Unix epoch, on the clock of the call.
  var startMs: Double
  var endMs: Double
  /// What the way carried meanwhile, and before; nil where it held from the start. bit/s.
  var carried: Double
  var before: Double?

  /// How much of what was carried before is left, at most, where a way collapses.
  private static let leftShare = 0.6
  /// How much of it came at least in each interval before, and, turned over, at most: a rate that held still.
  private static let steadyShare = 0.75
  /// How much a round trip grows while packets queue, ms.
  private static let (queueMs, steadyQueueMs) = (100.0, 25.0)
  /// How soon after a fall of the rate the round trip grows, ms: connectivity checks are sent each 2.5 s.
  private static let soonMs = 6000.0
  /// Below this a way carried nothing, bit/s: an outage.
  private static let outageBps = 5000.0
  /// While a call starts, its rates grow, ms.
  private static let rampMs = 3000.0
  /// Share of the intervals in which packets queued from which they did throughout; and how much longer than the shortest
  /// the longest round trips are where a queue fills and empties, and jitter is not all.
  private static let (queuedShare, emptiedRatio) = (0.1, 4.0)
  /// Spread of rates, as part of their mean, up to which they held still: of the sender's estimate, and of what came.
  private static let (steadyEstimate, steadyRate) = (0.2, 0.15)
  /// How much more than what came the sender may have thought the way to carry.
  private static let aboutCarried = 1.6
  /// Share of packets lost from which a way without an estimate was too narrow.
  private static let lossShare = 0.05

  private init(startMs: Double, endMs: Double, carried: Double, before: Double?) {
    (self.startMs, self.endMs, self.carried, self.before) = (startMs, endMs, carried, before)
  }

  /// - Parameters:
  ///   - own: the rates at the listener.
  ///   - far: those of the only other end, if it is on record.
  ///   - lost: share of the packets to the listener that were lost.
  static func found(_ own: WayRates, from far: WayRates?, lost: Double) -> Congestion? {
    collapse(own, far) ?? throughout(own, far, lost: lost)
  }

  /// Where the rate falls at once, and the round trip grows.
  private static func collapse(_ own: WayRates, _ far: WayRates?) -> Congestion? {
    let all = own.intervals
    guard let firstMs = all.first?.startMs, all.count > 5 else { return nil }
    for index in all.indices.dropFirst(3).dropLast(2) {
      let past = all[max(0, index - 5)..<index].filter { $0.startMs >= firstMs + rampMs / 2 }
      let next = all[(index + 1)..<min(all.count, index + 5)]
      guard past.count > 1, let before = past.map(\.received).median, let then = next.map(\.received).median,
        then <= leftShare * before, then > outageBps, all[index].received < 0.9 * before,
        all[index].received > outageBps,
        past.allSatisfy({ (steadyShare...1 / steadyShare).contains($0.received / before) })
      else { continue }
      // The interval in which it fell was partly before.
      let fell = all[index]
      let part = min(1, max(0, (fell.received - then) / (before - then)))
      let startMs = fell.startMs + part * (fell.endMs - fell.startMs)
      let usualMs = past.compactMap(\.rttMs).median
      let after = all[index...].prefix { $0.startMs <= startMs + soonMs }
      guard let usualMs else { continue }
      let queuedMs = max(usualMs + queueMs, 2 * usualMs)
      guard after.contains(where: { $0.rttMs ?? 0 >= queuedMs }) else { continue }
      func isFull(_ interval: WayRates.Interval) -> Bool {
        guard interval.received < Self.steadyShare * before else { return false }
        return interval.rttMs ?? 0 >= queuedMs
          || (far?.sent(from: interval.startMs, to: interval.endMs) ?? 0) > 1.15 * interval.received
      }
      let last = all[index...].reduce((endMs: fell.endMs, isOpen: true)) { last, interval in
        guard last.isOpen, interval.startMs - last.endMs <= soonMs else { return (last.endMs, false) }
        return isFull(interval) ? (interval.endMs, true) : last
      }
      let during = all[(index + 1)...].prefix { $0.endMs <= max(last.endMs, next.first?.endMs ?? 0) }
      return Congestion(
        startMs: startMs, endMs: max(last.endMs, during.last?.endMs ?? fell.endMs),
        carried: during.map(\.received).median ?? then, before: before)
    }
    return nil
  }

  /// Where the way was narrow for the whole call.
  private static func throughout(_ own: WayRates, _ far: WayRates?, lost: Double) -> Congestion? {
    guard let first = own.intervals.first, let last = own.intervals.last else { return nil }
    let all = own.intervals.filter { $0.startMs >= first.startMs + rampMs }
    let trips = all.compactMap(\.rttMs)
    guard all.count >= 8, let carried = all.map(\.received).median, carried > outageBps,
      let usualMs = own.intervals.compactMap(\.rttMs).min()
    else { return nil }
    func share(over addedMs: Double) -> Double {
      trips.isEmpty ? 0 : Double(trips.count { $0 >= usualMs + addedMs }) / Double(trips.count)
    }
    guard share(over: steadyQueueMs) >= queuedShare else { return nil }
    let longMs = trips.sorted()[trips.count * 9 / 10]
    let estimates = (far?.intervals ?? []).filter { $0.startMs >= first.startMs + rampMs }.compactMap(
      \.available)
    let isLimited =
      estimates.count >= 8 && (estimates.spread ?? .infinity) <= steadyEstimate
      && (estimates.median ?? .infinity) <= aboutCarried * carried && longMs >= emptiedRatio * usualMs
    let isNarrow =
      lost >= lossShare && share(over: queueMs) >= queuedShare
      && all.map(\.received).spread ?? .infinity <= steadyRate
    guard isLimited || isNarrow else { return nil }
    return Congestion(startMs: first.startMs, endMs: last.endMs, carried: carried, before: nil)
  }
}

extension [Double] {
  /// The middle of them; nil without any.
  fileprivate var median: Double? {
    guard !isEmpty else { return nil }
    return sorted()[count / 2]
  }

  /// The standard deviation as part of the mean.
  fileprivate var spread: Double? {
    guard count > 1 else { return nil }
    let mean = reduce(0, +) / Double(count)
    guard mean > 0 else { return nil }
    return (reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)).squareRoot() / mean
  }
}
