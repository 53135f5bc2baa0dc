import CallModel

/// Finds audio that is so far ahead of or behind its video that viewers notice, from the windows of an end.
///
/// The limits are those of ITU-R BT.1359-1: detectable beyond 45 ms early and 125 ms late, acceptable up to 90 ms early
/// and 185 ms late.
public enum LipSync {
  /// Detectability thresholds for audio ahead of and behind its video, ms.
  public static let detected = (earlyMs: 45.0, lateMs: 125.0)
  public static let accepted = (earlyMs: 90.0, lateMs: 185.0)
  /// Minimum duration, ms: anything shorter is a brief adjustment of the buffers.
  private static let minMs = 10_000.0

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
    guard let start = run.first?.startMs, let end = run.last?.endMs, end - start >= minMs else {
      return nil
    }
    let sorted = run.compactMap(\.inputs.audioMinusVideoMs).sorted()
    let middle = sorted[sorted.count / 2]
    let most = sorted.max { abs($0) < abs($1) } ?? middle
    let way = middle > 0 ? "later than" : "before"
    return Finding(
      "lip-sync", isBeyond(middle, accepted) ? .warning : .info, from: start, to: end,
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
  /// Time within which flushes are counted, ms, and their minimum number.
  private static let within = 60_000.0
  private static let least = 3.0

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
      flushes.filter { $0.timeMs >= start.timeMs && $0.timeMs < start.timeMs + Self.within }
        .reduce(0) { $0 + $1.count } >= Self.least
    }
    guard isOften else { return [] }
    return [
      Finding(
        "jitter-buffer-flushes", .warning, from: first.timeMs, to: last.timeMs,
        Evidence().with("flushes", all).with("threshold", Self.least).with("within_ms", Self.within),
        "The jitter buffer was emptied \(Int(all)) times because more sound came than it holds: each time what was in it was lost."
      )
    ]
  }
}
