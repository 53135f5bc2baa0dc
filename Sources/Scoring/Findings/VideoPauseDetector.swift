import CallModel

/// Detects video that needs key frames again and again, is dropped by a slow receiver, or freezes.
struct VideoPauseDetector {
  private var storm = Hysteresis(onAfterMs: Threshold.requestedFor.value, offAfterMs: 5000)
  private var dropping = Hysteresis(onAfterMs: Threshold.droppingFor.value, offAfterMs: 3000)
  private var stopped = StoppedPicture()
  /// When key frames were last requested.
  private var keyFrameRequestMs: Double?

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    stopped.see(sample, after: earlier, role)
    guard role.kind == .video, role.direction != .outbound else { return }
    func grown(_ metric: Metric) -> Double? {
      guard let before = earlier[metric], let after = sample[metric] else { return nil }
      return max(0, after - before)
    }
    if let requests = grown(.pli) { addKeyFrameRequests(requests, from: earlier.timeMs, to: sample.timeMs) }
    if let dropped = grown(.framesDropped), let received = grown(.framesReceived), received > 0 {
      let loss = (grown(.lost) ?? 0) / max(1, grown(.packets) ?? 1)
      // If video cannot be decoded at all (no key, unknown codec), its frames are dropped too.
      let isDecoded = grown(.frames).map { $0 > 0 } ?? true
      dropping.observe(
        dropped / received > Threshold.droppedShare.value && loss < Threshold.droppingLoss.value && isDecoded,
        from: earlier.timeMs,
        to: sample.timeMs)
    }
  }

  /// Takes the requests between two reports: the rate is measured since the previous requests.
  private mutating func addKeyFrameRequests(_ requests: Double, from: Double, to: Double) {
    let since = min(from, keyFrameRequestMs ?? from)
    if requests > 0 {
      storm.observe(requests * 1000 >= Threshold.keyFrameRequests.value * (to - since), from: since, to: to)
      keyFrameRequestMs = to
    } else if (to - since) * Threshold.keyFrameRequests.value > 1000 {
      storm.observe(false, from: since, to: to)
    }
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    storm.finish()
    dropping.finish()
    var findings = storm.spans.map { span in
      Finding(
        .pliStorm, .warning, from: span.start, to: span.end,
        Evidence().with("storm_ms", span.end - span.start).with(
          "threshold_per_s", Threshold.keyFrameRequests.value),
        "The picture is asked for anew all the time for \(seconds(span.end - span.start)).")
    }
    findings += dropping.spans.map { span in
      Finding(
        .cpuLimited, .warning, from: span.start, to: span.end,
        Evidence().with("dropping_ms", span.end - span.start).with(
          "dropped_share_threshold", Threshold.droppedShare.value
        )
        .with("by", "framesDropped"),
        "This end throws frames away for \(seconds(span.end - span.start)) though the network delivers them.")
    }
    var pauses = context.frozen.filter(\.isPause).map {
      (span: (start: $0.startMs, end: $0.endMs), pausedMs: $0.pausedMs)
    }
    let blank = stopped.undecoded
    if let last = stopped.span ?? blank,
      !pauses.contains(where: { $0.span.end > last.start + Threshold.pause.value })
    {
      pauses.append((last, last.end - last.start))
    }
    findings += pauses.filter { !context.quietTimes.hasMost(of: $0.span, .video) }.map { span, pausedMs in
      let undecodedMs = stopped.undecodedTimes.covered(from: span.start, to: span.end)
      let isUndecoded = undecodedMs > (span.end - span.start) / 2
      let text =
        blank == nil
        ? "The picture is frozen for \(seconds(pausedMs))\(isUndecoded ? ": its packets come, and no frame is decoded" : "")."
        : "There is no picture for \(seconds(pausedMs)): its packets come, and not one frame could be decoded."
      return Finding(
        .videoPaused, .warning, from: span.start, to: span.end,
        Evidence().with("paused_ms", pausedMs).with("undecoded_ms", isUndecoded ? undecodedMs : nil), text)
    }
    return findings
  }
}

/// Video that stopped for good or never began, while its packets or audio arrived: browsers count a pause only when the
/// next frame ends it.
struct StoppedPicture {
  /// When video last moved, and whether it was a screen share, which may be static.
  private var moved: (lastMs: Double, isScreen: Bool)?
  /// Since when video packets have arrived without any decoded frame.
  private var blankSinceMs: Double?
  /// Until when video streams were reported, and when audio, or packets of a video stream with a frame counter, last
  /// arrived.
  private var reportedMs = -Double.infinity
  /// When packets of a picture came, and no frame was decoded.
  private var undecodedSpans: [(start: Double, end: Double)] = []

  var undecodedTimes: SpanSet { SpanSet(undecodedSpans) }
  private var cameMs = -Double.infinity

  /// Takes a sample and its predecessor.
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
      // A capture soon stops sampling a silent stream; statistics report video until it is removed.
      reportedMs = role.source == .capture ? .infinity : max(reportedMs, sample.timeMs)
      if role.source == .stats, grew(.packets) == true, let frames = sample[.frames] {
        cameMs = max(cameMs, last)
        if frames == 0 { blankSinceMs = blankSinceMs ?? earlier.timeMs }
        if earlier[.frames] == frames { addUndecoded(from: earlier.timeMs, to: sample.timeMs) }
      }
      if grew(.frames) ?? grew(.packets) ?? false, moved.map({ $0.lastMs < last }) ?? true {
        moved = (last, role.isScreen)
      }
    case nil: break
    }
  }

  private mutating func addUndecoded(from start: Double, to end: Double) {
    if let last = undecodedSpans.last, start <= last.end {
      undecodedSpans[undecodedSpans.count - 1].end = max(last.end, end)
    } else if undecodedSpans.count < Hysteresis.maxKept {
      undecodedSpans.append((start, end))
    }
  }

  /// From the last frame for as long as anything arrived and video was reported; nil if that is too short for a pause.
  var span: (start: Double, end: Double)? {
    guard let moved, !moved.isScreen else { return nil }
    return pause(since: moved.lastMs)
  }

  /// From the first packets, if no frame was ever decoded; nil otherwise.
  var undecoded: (start: Double, end: Double)? { moved == nil ? blankSinceMs.flatMap(pause) : nil }

  private func pause(since start: Double) -> (start: Double, end: Double)? {
    let end = min(cameMs, reportedMs)
    return end - start > Threshold.pause.value ? (start, end) : nil
  }
}
