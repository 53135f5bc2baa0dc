/// What a receiver's requests for lost packets (RFC 4585 generic NACK) say while a frame blocks others.
///
/// A receiver repeats a request after a round trip, at most ten times (libwebrtc `nack_requester.cc`).
struct RepeatRequests {
  private var lastNs: Int64?
  private var firstNs: Int64?
  private var count = 0
  private var patienceNs: Int64 = 0
  private var answerNs: Int64 = 0

  private static let most = 10
  private static let minPatienceMs = 100.0
  /// The answer to a request takes this many round trips plus this time.
  private static let answerMargin = 1.1
  private static let answerMarginMs = 30.0

  /// Records a request; `isBlocked` means that frames are waiting.
  mutating func asked(at timeNs: Int64, roundTripMs: Double, isBlocked: Bool) {
    lastNs = timeNs
    count += 1
    patienceNs = Int64(max(Self.minPatienceMs, 2 * roundTripMs) * 1e6)
    answerNs = Int64((Self.answerMarginMs + Self.answerMargin * roundTripMs) * 1e6)
    if isBlocked, firstNs == nil { firstNs = timeNs }
  }

  /// Resets the state: nothing is waiting any more.
  mutating func forget() {
    firstNs = nil
    count = 0
  }

  /// Whether the receiver stopped before its last attempt: it has what it needs, from redundancy that is not visible
  /// here.
  func areOver(since blockedNs: Int64, at timeNs: Int64) -> Bool {
    guard let lastNs else { return false }
    return count < Self.most && timeNs &- max(blockedNs, lastNs) > patienceNs
  }

  /// How many answers should have arrived since frames began to wait.
  func vain(at timeNs: Int64) -> Int {
    guard let firstNs, answerNs > 0 else { return 0 }
    return min(Self.most, max(0, Int((timeNs &- firstNs) / answerNs)))
  }
}
