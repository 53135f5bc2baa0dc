/// The target delay of audio at which little is missing: NetEq's delay manager (libwebrtc `delay_manager.cc`,
/// `underrun_optimizer.cc`, `reorder_optimizer.cc`).
public struct TargetDelay {
  private var worst = DelayHistogram(memory: 0.983)
  /// Delays of packets, 0 for those that were not overtaken; before the first reordering only their number is kept.
  private var overtaken = DelayHistogram(memory: TargetDelay.memory)
  private var inOrder: Int? = 0
  private var worstMs = 0.0
  private var intervalStartMs: Double?
  private var underrunMs: Double?
  private var networkMs = TargetDelay.startMs
  /// Minimum delay for lip-sync, ms.
  public var minMs = 0.0

  /// Initial target delay.
  private static let startMs = 80.0
  /// The maximum delay of each interval is used, and the 0.95 quantile of those.
  private static let intervalMs = 500.0
  private static let quantile = 0.95
  /// Forget factor for reordered packets.
  private static let memory = 0.9993
  /// The cost of a per cent of packets that are too late after reordering, as ms of delay.
  private static let msPerLossPercent = 20.0
  /// At most three quarters of the buffer's capacity.
  private static let maxMs = 3000.0

  /// Delay between the fastest packet and its playout, ms.
  var ms: Double { min(Self.maxMs, max(networkMs, minMs)) }

  /// Adds the delay of a packet.
  mutating func take(delayMs: Double, overtaken isOvertaken: Bool, atMs nowMs: Double) {
    if !isOvertaken { takeWorst(delayMs, atMs: nowMs) }
    let base = underrunMs ?? Self.startMs
    if let count = inOrder {
      guard isOvertaken else {
        // Delays that are all 0 give the first bucket, as `overtakenMs` would find.
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

  /// The delay at which waiting for reordered packets costs as much as losing them.
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

/// A histogram of delays in buckets of 20 ms with exponential forgetting (libwebrtc `histogram.cc`).
struct DelayHistogram {
  /// Weights, to be multiplied by `scale`, so that forgetting takes a single multiplication.
  private var weights = InlineArray<100, Double>(repeating: 0)
  private var scale = 1.0
  private var additions = 0
  private let memory: Double
  /// Whether the forget factor has reached its final value.
  private var isSettled = false

  /// Width of a bucket, ms.
  static let bucketMs = 20.0
  static let count = 100
  private static let minScale = 1e-12

  /// A histogram with this forget factor for each addition, less at the beginning.
  init(memory: Double) { self.memory = memory }

  /// The same after this many delays of 0.
  init(memory: Double, afterZeros count: Int) {
    self.memory = memory
    additions = count
    if count > 0 { weights[0] = 1 }
  }

  /// Adds a delay; those beyond two seconds are ignored.
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

  /// The forget factor for one of the first additions: it increases up to its final value.
  private mutating func settle() -> Double {
    let rising = 1 - 2 / Double(additions + 1)
    isSettled = rising >= memory
    return additions == 0 ? 0 : max(0, min(memory, rising))
  }

  /// Share of a bucket, 0–1.
  @inline(__always)
  func share(_ bucket: Int) -> Double { weights[bucket] * scale }

  /// The quantile of delays, ms: the upper edge of its bucket.
  func quantile(_ wanted: Double) -> Double {
    var sum = 0.0
    for i in 0..<Self.count {
      sum += share(i)
      if sum >= wanted - 1e-9 { return Double(i + 1) * Self.bucketMs }
    }
    return Double(Self.count) * Self.bucketMs
  }
}

/// The delay of packets in the last two seconds relative to the fastest of them (libwebrtc
/// `packet_arrival_history.cc`).
///
/// Media time and arrival in ms, each with its own origin: only differences are used.
struct ArrivalHistory {
  private struct Arrival {
    var mediaMs: Double
    /// Arrival time minus media time.
    var transitMs: Double
  }

  /// Candidates for the extreme transit in the window, best first, in a ring buffer starting at `head`.
  private struct Candidates {
    private var ring = [Arrival](repeating: Arrival(mediaMs: 0, transitMs: 0), count: 16)
    private var head = 0
    private var count = 0

    @inline(__always) var first: Arrival? { count > 0 ? ring[head] : nil }

    /// Index of the candidate of a rank; the capacity is a power of two.
    @inline(__always)
    private func place(_ rank: Int) -> Int { (head &+ rank) & (ring.count &- 1) }

    /// Adds the latest arrival, removing candidates it dominates and those older than the window.
    @inline(__always)
    mutating func add(_ arrival: Arrival, newestMs: Double, _ gives: (Double, Double) -> Bool) {
      while count > 0, gives(ring[place(count &- 1)].transitMs, arrival.transitMs) { count &-= 1 }
      if count == ring.count { grow() }
      ring[place(count)] = arrival
      count &+= 1
      while let first, first.mediaMs + ArrivalHistory.windowMs < newestMs { drop(1) }
      if count > ArrivalHistory.most { drop(ArrivalHistory.most / 2) }
    }

    @inline(__always)
    private mutating func drop(_ ranks: Int) {
      head = place(ranks)
      count &-= ranks
    }

    private mutating func grow() {
      ring = (0..<count).map { ring[place($0)] } + ring
      head = 0
    }
  }

  /// Candidates for the minimum and the maximum transit in the window.
  private var fast = Candidates()
  private var slow = Candidates()
  /// The best of both, needed at every step of playout; NaN if there is none.
  private var minMs = Double.nan
  private var maxMs = Double.nan
  private var newestMs = -Double.infinity
  /// Recent media times: each counts once, even if a later packet restores it.
  private var recent = InlineArray<8, Double>(repeating: -.infinity)
  private var count = 0

  /// Capacity of the recent media times.
  private static let windowMs = 2000.0
  /// A sender that floods the window is only partly remembered.
  private static let most = 1024

  /// Adds a packet; returns its delay and whether an earlier packet was overtaken. Nil for the first, which cannot be
  /// compared, and for a media time added before.
  mutating func take(mediaMs: Double, arrivalMs: Double) -> (delayMs: Double, overtaken: Bool)? {
    let overtaken = mediaMs < newestMs
    if mediaMs > newestMs { newestMs = mediaMs } else if wasTaken(mediaMs) { return nil }
    recent[count & 7] = mediaMs
    let arrival = Arrival(mediaMs: mediaMs, transitMs: arrivalMs - mediaMs)
    fast.add(arrival, newestMs: newestMs) { $0 >= $1 }
    slow.add(arrival, newestMs: newestMs) { $0 <= $1 }
    minMs = fast.first?.transitMs ?? .nan
    maxMs = slow.first?.transitMs ?? .nan
    count += 1
    return count < 2 ? nil : (delayMs(of: mediaMs, atMs: arrivalMs), overtaken)
  }

  private func wasTaken(_ mediaMs: Double) -> Bool {
    for i in 0..<8 where recent[i] == mediaMs { return true }
    return false
  }

  /// The delay of a media time at a time, ms.
  @inline(__always)
  func delayMs(of mediaMs: Double, atMs nowMs: Double) -> Double {
    minMs.isNaN ? 0 : max(0, nowMs - mediaMs - minMs)
  }

  /// The delay of the slowest packet in the window, ms.
  @inline(__always)
  var greatestMs: Double {
    let span = maxMs - minMs
    return span.isNaN ? 0 : span
  }
}
