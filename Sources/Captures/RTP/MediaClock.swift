import Packets

/// Whether the timestamps of a stream advance with the clock that its codec has by its description.
///
/// The first packets are kept until they agree with it. If they turn out to count another usual clock, they are played
/// again with that one: their receiver may not do so, but the path is not at fault.
struct ClockCheck {
  enum Finding: Equatable {
    case pending
    case agrees
    /// They advance with another usual clock, Hz.
    case other(Int)
  }

  private var estimate = RTPClockEstimate()
  private(set) var kept: [RTPPacket] = []
  private let named: Int

  /// Sampling rates of sound and RTP clocks.
  private static let usual = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
  private static let most = 256
  private static let fewest = 10
  private static let shortMs = 150.0
  static let longMs = 2000.0
  /// By how much a slope may be off for the named clock, and for another.
  private static let agreement = 0.05
  private static let precision = 0.03

  init(named: Int) { self.named = named }

  /// Takes a packet of sound.
  mutating func take(_ packet: RTPPacket, _ verdict: SequenceState.Verdict) -> Finding {
    if case .advanced = verdict { estimate.take(timeNs: packet.timeNs, timestamp: packet.timestamp) }
    kept.append(packet)
    guard estimate.packets >= Self.fewest, estimate.spanMs >= Self.shortMs else { return pending }
    if Self.isNear(named, Self.agreement, estimate) { return .agrees }
    guard estimate.spanMs >= Self.longMs || kept.count >= Self.most else { return .pending }
    return Self.other(than: named, in: estimate).map { .other($0) } ?? .agrees
  }

  /// The usual clock, other than the named one, with which timestamps advance; nil if there is none.
  static func other(than named: Int, in estimate: RTPClockEstimate) -> Int? {
    // Only packets that came evenly show a clock.
    guard estimate.isEven, !isNear(named, agreement, estimate) else { return nil }
    return usual.first { isNear($0, precision, estimate) }
  }

  private var pending: Finding { kept.count < Self.most ? .pending : .agrees }

  private static func isNear(_ clock: Int, _ tolerance: Double, _ estimate: RTPClockEstimate) -> Bool {
    estimate.slope.map { abs($0 / Double(clock) - 1) <= tolerance } ?? false
  }
}

/// How much sound a sender makes in the time that passes, looked at once a second: a machine that makes too little or too
/// much of it does so all the time, a path does not.
struct SoundRate {
  private var last: (timeNs: Int64, media: Int64)?
  private var seconds: [(passedMs: Double, madeMs: Double)] = []
  private static let most = 3600
  /// Seconds left out on either side: in one or two of them anything may happen.
  private static let leftOut = 2
  private static let fewest = 4

  /// Takes the time and the RTP time, in ticks of a clock in Hz, of the newest packet.
  mutating func take(timeNs: Int64, media: Int64, clock: Int) {
    defer { last = (timeNs, media) }
    guard let last, clock > 0, timeNs > last.timeNs, media >= last.media, seconds.count < Self.most else {
      return
    }
    seconds.append(
      (Double(timeNs &- last.timeNs) / 1e6, Double(media &- last.media) * 1000 / Double(clock)))
  }

  /// The sound made in the time that passed, 1 for all of it; nil if it is as it should be, or not the same throughout.
  var wrongShare: Double? {
    guard seconds.count >= Self.fewest else { return nil }
    let lags = seconds.map { $0.passedMs - $0.madeMs }.sorted()
    let (passedMs, lagMs) = (seconds.reduce(0) { $0 + $1.passedMs }, lags.reduce(0, +))
    let kept = lags.dropFirst(Self.leftOut).dropLast(Self.leftOut)
    let middle = lags[lags.count / 2]
    // What is made in a second varies by a packet; what is missing in all is no burst.
    guard passedMs > 0, abs(lagMs) / passedMs > Self.least, abs(lagMs) >= Self.leastLagMs, middle * lagMs > 0,
      kept.isEmpty || abs(kept.reduce(0, +)) > abs(lagMs) * Double(kept.count) / Double(lags.count) / 2
    else { return nil }
    return (passedMs - lagMs) / passedMs
  }

  private static let least = 0.03
  private static let leastLagMs = 400.0
}
