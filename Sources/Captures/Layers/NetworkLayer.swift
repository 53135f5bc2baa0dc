/// IPv4 and IPv6 down to UDP and TCP: extension headers, fragments and the usual tunnels.
struct NetworkLayer {
  /// What an IP packet held.
  enum Content {
    case datagram(Datagram)
    /// An ICMP error for a UDP datagram of ours: its sender can no longer be reached there.
    case unreachable(source: Endpoint, destination: Endpoint, error: ICMPError, timeNs: Int64)
    case nothing
  }

  private let fragments: FragmentStore
  /// Datagrams of which a fragment never came.
  var incompleteDatagrams: Int { fragments.incomplete }

  /// Fragments of datagrams that were in too many pieces.
  var fragmentsBeyond: Int { fragments.beyond }

  init(fragmentsPerDatagram: Int) { fragments = FragmentStore(mostPieces: fragmentsPerDatagram) }

  /// Deepest nesting of tunnels followed.
  private static let deepest = 6

  /// Follows one packet from its IP header; the content is valid until the next call.
  func content(_ found: LinkLayer.Found, of packet: Packet) -> Content {
    var b = found.payload
    for _ in 0..<Self.deepest {
      let header: Header
      switch b.byte(0) >> 4 {
      case 4:
        guard let h = Header(v4: b) else { return .nothing }
        header = h
      case 6:
        guard let h = Header(v6: b) else { return .nothing }
        header = h
      default: return .nothing
      }
      var body = header.body
      var wire = header.bodyLength
      if header.isFragment {
        guard let whole = fragments.add(header, timeNs: packet.timeNs) else { return .nothing }
        body = whole.bytes
        wire = whole.wireLength
      }
      switch header.next {
      case 17:
        guard body.count >= 8 else { return .nothing }
        let destination = body.short(2)
        if UDPTunnel.isPort(destination), let inner = UDPTunnel.inner(body.from(8), destination) {
          b = inner
          continue
        }
        // The UDP length, unless it is 0 (offload) or lies.
        let length = Int(body.short(4))
        let payloadWire = length >= 8 && length <= wire ? length - 8 : max(0, wire - 8)
        var datagram = Datagram(
          source: Endpoint(address: header.source, port: body.short(0)),
          destination: Endpoint(address: header.destination, port: destination), transport: .udp,
          payload: body.from(8).first(payloadWire), wireLength: payloadWire, timeNs: packet.timeNs)
        if let inner = HomerPacket.inner(datagram) { return .datagram(inner) }
        datagram.direction = found.direction
        datagram.ipID = header.identification
        datagram.ttl = header.ttl
        return .datagram(datagram)
      case 6:
        let offset = Int(body.byte(12) >> 4) * 4
        guard body.count >= 20, offset >= 20 else { return .nothing }
        var datagram = Datagram(
          source: Endpoint(address: header.source, port: body.short(0)),
          destination: Endpoint(address: header.destination, port: body.short(2)), transport: .tcp,
          payload: body.from(offset), wireLength: max(0, wire - offset), timeNs: packet.timeNs)
        datagram.direction = found.direction
        datagram.ipID = header.identification
        datagram.tcpSequence = body.word(4)
        datagram.tcpAcknowledgement = body.word(8)
        datagram.tcpFlags = body.byte(13)
        return .datagram(datagram)
      case 1: return Self.icmp(body, isV6: false, timeNs: packet.timeNs)
      case 58: return Self.icmp(body, isV6: true, timeNs: packet.timeNs)
      case 4, 41: b = body
      case 47:
        guard let inner = Self.gre(body) else { return .nothing }
        b = inner
      default: return .nothing
      }
    }
    return .nothing
  }

  private static func icmp(_ b: Octets, isV6: Bool, timeNs: Int64) -> Content {
    guard b.count >= 8, let error = ICMPError(type: b.byte(0), code: b.byte(1), isV6: isV6) else {
      return .nothing
    }
    let inner = b.from(8)
    guard let header = inner.byte(0) >> 4 == 4 ? Header(v4: inner) : Header(v6: inner),
      header.next == 17, !header.isFragment || header.fragmentOffset == 0, header.body.count >= 4
    else { return .nothing }
    return .unreachable(
      source: Endpoint(address: header.source, port: header.body.short(0)),
      destination: Endpoint(address: header.destination, port: header.body.short(2)), error: error,
      timeNs: timeNs)
  }

  /// GRE (RFC 2784, 2890) with IP, Ethernet or ERSPAN inside.
  private static func gre(_ b: Octets) -> Octets? {
    let flags = b.byte(0)
    guard b.byte(1) & 7 <= 1 else { return nil }
    var at = 4
    if flags & 0x80 != 0 { at += 4 }
    if flags & 0x20 != 0 { at += 4 }
    let sequenced = flags & 0x10 != 0
    if sequenced { at += 4 }
    let type = b.short(2)
    switch type {
    case 0x6558: return ethernet(b.from(at))
    case 0x88BE: return ethernet(b.from(sequenced ? at + 8 : at))  // ERSPAN II, or I without a header
    // ERSPAN III, whose last bit tells of a platform's own sub-header behind it (draft-foschiano-erspan).
    case 0x22EB: return ethernet(b.from(at + (b.byte(at + 11) & 1 == 0 ? 12 : 20)))
    default: return LinkLayer.etherType(type, b.from(at), .unknown)?.payload
    }
  }

  private static func ethernet(_ frame: Octets) -> Octets? {
    LinkLayer.etherType(frame.short(12), frame.from(14), .unknown)?.payload
  }
}
