/// How late sound is to be played so that little is missing: NetEq's delay manager (libwebrtc `delay_manager.cc`,
/// `underrun_optimizer.cc`, `reorder_optimizer.cc`).
public struct TargetDelay {
  private var worst = DelayHistogram(memory: 0.983)
  /// Delays of packets, 0 of those that none overtook; up to the first that one did only their number is kept.
  private var overtaken = DelayHistogram(memory: TargetDelay.memory)
  private var inOrder: Int? = 0
  private var worstMs = 0.0
  private var intervalStartMs: Double?
  private var underrunMs: Double?
  private var networkMs = TargetDelay.startMs
  /// Delay wanted so that sound does not run ahead of the picture, ms.
  public var minMs = 0.0

  /// What is wanted before anything is known.
  private static let startMs = 80.0
  /// The worst delay of each interval counts, and of those the 0.95 quantile.
  private static let intervalMs = 500.0
  private static let quantile = 0.95
  /// How much of what it knows of overtaken packets it keeps at the next.
  private static let memory = 0.9993
  /// A per cent of packets that come too late after they were overtaken is worth so many ms of delay.
  private static let msPerLossPercent = 20.0
  /// No more than three quarters of what the buffer holds.
  private static let maxMs = 3000.0

  /// Delay between the fastest packet and its playout, ms.
  var ms: Double { min(Self.maxMs, max(networkMs, minMs)) }

  /// Takes how late a packet was.
  mutating func take(delayMs: Double, overtaken isOvertaken: Bool, atMs nowMs: Double) {
    if !isOvertaken { takeWorst(delayMs, atMs: nowMs) }
    let base = underrunMs ?? Self.startMs
    if let count = inOrder {
      guard isOvertaken else {
        // Delays that are all 0 want no more than their bucket, as `overtakenMs` would find.
        inOrder = count + 1
        networkMs = max(base, DelayHistogram.bucketMs)
        return
      }
      overtaken = DelayHistogram(memory: Self.memory, afterZeros: count)
      inOrder = nil
    }
    networkMs = max(base, overtakenMs(isOvertaken ? delayMs : 0, base: base))
  }

  private mutating func takeWorst(_ delayMs: Double, atMs nowMs: Double) {
    guard let start = intervalStartMs else {
      intervalStartMs = nowMs
      worstMs = delayMs
      return
    }
    if nowMs - start > Self.intervalMs {
      worst.add(worstMs)
      underrunMs = worst.quantile(Self.quantile)
      worstMs = 0
      intervalStartMs = nowMs
    }
    worstMs = max(worstMs, delayMs)
  }

  /// The delay at which waiting for overtaken packets costs as much as doing without them.
  private mutating func overtakenMs(_ delayMs: Double, base: Double) -> Double {
    overtaken.add(delayMs)
    var lost = 1.0
    var best = (cost: Double.infinity, ms: 0.0)
    for i in 0..<DelayHistogram.count {
      lost -= overtaken.share(i)
      let wait = max(0, Double(i) * DelayHistogram.bucketMs - base)
      let cost = wait + 100 * Self.msPerLossPercent * lost
      if cost < best.cost - 1e-9 { best = (cost, Double(i + 1) * DelayHistogram.bucketMs) }
      if lost < 1e-6 { break }
    }
    return best.ms
  }
}

/// Delays in buckets of 20 ms that slowly forget: what came lately counts more (libwebrtc `histogram.cc`).
struct DelayHistogram {
  /// Weights, all of them to be multiplied by `scale`: what is forgotten costs one multiplication so.
  private var weights = InlineArray<100, Double>(repeating: 0)
  private var scale = 1.0
  private var additions = 0
  private let memory: Double
  /// Whether there were so many that it keeps what it keeps of them from now on.
  private var isSettled = false

  /// Width of a bucket, ms.
  static let bucketMs = 20.0
  static let count = 100
  private static let minScale = 1e-12

  /// A histogram that keeps the given share of what it knew at each addition, less in the beginning.
  init(memory: Double) { self.memory = memory }

  /// The same after so many delays of 0, and no other.
  init(memory: Double, afterZeros count: Int) {
    self.memory = memory
    additions = count
    if count > 0 { weights[0] = 1 }
  }

  /// Adds a delay; those beyond two seconds tell nothing.
  @inline(__always)
  mutating func add(_ ms: Double) {
    let bucket = ms == 0 ? 0 : Int(min(ms, 1e6) / Self.bucketMs)
    guard bucket >= 0, bucket < Self.count else { return }
    let kept = isSettled ? memory : settle()
    additions += 1
    scale *= kept
    if scale < Self.minScale {
      for i in 0..<Self.count { weights[i] *= scale }
      scale = 1
    }
    weights[bucket] += (1 - kept) / scale
  }

  /// How much of it is kept at one of the first additions: more each time, until it is the usual share.
  private mutating func settle() -> Double {
    let rising = 1 - 2 / Double(additions + 1)
    isSettled = rising >= memory
    return additions == 0 ? 0 : max(0, min(memory, rising))
  }

  /// Share of a bucket, 0–1.
  @inline(__always)
  func share(_ bucket: Int) -> Double { weights[bucket] * scale }

  /// The delay that a share of packets does not exceed, ms: the upper edge of its bucket.
  func quantile(_ wanted: Double) -> Double {
    var sum = 0.0
    for i in 0..<Self.count {
      sum += share(i)
      if sum >= wanted - 1e-9 { return Double(i + 1) * Self.bucketMs }
    }
    return Double(Self.count) * Self.bucketMs
  }
}
