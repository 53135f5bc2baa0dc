import CallModel

/// A period in which video was frozen, as precisely as statistics allow.
public struct FrozenSpan: Sendable, Equatable {
  /// Maximum number of spans of one kind reported for an end.
  public static let maxReported = 1000
  /// Maximum number of spans kept for one stream.
  static let maxKept = 10_000

  /// Index of the stream in the scorer's list.
  public var stream: Int
  public var startMs: Double
  public var endMs: Double
  /// Number of freezes counted for it; one report may count several.
  public var freezes: Int
  /// Length of a pause in it that the browser counted separately from freezes, ms; the mean if there were several. Nil
  /// if there was none.
  public var countedPauseMs: Double?

  /// Length, ms.
  public var lengthMs: Double { endMs - startMs }
  /// Whether it is a pause by length, whichever counter the browser used for it.
  public var isPause: Bool {
    freezes == 1 && lengthMs > Threshold.pause.value || countedPauseMs ?? 0 > Threshold.pause.value
  }
  /// The part of it that was a pause, ms: one report may count freezes besides a pause.
  public var pausedMs: Double { freezes == 1 ? lengthMs : countedPauseMs ?? lengthMs }
}

/// Places freezes in time: counters grow only when a freeze ends, and a freeze in progress appears as time without
/// frames.
struct FreezeAttribution {
  /// Minimum time without a frame that is a freeze if no counter says so, ms.
  static let shortestMs = 800.0

  /// A period in which video was frozen, consisting of one or more freezes.
  struct Frozen {
    var from: Double
    var to: Double
    var freezes: Double
    /// Where the freeze may lie: for a long one its own times, for a short one the whole time between two reports.
    var possible: (from: Double, to: Double)

    /// Whether it is from a counter rather than from time without frames.
    var isCounted: Bool
    /// Whether it is the wait for the first frame rather than video that froze.
    var isBeforeFirst = false
    /// Mean length of the pauses in it that are counted separately from freezes, ms.
    var countedPauseMs: Double? = nil

    init(
      from: Double, to: Double, freezes: Double, possible: (from: Double, to: Double)? = nil,
      isCounted: Bool = false
    ) {
      self.isCounted = isCounted
      self.from = from
      self.to = to
      self.freezes = freezes
      self.possible = possible ?? (from, to)
    }
  }

  /// Start and end of the last segment with frames.
  private var progress: (from: Double, to: Double)?
  /// Mean gap between about the last 30 frames, ms, and the number of frames it is derived from.
  private var gapMeanMs = 50.0
  private var seen = 0.0
  /// Frames decoded so far, up to the number from which the freeze counter is complete.
  private var decoded = 0.0
  /// Whether no frame has arrived yet.
  private var isWaiting = false
  /// Whether frames are sent only when the content changes.
  private let isScreen: Bool
  /// Whether packets or frames were lost in the last segment with frames or since, and whether a key frame was
  /// requested. A receiver requests one by itself if no frame arrives for long.
  private var hadLoss = false
  private var hadKeyFrameRequest = false
  /// When the shared content changed at its source, according to the sender's statistics.
  private let motion: SpanSet?

  /// - Parameters:
  ///   - isScreen: whether it is a screen share. Standing still is no freeze for it unless something was lost or not
  ///     decoded, or the content moved at its source, or packets were lost according to the far end's count; if there
  ///     is no such count, unless a key frame was requested.
  ///   - motion: when the content moved at its source, if known.
  init(isScreen: Bool = false, motion: SpanSet? = nil) {
    self.isScreen = isScreen
    self.motion = motion
  }

  /// The earliest possible start of the next freeze; nil if no video was seen to move.
  var openSinceMs: Double? { progress?.from }

  /// Takes the next segment and the far end's packet count; returns the freeze that ended in it.
  mutating func add(_ segment: Segment, _ sent: SenderCount) -> Frozen? {
    guard let moved = segment.hadFrames else { return counted(segment, stalled: nil) }
    let lossNow = Self.hasLoss(segment)
    let keyFrameRequestNow = segment.growth[.pli] ?? 0 > 0
    if lossNow { hadLoss = true }
    if keyFrameRequestNow { hadKeyFrameRequest = true }
    guard moved else {
      if progress == nil {
        progress = (segment.from, segment.from)
        isWaiting = decoded == 0
      }
      return nil
    }
    let stalled = progress.flatMap { segment.from > $0.to ? (from: $0.to, to: segment.from) : nil }
    let frozen = counted(segment, stalled: stalled)
    isWaiting = false
    decoded = min(Self.establishedFrames, decoded + (segment.growth[.frames] ?? 0))
    learn(segment, since: progress?.to ?? segment.from)
    let since = progress?.to ?? segment.from
    progress = (segment.from, segment.to)
    defer { (hadLoss, hadKeyFrameRequest) = (lossNow, keyFrameRequestNow) }
    return frozen.flatMap { isForgiven($0, from: since, to: segment.from, sent) ? nil : $0 }
  }

  /// Forgets when frames last arrived, but not their usual gap.
  mutating func interrupt() { progress = nil }

  /// The freeze in progress at the end of the recording.
  func finish(at end: Double, _ sent: SenderCount) -> Frozen? {
    guard let progress, end - progress.to >= longEnough else { return nil }
    var frozen = Frozen(from: progress.to, to: end, freezes: 1)
    frozen.isBeforeFirst = isWaiting
    return isForgiven(frozen, from: progress.to, to: end, sent) ? nil : frozen
  }

  /// As in the rule of W3C and libwebrtc, gaps are compared with the mean of the last 30: slow video does not freeze.
  private mutating func learn(_ segment: Segment, since: Double) {
    guard let frames = segment.growth[.frames], frames > 0 else { return }
    let moving = max(0, segment.to - since - segment.frozenMs)
    seen = min(30, seen + frames)
    gapMeanMs += (moving / frames - gapMeanMs) * min(1, frames / seen)
  }

  /// Whether the period is no freeze because there was nothing new to show.
  private func isForgiven(_ frozen: Frozen, from: Double, to: Double, _ sent: SenderCount) -> Bool {
    isScreen && !hadLoss && !hasMoved(frozen)
      && !(sent.isPictureLost(from: from, to: to) ?? hadKeyFrameRequest)
  }

  /// Whether the content moved at its source for at least half of the period.
  private func hasMoved(_ frozen: Frozen) -> Bool {
    guard let motion else { return false }
    return motion.covered(from: frozen.from, to: frozen.to) >= (frozen.to - frozen.from) / 2
  }

  private static func hasLoss(_ segment: Segment) -> Bool {
    let growth = segment.growth
    // One frame is always in the decoder.
    let undecoded = (growth[.framesReceived] ?? 0) - (growth[.frames] ?? 0) - (growth[.framesDropped] ?? 0)
    return growth[.lost] ?? 0 > 0 || undecoded > 1
  }

  /// Maximum gap between frames of video that continues as before, ms.
  private var slowestMs: Double { 3 * gapMeanMs }
  private var longEnough: Double { max(Self.shortestMs, slowestMs) }

  /// Number of frames from which a browser's freeze counter is complete: it compares with the mean of the last 30 gaps
  /// and misses freezes among the first of them.
  private static let establishedFrames = 30.0
  /// Defaults while nothing is known of the call: the usual gap between frames, and the minimum length of a freeze, ms.
  private static let usualGapMs = 50.0
  private static let shortestEarlyMs = 500.0

  /// Freezes among the first frames, derived from the sum of the gaps and the sum of their squares, which a number of
  /// usual gaps and of equal long ones must explain. Nil if there is no long gap or no such counter; also if the gaps
  /// are as long as earlier ones and nothing was lost: that is slow video, such as a screen share.
  private func earlyFreezes(_ segment: Segment) -> (lengthMs: Double, freezes: Double)? {
    guard decoded < Self.establishedFrames, let frames = segment.growth[.frames], frames > 0,
      let sum = segment.growth[.interFrameDelayMs], let squares = segment.growth[.squaredInterFrameDelayS2]
    else { return nil }
    let usual = min(Self.usualGapMs, sum / frames)
    let beyond = sum - frames * usual
    let squaresBeyond = squares * 1e6 - frames * usual * usual
    guard beyond > 0, squaresBeyond > 0 else { return nil }
    let gap = squaresBeyond / beyond - usual
    guard gap >= Self.shortestEarlyMs, hadLoss || gap >= slowestMs else { return nil }
    return (beyond * gap / (gap - usual), beyond / (gap - usual))
  }

  private func counted(_ segment: Segment, stalled: (from: Double, to: Double)?) -> Frozen? {
    var (length, freezes) = (segment.frozenMs, segment.freezes)
    if let early = earlyFreezes(segment), early.lengthMs > length {
      (length, freezes) = (min(early.lengthMs, WindowCut.lengthMs * 12), max(freezes, early.freezes))
    }
    guard length > 0 else {
      guard let stalled, stalled.to - stalled.from >= longEnough else { return nil }
      var frozen = Frozen(from: stalled.from, to: stalled.to, freezes: 1)
      frozen.isBeforeFirst = isWaiting
      return frozen
    }
    // It began in the last segment with frames (or in this one) and ended in this one: take the middle of the possible
    // range.
    let earliest = max(progress?.from ?? segment.from, segment.from - length)
    let latest = max(earliest, min(stalled?.from ?? .infinity, segment.to - length))
    let begin = (earliest + latest) / 2
    let end = min(segment.to, begin + length)
    var frozen = Frozen(
      from: min(begin, stalled?.from ?? begin), to: max(end, stalled?.to ?? end),
      freezes: max(1, freezes),
      possible: stalled == nil && latest - earliest > length ? (earliest, latest + length) : nil,
      isCounted: segment.frozenMs > 0)
    if segment.pauses > 0 { frozen.countedPauseMs = segment.pausedMs / segment.pauses }
    return frozen
  }
}
