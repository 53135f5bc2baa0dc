import Packets

/// Datagrams other than RTP that came a moment ago, to know one that the capture merely saw twice.
///
/// Mirror ports, `any` devices and bridges show the same bytes again at once; whoever sends them again waits much longer:
/// DTLS 50 ms and more (libwebrtc), STUN and SIP half a second.
struct RecentDatagrams {
  private struct Seen {
    var digest: UInt64
    var timeNs: Int64
  }

  /// When a datagram was seen, by its digest.
  private var seenNs: [UInt64: Int64] = [:]
  /// The same in the order they came.
  private var order = Queue<Seen>()
  /// Datagrams that were seen before.
  private(set) var repeats = 0

  /// Datagrams remembered: more than 10 Gbit/s of small ones bring within the time.
  private static let most = 1 << 16
  /// Two sightings of one datagram are this close.
  private static let nearNs: Int64 = 5_000_000
  /// Bytes that tell two apart: up to where SIP has its tags.
  private static let longest = 1024

  /// Whether this very datagram was captured a moment ago; remembers it otherwise.
  mutating func isSeenTwice(_ datagram: Datagram) -> Bool {
    guard datagram.transport == .udp, datagram.payload.count > 4 else { return false }
    forget(at: datagram.timeNs)
    let digest = self.digest(of: datagram)
    if let beforeNs = seenNs[digest], isNear(beforeNs, datagram.timeNs) {
      repeats += 1
      return true
    }
    if order.count == Self.most { forgetFirst() }
    seenNs[digest] = datagram.timeNs
    order.append(Seen(digest: digest, timeNs: datagram.timeNs))
    return false
  }

  private func isNear(_ aNs: Int64, _ bNs: Int64) -> Bool {
    (aNs &- bNs).magnitude <= Self.nearNs.magnitude
  }

  /// Lets go of those that are no longer near.
  private mutating func forget(at timeNs: Int64) {
    while let first = order.first, !isNear(first.timeNs, timeNs) { forgetFirst() }
  }

  private mutating func forgetFirst() {
    guard let seen = order.popFirst() else { return }
    // It may have been seen again since, where times go back.
    if seenNs[seen.digest] == seen.timeNs { seenNs[seen.digest] = nil }
  }

  private func digest(of datagram: Datagram) -> UInt64 {
    let b = datagram.payload.first(Self.longest)
    var h = UInt64(datagram.ipID) << 32 ^ UInt64(truncatingIfNeeded: datagram.wireLength)
    func mix(_ value: UInt64) {
      h = (h ^ value) &* 0x9E37_79B9_7F4A_7C15
      h ^= h >> 29
    }
    func mix(_ end: Endpoint) {
      mix(end.address.high)
      mix(end.address.low)
      mix(UInt64(end.port))
    }
    mix(datagram.source)
    mix(datagram.destination)
    var at = 0
    while at + 8 <= b.count {
      mix(b.long(at))
      at += 8
    }
    while at < b.count {
      mix(UInt64(b.byte(at)))
      at += 1
    }
    return h ^ h >> 32
  }
}
