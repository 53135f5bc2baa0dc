/// What a viewer saw: frames at screen refreshes, with freezes and pauses as defined by W3C webrtc-stats.
///
/// Frames are counted with a delay: a receiver that requests a key frame has displayed nothing for three seconds, so
/// frames assumed to have been displayed meanwhile are taken back.
public struct FreezeDetector {
  /// A rendered frame, times in ms on the playout's scale.
  struct Frame {
    var shownMs: Double
    var delayMs: Double
    var wantedMs: Double
    /// Whether some of it was missing at first, so that its completeness is an assumption.
    var isGuessed: Bool
    /// Whether nothing was meant to be displayed before it.
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

  /// Refresh interval of most screens: of two frames in one interval, the later is displayed.
  private static let refreshMs = 1000.0 / 60
  /// A longer interval is a pause (webrtc-stats).
  private static let pauseFromMs = 5000.0
  /// Number of intervals before a freeze can be detected (libwebrtc).
  private static let fewest = 5
  /// libwebrtc requests a key frame when nothing could be decoded for this long (`video_receive_stream2.cc`).
  private static let waitMs = 3000.0
  /// Additional time from the last decoded frame to the request.
  private static let slackMs = 10.0
  /// How long frames may still be taken back.
  public static let settleMs = waitMs + 100
  /// The most such frames: faster streams are counted sooner.
  private static let most = 1024

  /// Adds a displayed frame; times ascend.
  mutating func show(_ frame: Frame) {
    pending.append(frame)
    if pending.count > Self.most { settle(upTo: pending[pending.count / 2].shownMs) }
  }

  /// Takes back frames that contradict a key frame request: everything since the receiver began to wait, if that was a
  /// frame only assumed to be complete.
  mutating func keyFrameAsked(atMs ms: Double) {
    let since = ms - Self.waitMs + Self.slackMs
    guard let first = pending.firstIndex(where: { $0.shownMs > since }), pending[first].isGuessed else {
      return
    }
    pending.removeSubrange(first...)
  }

  /// Finally counts the frames displayed up to a time.
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
