/// What impaired a window's quality, measured in the same way for every source (scoring: canonical
/// impairments). Nil is unknown.
public struct WindowInputs: Sendable, Equatable {
  /// Share of packets lost before repair, 0–1.
  public var lossShare: Double?
  /// Share of played audio that was concealed, 0–1.
  public var concealedShare: Double?
  /// Mouth to ear, ms.
  public var delayMs: Double?
  public var rttMs: Double?
  /// Share of the window in which video was frozen, 0–1.
  public var freezeShare: Double?
  /// Frames per second while video was not frozen.
  public var frameRate: Double?
  public var height: Double?
  public var bitrateBps: Double?
  /// Delay from the far microphone to the ear and from the far camera to the screen, ms, and how far audio
  /// lags behind video: from playout timestamps, which cover the path beyond a server.
  public var mouthToEarMs: Double?
  public var glassToGlassMs: Double?
  public var audioMinusVideoMs: Double?
  /// How `mouthToEarMs` was measured.
  public var delaySource: DelaySource?
  /// Quality left after encoding and scaling, whether or not the frames arrived in time, 0–100.
  public var frameQuality: Double?

  /// All unknown.
  public init() {}
}

/// How a mouth-to-ear delay was measured.
public enum DelaySource: String, Sendable, CaseIterable {
  /// Playout timestamps (estimatedPlayoutTimestamp): the whole path, by one clock.
  case playout
  /// Half a round trip, the jitter buffer and a constant: only to the next hop that terminates RTCP.
  case roundTrip = "round-trip"
}

/// One scored interval of one end: a row of the table `windows`.
public struct Window: Sendable, Equatable {
  /// Default length, ms. The last window of a call may be shorter.
  public static let lengthMs = 5000.0
  /// The most consecutive windows without observations that are stored one by one: a day.
  public static let maxEmpty = Limit.emptyWindows.value

  public var index: Int
  public var startMs: Double
  public var endMs: Double
  public var state: WindowState
  /// The causes charged with all points of a stalled window: lost packets, late packets, and what came of them.
  public static let causesOfStall: [Cause] = [.loss, .jitter, .freeze, .silence, .playout]

  /// 0–100; nil unless active or stalled.
  public var score: Int?
  public var audioCQ: Double?
  public var audioLQ: Double?
  public var video: Double?
  /// Integers per cause that add up to 100 − score; nil if there is no score.
  public var pointsLost: ByCause<Int>?
  public var inputs: WindowInputs
  /// The score in its model's own terms, if it has any: `MOS 4.21`, `Good`.
  public var label: String?
  /// The client's own score, 0–100, at the end of the window.
  public var clientScore: Double?
  /// 0–1.
  public var confidence: Double?
  /// Whether a client's callback would have fired here: at the first score, then at each different integer.
  public var changed: Bool

  /// A window without measurements.
  public init(index: Int, startMs: Double, endMs: Double, state: WindowState) {
    self.index = index
    self.startMs = startMs
    self.endMs = endMs
    self.state = state
    self.inputs = WindowInputs()
    self.changed = false
  }
}
