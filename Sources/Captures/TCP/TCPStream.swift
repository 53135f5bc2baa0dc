/// One direction of a TCP conversation put in order, in bounded memory; what was never captured is skipped.
struct TCPStream {
  private var next: UInt32?
  private var early: [(sequence: UInt32, bytes: [UInt8])] = []
  private var earlyBytes = 0
  /// Bytes in order that nobody has taken yet.
  private(set) var bytes: [UInt8] = []
  private var taken = 0
  /// Set when bytes are missing before what `bytes` holds: framing has to be found anew.
  private(set) var hasHole = false

  private static let mostEarly = 32
  private static let mostEarlyBytes = 256 << 10
  private static let mostBytes = 512 << 10

  /// Bytes not yet taken.
  var count: Int { bytes.count - taken }

  /// Takes a segment.
  mutating func add(_ payload: Octets, sequence: UInt32, flags: UInt8, wireLength: Int) {
    if flags & 0x02 != 0 {
      reset(at: sequence &+ 1)
      return
    }
    guard wireLength > 0 else { return }
    guard let expected = next else {
      next = sequence
      append(payload, skip: 0, wireLength)
      return
    }
    let ahead = Int32(bitPattern: sequence &- expected)
    if ahead <= 0 {
      append(payload, skip: Int(-ahead), wireLength)
      drain()
    } else if early.count < Self.mostEarly && earlyBytes + payload.count <= Self.mostEarlyBytes
      && ahead < 1 << 22
    {
      early.append((sequence, payload.copy()))
      earlyBytes += payload.count
    } else {
      // The missing piece will not come: go on with what is there.
      hole(at: early.map(\.sequence).min { Int32(bitPattern: $0 &- $1) < 0 } ?? sequence)
      drain()
    }
  }

  /// Marks the hole as dealt with.
  mutating func resynchronised() { hasHole = false }

  /// Lets a reader look at what is there; it answers how many bytes it took.
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

  private mutating func append(_ payload: Octets, skip: Int, _ wireLength: Int) {
    guard skip < wireLength, let expected = next else { return }
    next = expected &+ UInt32(truncatingIfNeeded: wireLength - skip)
    if payload.count < wireLength || bytes.count - taken + payload.count > Self.mostBytes {
      // Cut by the snaplen, or nobody takes the bytes.
      bytes.removeAll()
      taken = 0
      hasHole = true
      return
    }
    let fresh = payload.from(skip)
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: fresh.base, count: fresh.count))
  }

  private mutating func drain() {
    var progress = true
    while progress && !early.isEmpty {
      progress = false
      for i in early.indices.reversed() {
        guard let expected = next else { return }
        let ahead = Int32(bitPattern: early[i].sequence &- expected)
        guard ahead <= 0 else { continue }
        let piece = early.remove(at: i)
        earlyBytes -= piece.bytes.count
        piece.bytes.withUnsafeBytes { all in
          if let base = all.baseAddress {
            append(Octets(base, count: all.count), skip: Int(-ahead), all.count)
          }
        }
        progress = true
      }
    }
  }

  private mutating func hole(at sequence: UInt32) {
    next = sequence
    bytes.removeAll()
    taken = 0
    hasHole = true
  }

  private mutating func reset(at sequence: UInt32) {
    next = sequence
    early = []
    earlyBytes = 0
    bytes = []
    taken = 0
    hasHole = false
  }
}
