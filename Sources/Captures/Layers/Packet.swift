/// A packet as libpcap gives it.
struct Packet {
  /// Captured bytes.
  var bytes: Octets
  /// Length on the wire; larger than `bytes.count` where the capture was cut by its snaplen.
  var wireLength: Int
  /// Nanoseconds since the Unix epoch.
  var timeNs: Int64
  /// DLT value of its interface.
  var linkType: Int32
}

/// Which way a packet went, seen from the host that captured it, where the link layer says so: that of cooked captures
/// (LINKTYPE_LINUX_SLL) does.
enum LinkDirection: UInt8 {
  case unknown, received, sent
}

/// What carries a payload.
enum TransportProtocol: UInt8 {
  case udp = 17
  case tcp = 6
}

/// The payload of one UDP datagram or TCP segment, with what the layers below said of it.
struct Datagram {
  var source: Endpoint
  var destination: Endpoint
  var transport: TransportProtocol
  /// Captured payload.
  var payload: Octets
  /// Payload bytes on the wire.
  var wireLength: Int
  var timeNs: Int64
  var direction: LinkDirection = .unknown
  /// IPv4 identification, 0 where there is none: the same value twice means the same packet seen twice.
  var ipID: UInt16 = 0
  /// Routers it may still pass (TTL, hop limit), 0 where that is not known.
  var ttl: UInt8 = 0
  /// TCP sequence number of the first byte.
  var tcpSequence: UInt32 = 0
  /// That up to which everything of the other direction came (RFC 9293 section 3.1).
  var tcpAcknowledgement: UInt32 = 0
  var tcpFlags: UInt8 = 0
}

extension Int64 {
  /// Nanoseconds since the Unix epoch as milliseconds, exact to the microsecond where a plain conversion is not.
  var unixMs: Double { Double(self / 1_000_000) + Double(self % 1_000_000) / 1e6 }
}
