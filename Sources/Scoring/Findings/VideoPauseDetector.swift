import CallModel

/// A picture that is asked for again and again, thrown away by a slow receiver, or that stands still.
struct VideoPauseDetector {
  /// Requests for a key frame a second that are a storm.
  static let stormRate = 0.5
  /// Share of frames dropped that a receiver cannot blame on the network while less than `calmLoss` is lost.
  static let droppedShare = 0.1
  static let calmLoss = 0.02

  private var storm = Hysteresis(onAfterMs: 10_000, offAfterMs: 5000)
  private var dropping = Hysteresis(onAfterMs: 10_000, offAfterMs: 3000)
  private var stopped = StoppedPicture()
  /// When key frames were last asked for.
  private var askedMs: Double?

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    stopped.see(sample, after: earlier, role)
    guard role.kind == .video, role.direction != .outbound else { return }
    func grown(_ metric: Metric) -> Double? {
      guard let before = earlier[metric], let after = sample[metric] else { return nil }
      return max(0, after - before)
    }
    if let asked = grown(.pli) { ask(asked, from: earlier.timeMs, to: sample.timeMs) }
    if let dropped = grown(.framesDropped), let received = grown(.framesReceived), received > 0 {
      let loss = (grown(.lost) ?? 0) / max(1, grown(.packets) ?? 1)
      // Of what cannot be decoded at all (no key to it, an unknown codec) frames are dropped as well.
      let isDecoded = grown(.frames).map { $0 > 0 } ?? true
      dropping.observe(
        dropped / received > Self.droppedShare && loss < Self.calmLoss && isDecoded, from: earlier.timeMs,
        to: sample.timeMs)
    }
  }

  /// Takes requests in the time between two reports: what counts is how many come since the ones before.
  private mutating func ask(_ asked: Double, from: Double, to: Double) {
    let since = min(from, askedMs ?? from)
    if asked > 0 {
      storm.observe(asked * 1000 >= Self.stormRate * (to - since), from: since, to: to)
      askedMs = to
    } else if (to - since) * Self.stormRate > 1000 {
      storm.observe(false, from: since, to: to)
    }
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    storm.finish()
    dropping.finish()
    var findings = storm.spans.map { span in
      Finding(
        "pli-storm", .warning, from: span.start, to: span.end,
        Evidence().with("storm_ms", span.end - span.start).with("threshold_per_s", Self.stormRate),
        "The picture is asked for anew all the time for \(seconds(span.end - span.start)).")
    }
    findings += dropping.spans.map { span in
      Finding(
        "cpu-limited", .warning, from: span.start, to: span.end,
        Evidence().with("dropping_ms", span.end - span.start).with(
          "dropped_share_threshold", Self.droppedShare
        )
        .with("by", "framesDropped"),
        "This end throws frames away for \(seconds(span.end - span.start)) though the network delivers them.")
    }
    var pauses = context.frozen.filter(\.isPause).map {
      (span: (start: $0.startMs, end: $0.endMs), pausedMs: $0.pausedMs)
    }
    let blank = stopped.undecoded
    if let last = stopped.span ?? blank,
      !pauses.contains(where: { $0.span.end > last.start + FrozenSpan.pauseMs })
    {
      pauses.append((last, last.end - last.start))
    }
    findings += pauses.filter { !context.quietTimes.hasMost(of: $0.span, .video) }.map { span, pausedMs in
      Finding(
        "video-paused", .warning, from: span.start, to: span.end,
        Evidence().with("paused_ms", pausedMs),
        blank == nil
          ? "The picture stands still for \(seconds(pausedMs))."
          : "There is no picture for \(seconds(pausedMs)): its packets come, and not one frame could be decoded."
      )
    }
    return findings
  }
}

/// A picture that stopped for good, or never began, while packets of it or sound came: browsers count a pause only when the next
/// frame ends it.
struct StoppedPicture {
  /// When a picture last moved, and whether that was a screen, which may stand still.
  private var moved: (lastMs: Double, isScreen: Bool)?
  /// Since when packets of a picture came, while no frame had been decoded.
  private var blankSinceMs: Double?
  /// Up to when streams of pictures were reported, and when sound, or packets of a picture whose frames are counted, last came.
  private var reportedMs = -Double.infinity
  private var cameMs = -Double.infinity

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.direction != .outbound else { return }
    func grew(_ metric: Metric) -> Bool? {
      guard let before = earlier[metric], let after = sample[metric] else { return nil }
      return after > before
    }
    let last = sample.lastPacketTime(after: earlier.timeMs) ?? sample.timeMs
    switch role.kind {
    case .audio: if grew(.packets) == true { cameMs = max(cameMs, last) }
    case .video:
      // A capture soon samples no more what fell silent; statistics have a picture until it is taken away.
      reportedMs = role.source == .capture ? .infinity : max(reportedMs, sample.timeMs)
      if role.source == .stats, grew(.packets) == true, let frames = sample[.frames] {
        cameMs = max(cameMs, last)
        if frames == 0 { blankSinceMs = blankSinceMs ?? earlier.timeMs }
      }
      if grew(.frames) ?? grew(.packets) ?? false, moved.map({ $0.lastMs < last }) ?? true {
        moved = (last, role.isScreen)
      }
    case nil: break
    }
  }

  /// From its last frame on, for as long as anything came and it was reported; nil where that is no pause.
  var span: (start: Double, end: Double)? {
    guard let moved, !moved.isScreen else { return nil }
    return pause(since: moved.lastMs)
  }

  /// From the first packets on, where no frame was ever decoded; nil otherwise.
  var undecoded: (start: Double, end: Double)? { moved == nil ? blankSinceMs.flatMap(pause) : nil }

  private func pause(since start: Double) -> (start: Double, end: Double)? {
    let end = min(cameMs, reportedMs)
    return end - start > FrozenSpan.pauseMs ? (start, end) : nil
  }
}
