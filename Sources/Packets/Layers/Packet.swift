/// A packet from libpcap.
public struct Packet {
  /// Captured bytes.
  var bytes: Octets
  /// Length on the wire; larger than `bytes.count` if the snaplen cut it.
  var wireLength: Int
  /// Nanoseconds since the Unix epoch.
  public var timeNs: Int64
  /// DLT value of its interface.
  public var linkType: Int32

  /// Whether it stands for a packet of another interface, which `PcapngTap` leaves out.
  public var isElsewhere: Bool { bytes.count == 0 && wireLength == 0 }
}

/// The direction of a packet from the point of view of the capturing host, if the link layer has it, as in cooked
/// captures (LINKTYPE_LINUX_SLL).
public enum LinkDirection: UInt8 {
  case unknown
  /// Sent to the capturing host, and by it.
  case received, sent
  /// Seen on its way between other hosts, or sent to several.
  case passing
}

/// The transport protocol of a payload.
public enum TransportProtocol: UInt8 {
  case udp = 17
  case tcp = 6
}

/// The payload of a UDP datagram or TCP segment, with information from the layers below.
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
  /// IPv4 identification, 0 if there is none: the same value twice means that the same packet was captured twice.
  public var ipID: UInt16 = 0
  /// TTL or hop limit, 0 if unknown.
  public var ttl: UInt8 = 0
  /// TCP sequence number of the first byte.
  public var tcpSequence: UInt32 = 0
  /// Acknowledgement number (RFC 9293 section 3.1).
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
  /// Nanoseconds since the Unix epoch as milliseconds, exact to the microsecond, unlike a plain conversion.
  public var unixMs: Double { Double(self / 1_000_000) + Double(self % 1_000_000) / 1e6 }
}

/// A fast path for packets with only IPv4 and UDP headers, as nearly all media packets have.
public struct PlainUDP {
  /// From the IP header, which has no options.
  public let ip: Octets
  public let payload: Octets
  /// Payload bytes on the wire.
  public let wireLength: Int

  /// Size of an IPv4 header without options, and of a UDP header.
  private static var headers: Int { 28 }

  /// Nil if the packet needs further decoding, or is not media: `NetworkLayer.content` gives the same result for all
  /// packets.
  @inline(__always)
  public init?(_ b: Octets) {
    // The first byte of the UDP payload distinguishes Homer's packets from media.
    guard b.count > Self.headers, b.byte(0) == 0x45, b.byte(9) == 17, b.short(6) & 0x3FFF == 0,
      b.byte(Self.headers) >= 0x80, b.short(2) > Self.headers, !UDPTunnel.isPort(b.short(22))
    else { return nil }
    let wire = Int(b.short(2)) &- 20
    // The UDP length, unless it is 0 (offload) or invalid.
    let length = Int(b.short(24))
    ip = b
    wireLength = (length >= 8 && length <= wire ? length : wire) &- 8
    payload = Octets(b.base + Self.headers, count: min(b.count &- Self.headers, wireLength))
  }

  /// Whether it may belong to a stream: it is as long as a fixed RTP header, and is not RTCP.
  @inline(__always) public var mayBeRTP: Bool { payload.count >= 12 && !RTPPacket.isRTCP(payload) }

  /// As a datagram.
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
