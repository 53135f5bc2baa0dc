import Packets

/// Recent datagrams other than RTP, for recognising those that were captured twice.
///
/// Mirror ports, `any` devices and bridges show the same bytes again immediately. Retransmissions come much
/// later: DTLS after 50 ms or more (libwebrtc), STUN and SIP after half a second.
struct RecentDatagrams {
  private struct Seen {
    var digest: UInt64
    var timeNs: Int64
  }

  /// The time of each datagram, by its digest.
  private var seenNs: [UInt64: Int64] = [:]
  /// The same in order of arrival.
  private var order = Queue<Seen>()
  /// The number of duplicates.
  private(set) var repeats = 0

  /// The maximum number of datagrams remembered; it covers more than 10 Gbit/s of small ones.
  private static let most = 1 << 16
  /// The maximum time between two captures of one datagram, ns.
  private static let nearNs: Int64 = 5_000_000
  /// The number of bytes that are compared; they include the tags of SIP messages.
  private static let longest = 1024

  /// Whether this datagram was captured a moment ago; if not, it is remembered.
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

  /// Forgets those that are too old.
  private mutating func forget(at timeNs: Int64) {
    while let first = order.first, !isNear(first.timeNs, timeNs) { forgetFirst() }
  }

  private mutating func forgetFirst() {
    guard let seen = order.popFirst() else { return }
    // It may have been captured again since, if times go back.
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
