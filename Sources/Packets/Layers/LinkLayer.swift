/// Finds the IP header in packets of the link types used for captures of calls.
public enum LinkLayer {
  /// An IPv4 or IPv6 packet, and its direction.
  public struct Found {
    public var payload: Octets
    public var direction: LinkDirection
  }

  /// Link types that can be read (https://www.tcpdump.org/linktypes.html, DLT values).
  public static func isKnown(_ type: Int32) -> Bool {
    switch type {
    case 0, 1, 9, 12, 14, 50, 51, 101, 105, 108, 109, 113, 127, 149, 228, 229, 258, 276: true
    default: false
    }
  }

  /// Strips the link layer of a packet.
  @inline(__always)
  public static func strip(_ packet: Packet) -> Found? {
    let b = packet.bytes
    if packet.linkType == 1 { return etherType(b.short(12), b.from(14), .unknown) }
    return stripOther(b, packet.linkType, depth: 0)
  }

  private static func stripOther(_ b: Octets, _ linkType: Int32, depth: Int) -> Found? {
    switch linkType {
    case 1: return etherType(b.short(12), b.from(14), .unknown)
    case 113:  // SLL: packet type 4 = sent by us
      return etherType(b.short(14), b.from(16), cooked(UInt8(truncatingIfNeeded: b.short(0))))
    case 276:  // SLL2: packet type at 10
      return etherType(b.short(0), b.from(20), cooked(b.byte(10)))
    case 101, 12, 14, 228, 229: return raw(b, .unknown)
    case 0, 108: return raw(b.from(4), .unknown)  // the address family only repeats the version nibble
    case 109: return raw(b.from(12), .unknown)  // OpenBSD enc
    case 9, 50:  // PPP, with or without HDLC address and control
      let p = b.byte(0) == 0xFF && b.byte(1) == 3 ? b.from(2) : b
      return ppp(p, .unknown)
    case 51: return ppp(b.from(6), .unknown)  // PPPoE
    case 127:  // radiotap: length at 2, little endian
      return Wireless.strip(b.from(Int(b.short(2).byteSwapped)))
    case 105: return Wireless.strip(b)
    // PKTAP: header length, then at 8 the DLT of what follows, host order of a little-endian Mac
    case 149, 258:
      let header = Int(b.word(0).byteSwapped & 0xFFFF)
      guard depth == 0, header >= 12 else { return nil }
      return stripOther(b.from(header), Int32(truncatingIfNeeded: b.word(8).byteSwapped), depth: 1)
    default: return nil
    }
  }

  @inline(__always)
  private static func cooked(_ type: UInt8) -> LinkDirection {
    switch type {
    case 0: .received
    case 4: .sent
    case 1...3: .passing
    default: .unknown
    }
  }

  @inline(__always)
  private static func raw(_ b: Octets, _ direction: LinkDirection) -> Found? {
    let version = b.byte(0) >> 4
    return version == 4 || version == 6 ? Found(payload: b, direction: direction) : nil
  }

  private static func ppp(_ b: Octets, _ direction: LinkDirection) -> Found? {
    // The protocol field may be compressed to one odd byte.
    if b.byte(0) & 1 == 1 { return b.byte(0) == 0x21 || b.byte(0) == 0x57 ? raw(b.from(1), direction) : nil }
    switch b.short(0) {
    case 0x0021, 0x0057: return raw(b.from(2), direction)
    case 0x0281: return mpls(b.from(2), direction)
    default: return nil
    }
  }

  /// Skips VLAN tags, MPLS labels and PPPoE up to IP.
  @inline(__always)
  static func etherType(_ type: UInt16, _ b: Octets, _ direction: LinkDirection) -> Found? {
    if type == 0x0800 || type == 0x86DD { return raw(b, direction) }
    return tagged(type, b, direction)
  }

  private static func tagged(_ first: UInt16, _ start: Octets, _ direction: LinkDirection) -> Found? {
    var type = first
    var b = start
    for _ in 0..<8 {
      switch type {
      case 0x0800, 0x86DD: return raw(b, direction)
      case 0x8100, 0x88A8, 0x9100, 0x9200, 0x9300:
        type = b.short(2)
        b = b.from(4)
      case 0x8847, 0x8848: return mpls(b, direction)
      case 0x8864: return ppp(b.from(6), direction)
      case 0..<1536:  // IEEE 802.3 length: LLC and SNAP
        guard b.word(0) & 0xFFFF_FF00 == 0xAAAA_0300 else { return nil }
        type = b.short(6)
        b = b.from(8)
        if type < 1536 { return nil }
      default: return nil
      }
    }
    return nil
  }

  private static func mpls(_ start: Octets, _ direction: LinkDirection) -> Found? {
    var b = start
    for _ in 0..<16 where b.count >= 4 {
      let bottom = b.byte(2) & 1 == 1
      b = b.from(4)
      if bottom {
        if let found = raw(b, direction) { return found }
        // A pseudowire: control word, then Ethernet.
        let inner = b.byte(0) >> 4 == 0 ? b.from(4) : b
        return etherType(inner.short(12), inner.from(14), direction)
      }
    }
    return nil
  }
}

/// Wireless LAN frames captured in monitor mode (IEEE 802.11 section 9), with or without radiotap.
public enum Wireless {
  /// The most packets read from one aggregate.
  private static let maxParts = 64

  /// The packet in a data frame; nil for other frames, encrypted ones, and aggregates.
  static func strip(_ b: Octets) -> LinkLayer.Found? {
    guard isData(b), !isEncrypted(b), !isAggregate(b) else { return nil }
    return packet(b.from(headerLength(b)))
  }

  /// The packets of an aggregated data frame (A-MSDU): each after two addresses and its length, padded to four bytes.
  public static func aggregated(_ packet: Packet) -> [LinkLayer.Found] {
    guard let b = frame(packet), isData(b), !isEncrypted(b), isAggregate(b) else { return [] }
    var found: [LinkLayer.Found] = []
    var at = headerLength(b)
    while at + 14 < b.count, found.count < maxParts {
      let length = Int(b.short(at + 12))
      if let part = Self.packet(b.from(at + 14).first(length)) { found.append(part) }
      at += (14 + length + 3) & ~3
    }
    return found
  }

  /// Whether it is an encrypted data frame.
  public static func isProtected(_ packet: Packet) -> Bool {
    frame(packet).map { isData($0) && isEncrypted($0) } ?? false
  }

  private static func frame(_ packet: Packet) -> Octets? {
    switch packet.linkType {
    case 105: packet.bytes
    case 127: packet.bytes.from(Int(packet.bytes.short(2).byteSwapped))
    default: nil
    }
  }

  private static func packet(_ llc: Octets) -> LinkLayer.Found? {
    guard llc.word(0) & 0xFFFF_FF00 == 0xAAAA_0300 else { return nil }
    return LinkLayer.etherType(llc.short(6), llc.from(8), .unknown)
  }

  /// Data frames other than null.
  private static func isData(_ b: Octets) -> Bool { b.byte(0) & 0x4C == 0x08 }
  private static func isEncrypted(_ b: Octets) -> Bool { b.byte(1) & 0x40 != 0 }
  private static func hasQoS(_ b: Octets) -> Bool { b.byte(0) & 0x80 != 0 }

  /// Addresses: with a fourth one between access points.
  private static func addressesLength(_ b: Octets) -> Int { b.byte(1) & 3 == 3 ? 30 : 24 }

  private static func isAggregate(_ b: Octets) -> Bool {
    hasQoS(b) && b.byte(addressesLength(b)) & 0x80 != 0
  }

  private static func headerLength(_ b: Octets) -> Int {
    guard hasQoS(b) else { return addressesLength(b) }
    // HT control follows if the order bit is set.
    return addressesLength(b) + 2 + (b.byte(1) & 0x80 != 0 ? 4 : 0)
  }
}
