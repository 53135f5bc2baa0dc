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
  private static let leastScale = 1e-12

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
    if scale < Self.leastScale {
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
