import CallModel

/// What is known of an end besides its samples, for the findings.
public struct FindingContext: Sendable {
  /// What happened at this end, in order of time, told once.
  public var events: [EventRecord] = []
  /// When the call was over, where the recording goes on after it.
  public var overMs: Double?
  /// Times on hold, or of a medium whose direction was taken away, here or there.
  public var quiet: [QuietSpan] = []
  /// The same for the rules, and with what comes after the call.
  var quietTimes = QuietTimes()
  /// Freezes and pauses as the scorer placed them.
  public var frozen: [FrozenSpan] = []
  /// Times without sound that the scorer found nobody sent.
  public var unsent: [UnsentSpan] = []
  /// Streams that both the statistics and a capture saw.
  public var seenTwice: [StreamSeenTwice] = []
  /// The ways that another kind of source saw the packets take, where those that judge may have seen only one side of a NAT.
  public var waysSeenElsewhere: [PathHistory.Step] = []
  /// How far the clock of this end's source is off the other sources of the call, ms.
  public var clockSkewMs: Double?
  /// What bears witness of it, where that is worth saying.
  public var clockSkewEvidence: String?
  /// The least by which it must be off the other end's, where nobody knows by how much, ms.
  public var clocksApartMs: Double?
  /// How far a log of this end is ahead of what else was recorded here, where it is a zone that was mistaken, ms.
  public var mistakenZoneMs: Double?
  /// How far the clock of a log of this end is ahead of what else was recorded here, a mistaken zone aside, ms.
  public var logAheadMs: Double?
  /// The least by which a log of this end is off what else was recorded here, where nobody knows by how much, ms.
  public var logApartMs: Double?
  /// Sources that break off before their end: which, and why.
  public var brokenOff: [String] = []

  /// Nothing known.
  public init() {}
}

/// One stream as counted by the endpoint's statistics and by a capture.
public struct StreamSeenTwice: Sendable, Equatable {
  public var ssrc: UInt32?
  public var statsPackets: Double
  public var capturePackets: Double

  /// Both counts, of the same stretch of time.
  public init(ssrc: UInt32?, statsPackets: Double, capturePackets: Double) {
    self.ssrc = ssrc
    self.statsPackets = statsPackets
    self.capturePackets = capturePackets
  }
}
