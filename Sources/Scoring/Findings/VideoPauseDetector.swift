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
      let undecoded = stopped.undecoded(from: span.start, to: span.end)
      let lost = undecoded?.lostShare.flatMap { $0 < Threshold.pictureLoss.value ? nil : $0 }
      let come = lost.map { "\(lossPercent($0)) of its packets are lost" } ?? "its packets come"
      let text =
        blank == nil
        ? "The picture is frozen for \(seconds(pausedMs))\(undecoded == nil ? "" : ": \(come), and no frame is decoded")."
        : "There is no picture for \(seconds(pausedMs)): \(come), and not one frame could be decoded."
      return Finding(
        .videoPaused, .warning, from: span.start, to: span.end,
        Evidence().with("paused_ms", pausedMs).with("undecoded_ms", undecoded?.coveredMs).with(
          "lost_share", lost),
        text)
    }
    return findings
  }
}

/// A period in which packets of a picture came, and no frame was decoded, with how many came and how many were lost.
private struct Undecoded {
  var start: Double
  var end: Double
  var received: Double
  var lost: Double

  mutating func join(_ next: Undecoded) {
    end = max(end, next.end)
    received += next.received
    lost += next.lost
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
  private var undecodedTimes: [Undecoded] = []
  private var cameMs = -Double.infinity

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.direction != .outbound else { return }
    func grown(_ metric: Metric) -> Double? {
      guard let before = earlier[metric], let after = sample[metric] else { return nil }
      return max(0, after - before)
    }
    func grew(_ metric: Metric) -> Bool? { grown(metric).map { $0 > 0 } }
    let last = sample.lastPacketTime(after: earlier.timeMs) ?? sample.timeMs
    switch role.kind {
    case .audio: if grew(.packets) == true { cameMs = max(cameMs, last) }
    case .video:
      // A capture soon stops sampling a silent stream; statistics report video until it is removed.
      reportedMs = role.source == .capture ? .infinity : max(reportedMs, sample.timeMs)
      if role.source == .stats, grew(.packets) == true, let frames = sample[.frames] {
        cameMs = max(cameMs, last)
        if frames == 0 { blankSinceMs = blankSinceMs ?? earlier.timeMs }
        if earlier[.frames] == frames {
          addUndecoded(
            Undecoded(
              start: earlier.timeMs, end: sample.timeMs, received: grown(.packets) ?? 0,
              lost: grown(.lost) ?? 0))
        }
      }
      if grew(.frames) ?? grew(.packets) ?? false, moved.map({ $0.lastMs < last }) ?? true {
        moved = (last, role.isScreen)
      }
    case nil: break
    }
  }

  private mutating func addUndecoded(_ next: Undecoded) {
    if let last = undecodedTimes.last, next.start <= last.end {
      undecodedTimes[undecodedTimes.count - 1].join(next)
    } else if undecodedTimes.count < Hysteresis.maxKept {
      undecodedTimes.append(next)
    }
  }

  /// How long packets of a picture came in a period and no frame was decoded, and what share of them was lost; nil if
  /// that was not most of it.
  func undecoded(from start: Double, to end: Double) -> (coveredMs: Double, lostShare: Double?)? {
    let within = undecodedTimes.filter { $0.start < end && $0.end > start }
    let coveredMs = SpanSet(within.map { ($0.start, $0.end) }).covered(from: start, to: end)
    guard coveredMs > (end - start) / 2 else { return nil }
    let lost = within.reduce(0) { $0 + $1.lost }
    let sent = lost + within.reduce(0) { $0 + $1.received }
    return (coveredMs, sent > 0 ? lost / sent : nil)
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
