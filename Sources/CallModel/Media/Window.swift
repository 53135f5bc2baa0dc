/// What took a window's quality, measured in the same way whatever the source (scoring: canonical impairments). Nil is unknown.
public struct WindowInputs: Sendable, Equatable {
  /// Share of packets lost before repair, 0–1.
  public var lossShare: Double?
  /// Share of audio played that was made up, 0–1.
  public var concealedShare: Double?
  /// Mouth to ear, ms.
  public var delayMs: Double?
  public var rttMs: Double?
  /// Share of the window in which video stood still, 0–1.
  public var freezeShare: Double?
  /// Frames per second while video moved.
  public var frameRate: Double?
  public var height: Double?
  public var bitrateBps: Double?
  /// Delay from the far microphone to the ear and from the far camera to the screen, ms, and how much later sound comes than its
  /// picture: of the playout timestamps, which see what lies behind a server.
  public var mouthToEarMs: Double?
  public var glassToGlassMs: Double?
  public var audioMinusVideoMs: Double?
  /// What `mouthToEarMs` rests on.
  public var delaySource: DelaySource?
  /// What coding and size left of the frames themselves, whether they came in time or not, 0–100.
  public var frameQuality: Double?

  /// Nothing known.
  public init() {}
}

/// What a delay from mouth to ear rests on.
public enum DelaySource: String, Sendable, CaseIterable {
  /// Timestamps of what was played (estimatedPlayoutTimestamp): all of the way, by one clock.
  case playout
  /// Half of a round trip, the jitter buffer and a constant: only to the next hop that ends RTCP.
  case roundTrip = "round-trip"
}

/// One scored interval of one end: a row of table `windows`.
public struct Window: Sendable, Equatable {
  /// How long it is, ms, unless somebody asked for other intervals, and but for the last.
  public static let lengthMs = 5000.0
  /// Longest run of windows in which nothing was observed that is written out one by one: a day.
  public static let maxEmpty = 17_280

  public var index: Int
  public var startMs: Double
  public var endMs: Double
  public var state: WindowState
  /// What takes all points of a stalled window: packets that were lost, and those that came too late.
  public static let causesOfStall: [Cause] = [.loss, .jitter]

  /// 0–100, nil unless active or stalled.
  public var score: Int?
  public var audioCQ: Double?
  public var audioLQ: Double?
  public var video: Double?
  /// Integers per cause that add up to 100 − score; nil where there is no score.
  public var pointsLost: ByCause<Int>?
  public var inputs: WindowInputs
  /// The score in the words of its model where it has some: `MOS 4.21`, `Good`.
  public var label: String?
  /// The client's own 0–100 that held at the end of the window.
  public var clientScore: Double?
  /// 0–1.
  public var confidence: Double?
  /// Whether a client's callback would have reported here: the first score, then only another integer.
  public var changed: Bool

  /// A window with nothing measured.
  public init(index: Int, startMs: Double, endMs: Double, state: WindowState) {
    self.index = index
    self.startMs = startMs
    self.endMs = endMs
    self.state = state
    self.inputs = WindowInputs()
    self.changed = false
  }
}
