import CallModel

/// What the findings use besides the samples of an end.
public struct FindingContext: Sendable {
  /// Events at this end, in time order, without duplicates.
  public var events: [EventRecord] = []
  /// When the call ended, if the recording goes on after it.
  public var overMs: Double?
  /// Times on hold, or in which the direction of a medium excluded receiving it, set by either end.
  public var quiet: [QuietSpan] = []
  /// The same in a form for the rules, including the time after the call.
  var quietTimes = QuietTimes()
  /// Freezes and pauses as placed by the scorer.
  public var frozen: [FrozenSpan] = []
  /// Periods without audio that, according to the scorer, was not sent.
  public var unsent: [UnsentSpan] = []
  /// Streams seen both by statistics and by a capture.
  public var seenTwice: [StreamSeenTwice] = []
  /// Network paths seen by another kind of source, if the judged sources may have seen only one side of a NAT.
  public var pathsSeenElsewhere: [PathHistory.Step] = []
  /// Offset of this end's clock from the other sources of the call, ms.
  public var clockSkewMs: Double?
  /// The same of the source that judges this end, ms.
  public var judgingSkewMs: Double?
  /// How far another capture is ahead of the one that judges this end, ms.
  public var otherCaptureMs: Double?
  /// The evidence for that offset, if worth reporting.
  public var clockSkewEvidence: String?
  /// Minimum offset from the other end's clock if the exact value is unknown, ms.
  public var clocksApartMs: Double?
  /// How far a log of this end is ahead of its other sources because of a mistaken time zone, ms.
  public var mistakenZoneMs: Double?
  /// How far the clock of a log of this end is ahead of its other sources, apart from a mistaken time zone, ms.
  public var logAheadMs: Double?
  /// Minimum offset of a log of this end from its other sources if the exact value is unknown, ms.
  public var logApartMs: Double?
  /// Names of truncated sources, and why they break off.
  public var brokenOff: [String] = []

  public init() {}
}

/// The packet counts of one stream in the endpoint's statistics and in a capture.
public struct StreamSeenTwice: Sendable, Equatable {
  public var ssrc: UInt32?
  public var statsPackets: Double
  public var capturePackets: Double

  /// Creates the pair of counts, which cover the same period.
  public init(ssrc: UInt32?, statsPackets: Double, capturePackets: Double) {
    self.ssrc = ssrc
    self.statsPackets = statsPackets
    self.capturePackets = capturePackets
  }
}
