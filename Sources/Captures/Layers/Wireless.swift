/// Frames of wireless LAN as a monitor hears them (IEEE 802.11 section 9), with or without radiotap.
enum Wireless {
  /// Most packets taken out of one aggregate.
  private static let mostParts = 64

  /// The packet in a data frame; nil for what carries none, is encrypted, or carries several.
  static func strip(_ b: Octets) -> LinkLayer.Found? {
    guard isData(b), !isEncrypted(b), !isAggregate(b) else { return nil }
    return packet(b.from(headerLength(b)))
  }

  /// The packets of a data frame that carries several (A-MSDU): each behind two addresses and its length, padded to four bytes.
  static func aggregated(_ packet: Packet) -> [LinkLayer.Found] {
    guard let b = frame(packet), isData(b), !isEncrypted(b), isAggregate(b) else { return [] }
    var found: [LinkLayer.Found] = []
    var at = headerLength(b)
    while at + 14 < b.count, found.count < mostParts {
      let length = Int(b.short(at + 12))
      if let part = Self.packet(b.from(at + 14).first(length)) { found.append(part) }
      at += (14 + length + 3) & ~3
    }
    return found
  }

  /// Whether it is a data frame that nobody reads without the network's key.
  static func isProtected(_ packet: Packet) -> Bool {
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

  /// Data that is not null.
  private static func isData(_ b: Octets) -> Bool { b.byte(0) & 0x4C == 0x08 }
  private static func isEncrypted(_ b: Octets) -> Bool { b.byte(1) & 0x40 != 0 }
  private static func hasQoS(_ b: Octets) -> Bool { b.byte(0) & 0x80 != 0 }

  /// Addresses: a fourth one between access points.
  private static func addressesLength(_ b: Octets) -> Int { b.byte(1) & 3 == 3 ? 30 : 24 }

  private static func isAggregate(_ b: Octets) -> Bool {
    hasQoS(b) && b.byte(addressesLength(b)) & 0x80 != 0
  }

  private static func headerLength(_ b: Octets) -> Int {
    guard hasQoS(b) else { return addressesLength(b) }
    // HT control follows where the order bit says so.
    return addressesLength(b) + 2 + (b.byte(1) & 0x80 != 0 ? 4 : 0)
  }
}
