import Packets

/// Reassembles one direction of a TCP conversation in bounded memory. What was not captured is skipped.
///
/// A segment that arrives early waits until the missing bytes arrive, until its receiver acknowledges them
/// (so that only the capture has missed them), or for one second of the capture's time.
struct TCPStream {
  /// A waiting segment.
  private struct Early {
    var sequence: UInt32
    var bytes: [UInt8]
    var wireLength: Int
    var timeNs: Int64
  }

  private var next: UInt32?
  private var early: [Early] = []
  private var earlyBytes = 0
  /// The last acknowledgement of the receiver.
  private var acknowledged: UInt32?
  /// When a gap was filled. Until then the receiver had none of what follows.
  private var filledNs = Int64.min
  /// Bytes in order that have not been consumed.
  private(set) var bytes: [UInt8] = []
  private var taken = 0
  /// Set if bytes are missing before `bytes`, so that the framing has to be found again.
  private(set) var hasHole = false
  /// Set if what follows `bytes` was truncated by the snaplen, so that the message in it will not be
  /// completed.
  private(set) var isCut = false
  /// The number of bytes that were not captured.
  private(set) var missedBytes = 0

  private static let maxEarly = 32
  private static let maxEarlyBytes = 256 << 10
  private static let maxBytes = 512 << 10
  static let patienceNs: Int64 = 1_000_000_000
  /// No TCP window is larger; data further away belong to another connection.
  private static let farthest = 1 << 22

  /// A direction without any data yet, or with a known initial sequence number.
  init(startingAt first: UInt32? = nil) { next = first }

  /// Whether segments wait for missing bytes.
  var isWaiting: Bool { !early.isEmpty }

  /// When the first of them arrived.
  var waitingSinceNs: Int64? { early.map(\.timeNs).min() }

  /// Takes a segment.
  mutating func add(_ payload: Octets, sequence: UInt32, wireLength: Int, timeNs: Int64) {
    guard wireLength > 0 else { return }
    let expected = next ?? sequence
    if next == nil { next = sequence }
    let ahead = Int(Int32(bitPattern: sequence &- expected))
    if abs(ahead) > Self.farthest {
      (early, earlyBytes) = ([], 0)
      hole(at: sequence)
    } else if ahead > 0 {
      early.append(Early(sequence: sequence, bytes: payload.copy(), wireLength: wireLength, timeNs: timeNs))
      earlyBytes += payload.count
      return
    }
    if !early.isEmpty, -ahead < wireLength { filledNs = timeNs }
    append(payload, skip: max(0, -ahead), wireLength)
  }

  /// Records up to where the receiver has everything.
  mutating func acknowledge(_ number: UInt32) { acknowledged = number }

  /// Moves the next waiting segment into place if it need not wait any longer. Returns when it could be read;
  /// nil if there is none.
  mutating func release(at timeNs: Int64, isOver: Bool = false) -> Int64? {
    guard !early.isEmpty, let expected = next else { return nil }
    func ahead(_ i: Int) -> Int { Int(Int32(bitPattern: early[i].sequence &- expected)) }
    let first = early.indices.reduce(0) { ahead($1) < ahead($0) ? $1 : $0 }
    let missing = ahead(first)
    if missing > 0 {
      guard isOver || isMissed(before: early[first].sequence, at: timeNs) else { return nil }
      hole(at: early[first].sequence)
      missedBytes += missing
    }
    let piece = early.remove(at: first)
    earlyBytes -= piece.bytes.count
    piece.bytes.withUnsafeBytes { all in
      if let base = all.baseAddress {
        append(Octets(base, count: all.count), skip: max(0, -missing), piece.wireLength)
      }
    }
    return max(piece.timeNs, filledNs)
  }

  /// Marks the gap as handled.
  mutating func resynchronised() { hasHole = false }

  /// Drops a truncated message.
  mutating func skipCut() {
    bytes.removeAll()
    taken = 0
    isCut = false
    hasHole = true
  }

  /// Passes the available bytes to a reader, which returns how many it consumed.
  mutating func take(_ body: (Octets) -> Int) {
    let used = bytes.withUnsafeBytes { all -> Int in
      guard let base = all.baseAddress else { return 0 }
      return body(Octets(base + taken, count: all.count - taken))
    }
    taken = min(bytes.count, taken + max(0, used))
    if taken == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
      taken = 0
    } else if taken > 65_536 {
      bytes.removeFirst(taken)
      taken = 0
    }
  }

  /// Whether the bytes missing before a segment will not arrive.
  private func isMissed(before sequence: UInt32, at timeNs: Int64) -> Bool {
    if let acknowledged, Int32(bitPattern: acknowledged &- sequence) >= 0 { return true }
    if early.count > Self.maxEarly || earlyBytes > Self.maxEarlyBytes { return true }
    return waitingSinceNs.map { timeNs &- $0 >= Self.patienceNs } ?? false
  }

  private mutating func append(_ payload: Octets, skip: Int, _ wireLength: Int) {
    guard skip < wireLength, let expected = next else { return }
    next = expected &+ UInt32(truncatingIfNeeded: wireLength - skip)
    if bytes.count - taken + payload.count > Self.maxBytes {
      // The bytes have not been consumed.
      bytes.removeAll()
      taken = 0
      hasHole = true
      return
    }
    let fresh = payload.from(skip)
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: fresh.base, count: fresh.count))
    isCut = payload.count < wireLength
  }

  private mutating func hole(at sequence: UInt32) {
    next = sequence
    bytes.removeAll()
    taken = 0
    filledNs = .min
    hasHole = true
  }
}
