import CallModel

/// Puts freezes where they happened: counters grow only when a freeze ends, and an ongoing one is seen as time without frames.
struct FreezeAttribution {
  /// Shortest time without a frame that is taken for a freeze where no counter says so.
  static let shortestMs = 800.0

  /// A time in which the picture stood still, as one or several freezes.
  struct Frozen {
    var from: Double
    var to: Double
    var freezes: Double
    /// Where it can have been: the same for a long one, the whole of a report's time for a short one.
    var possible: (from: Double, to: Double)

    /// Whether a counter says so, rather than a time without frames.
    var isCounted: Bool
    /// Whether it is the time before the first picture rather than a picture that stood still.
    var isBeforeFirst = false
    /// Mean length of the pauses in it that are counted apart from freezes.
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

  /// Begin and end of the segment in which frames last came.
  private var progress: (from: Double, to: Double)?
  /// Mean gap between the last 30 frames or so, and the frames it was learnt from.
  private var gapMeanMs = 50.0
  private var seen = 0.0
  /// Frames decoded so far, as far as it matters whether the counter of freezes is complete.
  private var decoded = 0.0
  /// Whether no picture has come yet.
  private var isWaiting = false
  /// Whether frames come only when there is something new to show.
  private let isScreen: Bool
  /// Whether something went wrong in the last segment with frames, or since, and whether a key frame was asked for: a receiver does
  /// that by itself where no frame comes for long.
  private var isHarmed = false
  private var isAsked = false
  /// When what is shown moved where it was captured, by the statistics of who shares it.
  private let motion: SpanSet?

  /// - Parameters:
  ///   - isScreen: of a screen that is shared; it stands still where nothing is lost or left undecoded, nor moved at its
  ///     source, nor, where the far end does not say what it sent, asked for again.
  ///   - motion: when it moved at its source, as far as anyone tells.
  init(isScreen: Bool = false, motion: SpanSet? = nil) {
    self.isScreen = isScreen
    self.motion = motion
  }

  /// The earliest that the next freeze can have begun, nil where nothing was seen to move.
  var openSinceMs: Double? { progress?.from }

  /// Takes the next segment, and what the far end says it sent; gives back the freeze that ended in it.
  mutating func add(_ segment: Segment, _ sent: SenderCount) -> Frozen? {
    guard let moved = segment.hadFrames else { return booked(segment, stalled: nil) }
    let harmedNow = Self.harms(segment)
    let askedNow = segment.growth[.pli] ?? 0 > 0
    if harmedNow { isHarmed = true }
    if askedNow { isAsked = true }
    guard moved else {
      if progress == nil {
        progress = (segment.from, segment.from)
        isWaiting = decoded == 0
      }
      return nil
    }
    let stalled = progress.flatMap { segment.from > $0.to ? (from: $0.to, to: segment.from) : nil }
    let frozen = booked(segment, stalled: stalled)
    isWaiting = false
    decoded = min(Self.establishedFrames, decoded + (segment.growth[.frames] ?? 0))
    learn(segment, since: progress?.to ?? segment.from)
    let since = progress?.to ?? segment.from
    progress = (segment.from, segment.to)
    defer { (isHarmed, isAsked) = (harmedNow, askedNow) }
    return frozen.flatMap { isForgiven($0, from: since, to: segment.from, sent) ? nil : $0 }
  }

  /// Forgets when frames last came; how they come is still known.
  mutating func interrupt() { progress = nil }

  /// The freeze that was going on when the recording ended.
  func finish(at end: Double, _ sent: SenderCount) -> Frozen? {
    guard let progress, end - progress.to >= longEnough else { return nil }
    var frozen = Frozen(from: progress.to, to: end, freezes: 1)
    frozen.isBeforeFirst = isWaiting
    return isForgiven(frozen, from: progress.to, to: end, sent) ? nil : frozen
  }

  /// The rule of W3C and libwebrtc compares with the mean of the last 30 gaps: what comes slowly does not freeze.
  private mutating func learn(_ segment: Segment, since: Double) {
    guard let frames = segment.growth[.frames], frames > 0 else { return }
    let moving = max(0, segment.to - since - segment.frozenMs)
    seen = min(30, seen + frames)
    gapMeanMs += (moving / frames - gapMeanMs) * min(1, frames / seen)
  }

  /// Whether what stood still had nothing to show.
  private func isForgiven(_ frozen: Frozen, from: Double, to: Double, _ sent: SenderCount) -> Bool {
    isScreen && !isHarmed && !hasMoved(frozen) && !(sent.isPictureLost(from: from, to: to) ?? isAsked)
  }

  /// Whether it moved at its source for most of the time.
  private func hasMoved(_ frozen: Frozen) -> Bool {
    guard let motion else { return false }
    return motion.covered(from: frozen.from, to: frozen.to) >= (frozen.to - frozen.from) / 2
  }

  private static func harms(_ segment: Segment) -> Bool {
    let growth = segment.growth
    // One frame is always on its way through the decoder.
    let undecoded = (growth[.framesReceived] ?? 0) - (growth[.frames] ?? 0) - (growth[.framesDropped] ?? 0)
    return growth[.lost] ?? 0 > 0 || undecoded > 1
  }

  /// Between frames of a picture that comes as before there is no more than this, ms.
  private var slowestMs: Double { 3 * gapMeanMs }
  private var longEnough: Double { max(Self.shortestMs, slowestMs) }

  /// Frames from which a browser's counter of freezes is complete: it compares with the mean of the last 30 gaps, and misses what
  /// stood still among the first of them.
  private static let establishedFrames = 30.0
  /// While nothing is known of the call: the usual gap between frames, and the shortest freeze, ms.
  private static let usualGapMs = 50.0
  private static let shortestEarlyMs = 500.0

  /// What stood still among the first frames, by their gaps: their sum and the sum of their squares are those of usual gaps and of
  /// equal long ones. Nil where there is no long one, or nobody counts; and where gaps are as long as those before them and
  /// nothing went wrong: that is a slow picture, as of a screen.
  private func earlyFreezes(_ segment: Segment) -> (lengthMs: Double, freezes: Double)? {
    guard decoded < Self.establishedFrames, let frames = segment.growth[.frames], frames > 0,
      let sum = segment.growth[.interFrameDelayMs], let squares = segment.growth[.squaredInterFrameDelayS2]
    else { return nil }
    let usual = min(Self.usualGapMs, sum / frames)
    let beyond = sum - frames * usual
    let squaresBeyond = squares * 1e6 - frames * usual * usual
    guard beyond > 0, squaresBeyond > 0 else { return nil }
    let gap = squaresBeyond / beyond - usual
    guard gap >= Self.shortestEarlyMs, isHarmed || gap >= slowestMs else { return nil }
    return (beyond * gap / (gap - usual), beyond / (gap - usual))
  }

  private func booked(_ segment: Segment, stalled: (from: Double, to: Double)?) -> Frozen? {
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
    // It began in the last segment with frames (or in this one) and ended in this one: the middle of what is possible.
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
