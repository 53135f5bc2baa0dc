/// A packet as libpcap gives it.
public struct Packet {
  /// Captured bytes.
  var bytes: Octets
  /// Length on the wire; larger than `bytes.count` where the capture was cut by its snaplen.
  var wireLength: Int
  /// Nanoseconds since the Unix epoch.
  public var timeNs: Int64
  /// DLT value of its interface.
  public var linkType: Int32
}

/// Which way a packet went, seen from the host that captured it, where the link layer says so: that of cooked captures
/// (LINKTYPE_LINUX_SLL) does.
public enum LinkDirection: UInt8 {
  case unknown, received, sent
}

/// What carries a payload.
public enum TransportProtocol: UInt8 {
  case udp = 17
  case tcp = 6
}

/// The payload of one UDP datagram or TCP segment, with what the layers below said of it.
public struct Datagram {
  public var source: Endpoint
  public var destination: Endpoint
  public var transport: TransportProtocol
  /// Captured payload.
  public var payload: Octets
  /// Payload bytes on the wire.
  public var wireLength: Int
  public var timeNs: Int64
  public var direction: LinkDirection = .unknown
  /// IPv4 identification, 0 where there is none: the same value twice means the same packet seen twice.
  public var ipID: UInt16 = 0
  /// Routers it may still pass (TTL, hop limit), 0 where that is not known.
  public var ttl: UInt8 = 0
  /// TCP sequence number of the first byte.
  public var tcpSequence: UInt32 = 0
  /// That up to which everything of the other direction came (RFC 9293 section 3.1).
  public var tcpAcknowledgement: UInt32 = 0
  public var tcpFlags: UInt8 = 0

  public init(
    source: Endpoint, destination: Endpoint, transport: TransportProtocol, payload: Octets, wireLength: Int,
    timeNs: Int64, direction: LinkDirection = .unknown
  ) {
    self.source = source
    self.destination = destination
    self.transport = transport
    self.payload = payload
    self.wireLength = wireLength
    self.timeNs = timeNs
    self.direction = direction
  }
}

extension Int64 {
  /// Nanoseconds since the Unix epoch as milliseconds, exact to the microsecond where a plain conversion is not.
  public var unixMs: Double { Double(self / 1_000_000) + Double(self % 1_000_000) / 1e6 }
}

/// A packet that is nothing but IPv4 and UDP, as nearly all of media are, told at a glance.
public struct PlainUDP {
  /// From the IP header on, which has no options.
  public let ip: Octets
  public let payload: Octets
  /// Payload bytes on the wire.
  public let wireLength: Int

  /// Bytes of an IPv4 header without options, and of a UDP header.
  private static var headers: Int { 28 }

  /// Nil where there is more to look at, or something else than media: `NetworkLayer.content` says the same of all.
  @inline(__always)
  public init?(_ b: Octets) {
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
  @inline(__always) public var mayBeRTP: Bool { payload.count >= 12 && !RTPPacket.isRTCP(payload) }

  /// The same as a datagram.
  @inline(__always)
  public func datagram(_ direction: LinkDirection, at timeNs: Int64) -> Datagram {
    var datagram = Datagram(
      source: Endpoint(address: Address(v4: ip.word(12)), port: ip.short(20)),
      destination: Endpoint(address: Address(v4: ip.word(16)), port: ip.short(22)), transport: .udp,
      payload: payload, wireLength: wireLength, timeNs: timeNs)
    datagram.direction = direction
    datagram.ipID = identification
    datagram.ttl = ttl
    return datagram
  }

  @inline(__always) public var identification: UInt16 { ip.short(4) }
  @inline(__always) public var ttl: UInt8 { ip.byte(8) }
}
