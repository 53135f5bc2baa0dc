import CallModel

/// Detects that the machine rather than the network is at fault: reports that stop, and a playout clock that is too
/// slow.
struct HostStallDetector {
  // Over all streams: if one of them plays at normal speed, the device works.
  private var slow = SilentLevelDetector(lastingMs: Threshold.slowPlayoutFor.value)
  /// How much was played meanwhile, of how much time.
  private var slowly = (playedMs: 0.0, ofMs: 0.0)

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.source == .stats, role.direction != .outbound, let packets = sample[.packets],
      packets > earlier[.packets] ?? packets, let playedMs = Self.playedMs(sample, after: earlier, role)
    else { return }
    let interval = sample.timeMs - earlier.timeMs
    // A stream that was never played or cannot be decoded is not slow.
    guard UnplayedAudioDetector.unplayed(sample, after: earlier) == nil else { return }
    let isFull =
      JitterBufferDelay(from: earlier, to: sample).map {
        $0.delayMs > $0.targetMs + Threshold.bufferFull.value
      } ?? false
    let least = isFull ? Threshold.playoutShareWhileFull.value : Threshold.playoutShare.value
    let isSlow = playedMs < least * interval
    if isSlow { slowly = (slowly.playedMs + playedMs, slowly.ofMs + interval) }
    slow.observe(isSilent: isSlow, from: earlier.timeMs, to: sample.timeMs)
  }

  /// Audio played between two reports, ms; nil if not counted, or if nothing has been played yet.
  ///
  /// Without a playout counter, the samples emitted by the jitter buffer count, provided that enough packets of 20 ms
  /// arrived and were kept to fill most of the time: in a DTX pause nothing is emitted.
  private static func playedMs(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) -> Double?
  {
    if let after = sample[.totalSamplesDurationMs] {
      guard let before = earlier[.totalSamplesDurationMs], after >= before, after > 0 else { return nil }
      return after - before
    }
    guard role.kind == .audio, let clockRate = role.clockRate, clockRate > 0,
      let after = sample[.jitterBufferEmitted], let before = earlier[.jitterBufferEmitted], before > 0,
      after >= before, let packets = sample[.packets], let packetsBefore = earlier[.packets]
    else { return nil }
    let discarded = max(0, (sample[.discarded] ?? 0) - (earlier[.discarded] ?? 0))
    let receivedMs = (packets - packetsBefore - discarded) * FirstMedia.packetMs
    return receivedMs >= Threshold.playoutShareWhileFull.value * (sample.timeMs - earlier.timeMs)
      ? (after - before) * 1000 / clockRate : nil
  }

  private static func words(_ gap: ReportGapDetector.Gap, _ concealed: Double?) -> String {
    guard gap.mediaContinued else { return "the page or the machine was stalled." }
    guard let concealed else { return "only they paused, media was received and played all the while." }
    return
      "only they paused, sound was played all the while; \(lossPercent(concealed)) of it was concealed, because too little came."
  }

  mutating func findings(_ gaps: [ReportGapDetector.Gap]) -> [Finding] {
    slow.finish()
    var findings = gaps.map { gap in
      let concealed =
        gap.mediaContinued
        ? gap.concealedShare.flatMap { $0 > 1 - Threshold.playoutShare.value ? $0 : nil } : nil
      return Finding(
        .rigFault, gap.mediaContinued ? .info : .warning, from: gap.start, to: gap.end,
        Evidence().with("without_reports_ms", gap.end - gap.start).with("usual_interval_ms", gap.usual)
          .with("media", gap.mediaContinued ? concealed == nil ? "went on" : "concealed" : nil).with(
            "concealed_share", concealed),
        "No reports for \(seconds(gap.end - gap.start)): " + Self.words(gap, concealed))
    }
    for span in slow.spans {
      var finding = Finding(
        .rigFault, .warning, from: span.start, to: span.end,
        Evidence().with("slow_ms", span.end - span.start).with(
          "playout_share_threshold", Threshold.playoutShare.value
        ).with("played_share", slowly.playedMs / slowly.ofMs),
        "Playout ran slower than time for \(seconds(span.end - span.start)): the audio device or the machine is at fault."
      )
      finding.missing = .time
      findings.append(finding)
    }
    return findings
  }
}

extension [Finding] {
  /// The share of the time that was played meanwhile; nil if it never was slow.
  package var slowlyPlayedShare: Double? {
    lazy.compactMap { $0.missing == .time ? $0.evidence.number("played_share") : nil }.first
  }

  /// When sound was played slower than time passed.
  package var slowPlayout: SpanSet {
    SpanSet(
      compactMap { finding in
        guard finding.missing == .time, let start = finding.startMs, let end = finding.endMs else {
          return nil
        }
        return (start: start, end: end)
      })
  }
}
