/// How late packets of the last two seconds came against the fastest of them (libwebrtc `packet_arrival_history.cc`).
///
/// Media time and arrival in ms, each on a scale of its own: only their difference is used.
struct ArrivalHistory {
  private struct Arrival {
    var mediaMs: Double
    /// Arrival less media time.
    var transitMs: Double
  }

  /// Candidates for the least and for the greatest transit of the window, the best first.
  private var fast: [Arrival] = []
  private var slow: [Arrival] = []
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
    for i in 0..<8 where recent[i] == mediaMs { return nil }
    recent[count & 7] = mediaMs
    let overtaken = mediaMs < newestMs
    newestMs = max(newestMs, mediaMs)
    let arrival = Arrival(mediaMs: mediaMs, transitMs: arrivalMs - mediaMs)
    while let last = fast.last, last.transitMs >= arrival.transitMs { fast.removeLast() }
    while let last = slow.last, last.transitMs <= arrival.transitMs { slow.removeLast() }
    fast.append(arrival)
    slow.append(arrival)
    forget()
    count += 1
    return count < 2 ? nil : (delayMs(of: mediaMs, atMs: arrivalMs), overtaken)
  }

  /// How late a moment of media is at a time, ms.
  func delayMs(of mediaMs: Double, atMs nowMs: Double) -> Double {
    fast.first.map { max(0, nowMs - mediaMs - $0.transitMs) } ?? 0
  }

  /// How late the slowest packet of the window was, ms.
  var greatestMs: Double {
    guard let fastest = fast.first, let slowest = slow.first else { return 0 }
    return slowest.transitMs - fastest.transitMs
  }

  private mutating func forget() {
    while let first = fast.first, first.mediaMs + Self.windowMs < newestMs { fast.removeFirst() }
    while let first = slow.first, first.mediaMs + Self.windowMs < newestMs { slow.removeFirst() }
    if fast.count > Self.most { fast.removeFirst(Self.most / 2) }
    if slow.count > Self.most { slow.removeFirst(Self.most / 2) }
  }
}
