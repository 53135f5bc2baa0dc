/// A packet that is nothing but IPv4 and UDP, as nearly all of media are, told at a glance.
struct PlainUDP {
  /// From the IP header on, which has no options.
  let ip: Octets
  let payload: Octets
  /// Payload bytes on the wire.
  let wireLength: Int

  private static let headers = 28

  /// Nil where there is more to look at, or something else than media: `NetworkLayer.content` says the same of all.
  @inline(__always)
  init?(_ b: Octets) {
    // By the first byte of what UDP carries, Homer's packets are told from media.
    guard b.count > Self.headers, b.byte(0) == 0x45, b.byte(9) == 17, b.short(6) & 0x3FFF == 0,
      b.byte(Self.headers) >= 0x80, b.short(2) > Self.headers, !UDPTunnel.isPort(b.short(22))
    else { return nil }
    let wire = Int(b.short(2)) &- 20
    // The UDP length, unless it is 0 (offload) or lies.
    let length = Int(b.short(24))
    ip = b
    wireLength = (length >= 8 && length <= wire ? length : wire) &- 8
    payload = Octets(b.base + Self.headers, count: min(b.count &- Self.headers, wireLength))
  }

  /// Whether it can be of a stream: it has all of a fixed header of RTP, and is no RTCP.
  @inline(__always) var mayBeRTP: Bool { payload.count >= 12 && !RTPPacket.isRTCP(payload) }

  /// The same as a datagram.
  @inline(__always)
  func datagram(_ direction: LinkDirection, at timeNs: Int64) -> Datagram {
    var datagram = Datagram(
      source: Endpoint(address: Address(v4: ip.word(12)), port: ip.short(20)),
      destination: Endpoint(address: Address(v4: ip.word(16)), port: ip.short(22)), transport: .udp,
      payload: payload, wireLength: wireLength, timeNs: timeNs)
    datagram.direction = direction
    datagram.ipID = identification
    datagram.ttl = ttl
    return datagram
  }

  @inline(__always) var identification: UInt16 { ip.short(4) }
  @inline(__always) var ttl: UInt8 { ip.byte(8) }
}
