/// Datagrams other than RTP that came a moment ago, to know one that the capture merely saw twice.
///
/// Mirror ports, `any` devices and bridges show the same bytes again at once; whoever sends them again waits much longer:
/// DTLS 50 ms and more (libwebrtc), STUN and SIP half a second.
struct RecentDatagrams {
  private struct Seen {
    var digest: UInt64 = 0
    var timeNs = Int64.min
  }

  private var seen = [Seen](repeating: Seen(), count: Self.places)
  private let secret = UInt64.random(in: .min ... .max)
  /// Datagrams that were seen before.
  private(set) var repeats = 0

  private static let places = 1024
  /// Two sightings of one datagram are this close.
  private static let nearNs: Int64 = 5_000_000
  /// Bytes that tell two apart: up to where SIP has its tags.
  private static let longest = 1024

  /// Whether this very datagram was captured a moment ago; remembers it otherwise.
  mutating func isSeenTwice(_ datagram: Datagram) -> Bool {
    guard datagram.transport == .udp, datagram.payload.count > 4 else { return false }
    let digest = self.digest(of: datagram)
    let place = Int(truncatingIfNeeded: digest) & (Self.places - 1)
    let before = seen[place]
    // Not the wrapping difference alone: before the first there is no time.
    if before.digest == digest, before.timeNs != .min,
      (datagram.timeNs &- before.timeNs).magnitude <= Self.nearNs.magnitude
    {
      repeats += 1
      return true
    }
    seen[place] = Seen(digest: digest, timeNs: datagram.timeNs)
    return false
  }

  private func digest(of datagram: Datagram) -> UInt64 {
    let b = datagram.payload.first(Self.longest)
    var h = secret ^ UInt64(datagram.ipID) << 32 ^ UInt64(truncatingIfNeeded: datagram.wireLength)
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
