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
