/// How late packets of the last two seconds came against the fastest of them (libwebrtc `packet_arrival_history.cc`).
///
/// Media time and arrival in ms, each on a scale of its own: only their difference is used.
struct ArrivalHistory {
  private struct Arrival {
    var mediaMs: Double
    /// Arrival less media time.
    var transitMs: Double
  }

  /// Candidates for the extreme transit of the window, the best first: those from `head` on in a ring.
  private struct Candidates {
    private var ring = [Arrival](repeating: Arrival(mediaMs: 0, transitMs: 0), count: 16)
    private var head = 0
    private var count = 0

    @inline(__always) var first: Arrival? { count > 0 ? ring[head] : nil }

    /// Where the candidate of a rank stands; there is always a power of two of places.
    @inline(__always)
    private func place(_ rank: Int) -> Int { (head &+ rank) & (ring.count &- 1) }

    /// Adds the latest, beside which some of the others no longer are candidates; forgets what is older than the window.
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

  /// Candidates for the least and for the greatest transit of the window.
  private var fast = Candidates()
  private var slow = Candidates()
  /// The best of both, asked at every step of the playout; not a number where there is none.
  private var minMs = Double.nan
  private var maxMs = Double.nan
  private var newestMs = -Double.infinity
  /// Media times taken last: a moment counts once, though a later packet may restore it.
  private var recent = InlineArray<8, Double>(repeating: -.infinity)
  private var count = 0

  /// Media time that is remembered.
  private static let windowMs = 2000.0
  /// A sender that floods the window is remembered in part.
  private static let most = 1024

  /// Takes a packet; answers how late it was and whether an earlier one overtook it. Nil for the first, which nothing
  /// compares with, and for a moment that was taken already.
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

  /// How late a moment of media is at a time, ms.
  @inline(__always)
  func delayMs(of mediaMs: Double, atMs nowMs: Double) -> Double {
    minMs.isNaN ? 0 : max(0, nowMs - mediaMs - minMs)
  }

  /// How late the slowest packet of the window was, ms.
  @inline(__always)
  var greatestMs: Double {
    let span = maxMs - minMs
    return span.isNaN ? 0 : span
  }
}
