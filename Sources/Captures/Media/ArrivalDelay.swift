/// How long audio must wait to be played without gaps: NetEq's delay manager (libwebrtc `delay_manager.cc`, `underrun_optimizer.cc`).
///
/// The delay of each packet relative to the fastest of the last two seconds, its worst per half second, in a histogram
/// of 20 ms buckets that slowly forgets; the target is its 0.95 quantile.
struct ArrivalDelay {
  private var buckets = InlineArray<100, Double>(repeating: 0)
  private var additions = 0
  /// Candidates for the least delay of the window, increasing.
  private var least: [(timeMs: Double, delay: Double)] = []
  private var worst: Double?
  private var intervalStartMs: Double?
  /// Wanted delay, ms.
  private(set) var targetMs = 80.0

  private static let bucketMs = 20.0
  private static let windowMs = 2000.0
  private static let intervalMs = 500.0
  private static let quantile = 0.95
  private static let forget = 0.983

  /// Takes a packet's arrival and media time, both in ms on scales of their own; `extra` is added to its delay.
  mutating func take(arrivalMs: Double, mediaMs: Double, extra: Double) {
    let delay = arrivalMs - mediaMs
    while let last = least.last, last.delay >= delay { least.removeLast() }
    least.append((arrivalMs, delay))
    if least.count > 1024 { least.removeFirst(512) }
    while let first = least.first, first.timeMs < arrivalMs - Self.windowMs { least.removeFirst() }
    let relative = delay - (least.first?.delay ?? delay) + extra
    worst = max(worst ?? 0, relative)
    guard let start = intervalStartMs else {
      intervalStartMs = arrivalMs
      return
    }
    if arrivalMs - start >= Self.intervalMs {
      add(worst ?? 0)
      worst = nil
      intervalStartMs = arrivalMs
    }
  }

  /// Forgets the clock's offset, for a sender that began anew.
  mutating func rebase() {
    least = []
    worst = nil
  }

  private mutating func add(_ relative: Double) {
    additions += 1
    let kept = additions > 1 ? min(Self.forget, 1 - 2 / Double(additions + 1)) : 0
    let bucket = min(99, max(0, Int(min(relative, 1e6) / Self.bucketMs)))
    var sum = 0.0
    var found: Int?
    for i in 0..<100 {
      buckets[i] *= kept
      if i == bucket { buckets[i] += 1 - kept }
      sum += buckets[i]
      if found == nil && sum >= Self.quantile - 1e-9 { found = i }
    }
    targetMs = Double(1 + (found ?? 99)) * Self.bucketMs
  }
}
