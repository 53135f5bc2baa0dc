import CallModel
import CallStore

/// What the path of an end carried between polls, from its own statistics.
struct WayRates {
  /// Between two polls.
  struct Interval {
    /// ms since the Unix epoch, on the clock of the call.
    var startMs: Double
    var endMs: Double
    /// What came and what was sent, bit/s.
    var received: Double
    var sent: Double?
    /// Round trip at its end, ms.
    var rttMs: Double?
    /// The end's estimate of what it may send, bit/s.
    var available: Double?
    /// Whether a relay carried it; nil if that is unknown.
    var isRelayed: Bool?
  }

  /// What a poll has of the path; counters in bytes.
  fileprivate struct Poll {
    var timeMs: Double
    var received: Double
    var sent: Double?
    var rttMs: Double?
    var available: Double?
    var isRelayed: Bool?

    init?(_ sample: TransportSample) {
      guard let received = sample.bytesReceived else { return nil }
      (timeMs, self.received, sent) = (sample.timeMs, received, sample.bytesSent)
      (rttMs, available) = (sample.rttMs, sample.availableOutgoingBps)
      isRelayed = sample.localType.map { $0 == "relay" || sample.remoteType == "relay" }
    }
  }

  private(set) var intervals: [Interval] = []

  init(_ intervals: [Interval]) { self.intervals = intervals }

  /// Polls closer than this are joined, ms.
  private static let minMs = 900.0
  /// Longer intervals say nothing of when a rate changed, ms.
  private static let maxMs = 6000.0
  /// Polls that are read of an end; more of a longer call are left out.
  private static let maxPolls = 20_000

  /// Of the connection on which most came; empty without statistics of the path.
  init(of end: EndpointAssessment, in store: Store) throws {
    let feed = try store.transports(
      ofEndpoint: end.endpoint.key, sources: end.choice.mainSources(of: .stats))
    var polls: [Int64: [Poll]] = [:]
    var count = 0
    while count < Self.maxPolls, let sample = try feed.next() {
      count += 1
      if let poll = Poll(sample) { polls[sample.connection, default: []].append(poll) }
    }
    func grown(_ polls: [Poll]) -> Double { (polls.last?.received ?? 0) - (polls.first?.received ?? 0) }
    guard let most = polls.max(by: { (grown($0.value), $1.key) < (grown($1.value), $0.key) })?.value else {
      return
    }
    var before = most[0]
    for poll in most.dropFirst() where poll.timeMs - before.timeMs >= Self.minMs {
      if let interval = Interval(before, poll, at: end), poll.timeMs - before.timeMs <= Self.maxMs {
        intervals.append(interval)
      }
      before = poll
    }
  }

  /// What was sent in a period, bit/s: a mean over the intervals that it touches; nil where nothing says so.
  func sent(from startMs: Double, to endMs: Double) -> Double? {
    var (bits, lengthMs) = (0.0, 0.0)
    for interval in intervals where interval.endMs > startMs && interval.startMs < endMs {
      guard let sent = interval.sent else { continue }
      let shared = min(interval.endMs, endMs) - max(interval.startMs, startMs)
      bits += sent * shared
      lengthMs += shared
    }
    return lengthMs >= (endMs - startMs) / 2 ? bits / lengthMs : nil
  }
}

extension WayRates.Interval {
  fileprivate init?(_ before: WayRates.Poll, _ after: WayRates.Poll, at end: EndpointAssessment) {
    let seconds = (after.timeMs - before.timeMs) / 1000
    // Counters that fell were reset.
    guard after.received >= before.received else { return nil }
    (startMs, endMs) = (end.onCallClock(before.timeMs), end.onCallClock(after.timeMs))
    received = 8 * (after.received - before.received) / seconds
    sent = before.sent.flatMap { first in
      after.sent.flatMap { $0 >= first ? 8 * ($0 - first) / seconds : nil }
    }
    (rttMs, available, isRelayed) = (after.rttMs, after.available, after.isRelayed)
  }
}
