/// Packets mirrored by capture agents (Homer's: heplify, captagent, Kamailio, FreeSWITCH) to a collector with the HEP
/// protocol, including their original addresses; recognised by their header, on any port.
enum HomerPacket {
  /// The mirrored packet with its original capture time, valid until the next call; nil if a datagram contains none.
  @inline(__always)
  static func inner(_ outer: Datagram, _ document: RTCPDocument) -> Datagram? {
    switch outer.payload.byte(0) {
    case UInt8(ascii: "H"): chunks(outer, document)
    case 1, 2: plain(outer)
    default: nil
    }
  }

  // Generic chunks of version 3 (vendor 0).
  private static let source4: UInt16 = 3
  private static let destination4: UInt16 = 4
  private static let source6: UInt16 = 5
  private static let destination6: UInt16 = 6
  private static let sourcePort: UInt16 = 7
  private static let destinationPort: UInt16 = 8
  private static let kind: UInt16 = 11
  private static let content: UInt16 = 15
  private static let rtcp: UInt8 = 5
  /// Payload types that are packets: SIP, RTP, RTCP, which most agents send as JSON. Others are documents about
  /// packets.
  private static let packets: Set<UInt8> = [1, 4, rtcp]
  private static let maxChunks = 64

  /// Version 3: `HEP3`, its length, and chunks of vendor, type, length, value.
  private static func chunks(_ outer: Datagram, _ document: RTCPDocument) -> Datagram? {
    let b = outer.payload
    guard b.begins("HEP3"), Int(b.short(4)) == outer.wireLength else { return nil }
    var (from, to): (Address?, Address?)
    var (fromPort, toPort, type): (UInt16, UInt16, UInt8) = (0, 0, 0)
    var inner: (payload: Octets, wireLength: Int)?
    var at = 6
    for _ in 0..<maxChunks where at + 6 <= b.count {
      let length = Int(b.short(at + 4))
      guard length >= 6 else { return nil }
      let value = b.from(at + 6).first(length - 6)
      if b.short(at) == 0 {
        switch b.short(at + 2) {
        case source4: from = Address(v4: value.word(0))
        case destination4: to = Address(v4: value.word(0))
        case source6: from = Address(high: value.long(0), low: value.long(8))
        case destination6: to = Address(high: value.long(0), low: value.long(8))
        case sourcePort: fromPort = value.short(0)
        case destinationPort: toPort = value.short(0)
        case kind: type = value.byte(0)
        case content: inner = (value, length - 6)
        default: break
        }
      }
      at += length
    }
    guard let from, let to, var inner, packets.contains(type) else { return nil }
    if type == rtcp, inner.payload.byte(0) == UInt8(ascii: "{") {
      guard let packet = document.packet(of: inner.payload) else { return nil }
      inner = (packet, packet.count)
    }
    return copied(outer, from, fromPort, to, toPort, inner.payload, inner.wireLength)
  }

  /// Versions 1 and 2: a header of fixed length before a SIP message.
  private static func plain(_ outer: Datagram) -> Datagram? {
    let b = outer.payload
    let (isV6, length) = (b.byte(2) == 10, Int(b.byte(1)))
    let addresses = isV6 ? 32 : 8
    guard isV6 || b.byte(2) == 2, length == 8 + addresses + (b.byte(0) == 2 ? 12 : 0) else { return nil }
    let inner = b.from(length)
    guard SIPStart.isLikely(inner) else { return nil }
    let from = isV6 ? Address(high: b.long(8), low: b.long(16)) : Address(v4: b.word(8))
    let to = isV6 ? Address(high: b.long(24), low: b.long(32)) : Address(v4: b.word(12))
    return copied(outer, from, b.short(4), to, b.short(6), inner, outer.wireLength - length)
  }

  private static func copied(
    _ outer: Datagram, _ from: Address, _ fromPort: UInt16, _ to: Address, _ toPort: UInt16,
    _ payload: Octets,
    _ wireLength: Int
  ) -> Datagram {
    Datagram(
      source: Endpoint(address: from, port: fromPort), destination: Endpoint(address: to, port: toPort),
      transport: .udp, payload: payload, wireLength: wireLength, timeNs: outer.timeNs)
  }
}
