import CallModel

/// Finds audio that is so far ahead of or behind its video that viewers notice, from the windows of an end.
///
/// The limits of what is detectable and of what is acceptable are those of ITU-R BT.1359-1.
public enum LipSync {
  private static let detected = (earlyMs: Threshold.earlyDetected.value, lateMs: Threshold.lateDetected.value)
  private static let accepted = (earlyMs: Threshold.earlyAccepted.value, lateMs: Threshold.lateAccepted.value)

  /// A finding for each such period: a warning beyond the acceptability threshold, otherwise information.
  public static func findings(_ windows: some Sequence<Window>) -> [Finding] {
    var runs: [[Window]] = []
    for window in windows {
      guard let apart = window.inputs.audioMinusVideoMs, isBeyond(apart, detected) else { continue }
      if let last = runs.last?.last, window.startMs - last.endMs < 1,
        (last.inputs.audioMinusVideoMs ?? 0).sign == apart.sign
      {
        runs[runs.count - 1].append(window)
      } else {
        runs.append([window])
      }
    }
    return runs.compactMap(finding)
  }

  private static func finding(_ run: [Window]) -> Finding? {
    guard let start = run.first?.startMs, let end = run.last?.endMs, end - start >= Threshold.apartFor.value
    else {
      return nil
    }
    let sorted = run.compactMap(\.inputs.audioMinusVideoMs).sorted()
    let middle = sorted[sorted.count / 2]
    let most = sorted.max { abs($0) < abs($1) } ?? middle
    let way = middle > 0 ? "later than" : "before"
    return Finding(
      .lipSync, isBeyond(middle, accepted) ? .warning : .info, from: start, to: end,
      Evidence().with("audio_minus_video_ms", middle).with("most_ms", most)
        .with("threshold_ms", middle > 0 ? detected.lateMs : -detected.earlyMs),
      "For \(seconds(end - start)) sound came some \(Int(abs(middle).rounded())) ms \(way) its picture, \(Int(abs(most).rounded())) ms at most."
    )
  }

  private static func isBeyond(_ apart: Double, _ limits: (earlyMs: Double, lateMs: Double)) -> Bool {
    apart > limits.lateMs || apart < -limits.earlyMs
  }
}

/// Detects a jitter buffer that is flushed repeatedly because more arrives than it holds; each flush loses audio.
struct BufferFlushDetector {
  private var flushes: [(timeMs: Double, count: Double)] = []
  private static let maxKept = 1000

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.kind == .audio, role.direction != .outbound, let before = earlier[.jitterBufferFlushes],
      let now = sample[.jitterBufferFlushes], now > before, flushes.count < Self.maxKept
    else { return }
    flushes.append((sample.timeMs, now - before))
  }

  func findings() -> [Finding] {
    guard let first = flushes.first, let last = flushes.last else { return [] }
    let all = flushes.reduce(0) { $0 + $1.count }
    let isOften = flushes.contains { start in
      flushes.filter { $0.timeMs >= start.timeMs && $0.timeMs < start.timeMs + Threshold.flushesWithin.value }
        .reduce(0) { $0 + $1.count } >= Threshold.flushes.value
    }
    guard isOften else { return [] }
    return [
      Finding(
        .jitterBufferFlushes, .warning, from: first.timeMs, to: last.timeMs,
        Evidence().with("flushes", all).with("threshold", Threshold.flushes.value).with(
          "within_ms", Threshold.flushesWithin.value),
        "The jitter buffer was emptied \(Int(all)) times because more sound came than it holds: each time what was in it was lost."
      )
    ]
  }
}

/// Detects audio that arrives but is not played out: no element plays it, autoplay is blocked, or it cannot be decoded.
///
/// Audio that waits at the beginning and is played later is no fault: the user may not have wanted to hear it yet.
struct UnplayedAudioDetector {
  /// What happens to packets that arrive.
  enum Unplayed { case notPlayed, notDecoded, discarded }

  // Over all streams: while one of them is played, something can be heard.
  private var unplayed = SilentLevelDetector(lastingMs: Threshold.unplayed.value)
  private var undecoded = SilentLevelDetector(lastingMs: Threshold.unplayed.value)
  private var discarded = SilentLevelDetector(lastingMs: Threshold.unplayed.value)
  /// When any audio was first played, or may have been because nothing counted it.
  private var playedMs: Double?

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.kind == .audio, role.direction != .outbound, role.source == .stats,
      sample[.packets] ?? 0 > earlier[.packets] ?? 0
    else { return }
    let what = Self.unplayed(sample, after: earlier)
    unplayed.observe(isSilent: what != nil, from: earlier.timeMs, to: sample.timeMs)
    undecoded.observe(isSilent: what == .notDecoded, from: earlier.timeMs, to: sample.timeMs)
    discarded.observe(isSilent: what == .discarded, from: earlier.timeMs, to: sample.timeMs)
    if what == nil { playedMs = min(playedMs ?? earlier.timeMs, earlier.timeMs) }
  }

  /// What happened to the packets that arrived between two reports if none of them was played; nil if some were, or if
  /// playout is not counted.
  ///
  /// Packets dropped before the jitter buffer (no key, unknown payload type) emit nothing from it, so all playout is
  /// concealment. Packets that leave it but cannot be decoded yield no samples.
  static func unplayed(_ sample: SampleView, after earlier: SampleView) -> Unplayed? {
    if let came = growth(.packets, earlier, sample), came > 0,
      let discarded = growth(.discarded, earlier, sample), discarded >= Threshold.wholeShare.value * came
    {
      return .discarded
    }
    let emitted = sample[.jitterBufferEmitted]
    guard let samples = sample[.totalSamples] else {
      return sample[.totalSamplesDurationMs] == 0 && emitted ?? 0 == 0 ? .notPlayed : nil
    }
    if samples == 0 { return emitted ?? 0 > 0 ? .notDecoded : .notPlayed }
    guard let before = earlier[.totalSamples] else { return nil }
    if samples == before { return .notPlayed }
    guard samples > before, emitted != nil, emitted == earlier[.jitterBufferEmitted],
      let concealed = sample[.concealedSamples], let concealedBefore = earlier[.concealedSamples]
    else { return nil }
    return concealed - concealedBefore >= Threshold.wholeShare.value * (samples - before) ? .notDecoded : nil
  }

  private static func growth(_ metric: Metric, _ earlier: SampleView, _ later: SampleView) -> Double? {
    later[metric].flatMap { now in earlier[metric].map { now - $0 } }
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    unplayed.finish()
    undecoded.finish()
    discarded.finish()
    let (undecodedTimes, discardedTimes) = (SpanSet(undecoded.spans), SpanSet(discarded.spans))
    let hidden = HiddenPlayout(context.events)
    return unplayed.spans.filter { span in
      // The audio waited and was played once the user wanted to hear it.
      let waited = playedMs.map { span.start < $0 } ?? false
      return !waited && !context.quietTimes.hasMost(of: span)
    }.map { span in
      if let unseen = hidden.finding(insteadOf: span) { return unseen }
      let length = span.end - span.start
      func isMost(_ times: SpanSet) -> Bool { times.covered(from: span.start, to: span.end) > length / 2 }
      let what: Unplayed =
        isMost(discardedTimes) ? .discarded : isMost(undecodedTimes) ? .notDecoded : .notPlayed
      return Finding(
        .oneWayAudio, .error, from: span.start, to: span.end,
        Evidence().with(what == .notDecoded ? "not_decoded_ms" : "not_played_ms", length)
          .with("threshold_ms", Threshold.unplayed.value),
        "Packets of sound arrive for \(seconds(length)), and \(words(what))")
    }
  }

  private func words(_ what: Unplayed) -> String {
    switch what {
    case .discarded: "all of them are discarded by the jitter buffer: they come too late, or too early."
    case .notDecoded: "none of it could be decoded (another codec, or a key that this end does not have)."
    case .notPlayed where playedMs == nil:
      "none of it was ever played out: nothing in the page plays it, or it may not."
    case .notPlayed:
      "none of it is played out any more: the device is gone or another program has it, or nothing in the page plays it."
    }
  }
}

/// Periods in which statistics do not show what is heard of the sound that arrives, and the finding that takes the place
/// of their silence: the page muted its element or plays it by Web Audio, by its own event.
struct HiddenPlayout {
  private let times: QuietTimes

  init(_ events: [EventRecord]) {
    times = QuietTimes(QuietSpan.spans(events, from: [.mediaPlayoutHidden], until: [.mediaPlayoutShown]))
  }

  /// Nil for a silence that lies elsewhere.
  func finding(insteadOf span: (start: Double, end: Double)) -> Finding? {
    guard times.hasMost(of: span) else { return nil }
    return Finding(
      .farEndSilent, .info, from: span.start, to: span.end,
      Evidence().with("unseen_ms", span.end - span.start),
      "The page muted the sound that it received, or played it by Web Audio: statistics do not show what was heard."
    )
  }
}
