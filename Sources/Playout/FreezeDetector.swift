/// What a viewer saw: frames at the refreshes of a screen, and freezes and pauses by the rule of W3C webrtc-stats.
///
/// Frames are settled a while after they came: a receiver that asks for a key frame has shown nothing for three seconds, so
/// what was thought to be shown meanwhile is taken back.
public struct FreezeDetector {
  /// A frame handed to the screen, times in ms on the playout's scale.
  struct Frame {
    var shownMs: Double
    var delayMs: Double
    var wantedMs: Double
    /// Whether something of it was missing at first, so that it is only thought to have become whole.
    var isGuessed: Bool
    /// Whether nothing was to be seen before it.
    var isRested = false
  }

  private var pending: [Frame] = []
  private var lastMs: Double?
  private var lastRefreshMs: Double?
  private var intervals = InlineArray<30, Double>(repeating: 0)
  private var intervalCount = 0
  private var intervalSum = 0.0

  public private(set) var frames = 0
  public private(set) var delaySumMs = 0.0
  public private(set) var wantedSumMs = 0.0
  public private(set) var intervalMs = 0.0
  public private(set) var squaredIntervalS2 = 0.0
  public private(set) var freezeCount = 0
  public private(set) var freezeMs = 0.0
  public private(set) var pauseCount = 0
  public private(set) var pauseMs = 0.0

  /// Time between refreshes, as most screens have it: of two frames in one, the later is seen.
  private static let refreshMs = 1000.0 / 60
  /// A longer interval is a pause (webrtc-stats).
  private static let pauseFromMs = 5000.0
  /// Intervals needed before a freeze can be told (libwebrtc).
  private static let fewest = 5
  /// libwebrtc asks for a key frame when nothing could be decoded for so long (`video_receive_stream2.cc`).
  private static let waitMs = 3000.0
  /// From the last frame decoded to the request, beyond that.
  private static let slackMs = 10.0
  /// How long frames stay open to doubt.
  public static let settleMs = waitMs + 100
  /// Frames open to doubt at most: faster streams are settled sooner.
  private static let most = 1024

  /// Shows a frame; times ascend.
  mutating func show(_ frame: Frame) {
    pending.append(frame)
    if pending.count > Self.most { settle(upTo: pending[pending.count / 2].shownMs) }
  }

  /// Takes back what would contradict a request for a key frame: everything since the receiver began to wait, if that began
  /// with a frame that was only thought to have become whole.
  mutating func keyFrameAsked(atMs ms: Double) {
    let since = ms - Self.waitMs + Self.slackMs
    guard let first = pending.firstIndex(where: { $0.shownMs > since }), pending[first].isGuessed else {
      return
    }
    pending.removeSubrange(first...)
  }

  /// Counts the frames shown up to a moment for good.
  mutating func settle(upTo ms: Double) {
    var count = 0
    while count < pending.count && pending[count].shownMs <= ms {
      add(pending[count])
      count += 1
    }
    pending.removeFirst(count)
  }

  private mutating func add(_ frame: Frame) {
    frames += 1
    delaySumMs += frame.delayMs
    wantedSumMs += frame.wantedMs
    if frame.isRested { (lastMs, lastRefreshMs) = (nil, nil) }
    if let last = lastMs {
      intervalMs += frame.shownMs - last
      squaredIntervalS2 += (frame.shownMs - last) * (frame.shownMs - last) / 1e6
    }
    lastMs = frame.shownMs
    let refresh = (frame.shownMs / Self.refreshMs).rounded(.up) * Self.refreshMs
    if let last = lastRefreshMs, refresh - last > Self.refreshMs / 2 { changed(after: refresh - last) }
    lastRefreshMs = refresh
  }

  private mutating func changed(after ms: Double) {
    let mean = intervalCount > 0 ? intervalSum / Double(min(intervalCount, 30)) : 0
    if ms > Self.pauseFromMs {
      pauseCount += 1
      pauseMs += ms
    } else if intervalCount >= Self.fewest && ms >= max(3 * mean, mean + 150) {
      freezeCount += 1
      freezeMs += ms
    }
    let slot = intervalCount % 30
    if intervalCount >= 30 { intervalSum -= intervals[slot] }
    intervals[slot] = ms
    intervalSum += ms
    intervalCount += 1
  }
}
