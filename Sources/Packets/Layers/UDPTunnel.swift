/// Tunnels over UDP, recognised by port and header, as the port alone is not sufficient.
enum UDPTunnel {
  /// Whether a destination port is used by tunnels; called for every datagram.
  @inline(__always)
  static func isPort(_ port: UInt16) -> Bool {
    switch port {
    case 2152, 4789, 6081, 8472, 37_008: true
    default: false
    }
  }

  /// The inner IP packet; nil if there is none.
  static func inner(_ b: Octets, _ port: UInt16) -> Octets? {
    switch port {
    case 2152: gtp(b)
    case 6081: geneve(b)
    case 37_008: tzsp(b)
    default: vxlan(b)
    }
  }

  /// VXLAN (RFC 7348), on its own port or Linux's earlier default.
  private static func vxlan(_ b: Octets) -> Octets? {
    guard b.byte(0) == 0x08, b.word(0) & 0x00FF_FFFF == 0, b.byte(7) == 0 else { return nil }
    return ethernet(b.from(8))
  }

  /// GTP-U (3GPP TS 29.281) with its extension headers, always present in 5G (TS 38.415).
  private static func gtp(_ b: Octets) -> Octets? {
    guard b.byte(0) & 0xF0 == 0x30, b.byte(1) == 0xFF else { return nil }
    var at = b.byte(0) & 7 == 0 ? 8 : 12
    var next = b.byte(0) & 4 != 0 ? b.byte(11) : 0
    for _ in 0..<8 where next != 0 {
      let length = 4 * Int(b.byte(at))
      guard length > 0 else { return nil }
      at += length
      next = b.byte(at - 1)
    }
    return ip(b.from(at))
  }

  /// Geneve (RFC 8926).
  private static func geneve(_ b: Octets) -> Octets? {
    guard b.byte(0) & 0xC0 == 0, b.byte(7) == 0 else { return nil }
    let inner = b.from(8 + 4 * Int(b.byte(0) & 63))
    let type = b.short(2)
    return type == 0x6558 ? ethernet(inner) : LinkLayer.etherType(type, inner, .unknown)?.payload
  }

  /// TaZmen Sniffer Protocol with Ethernet inside: mirroring by MikroTik and others.
  private static func tzsp(_ b: Octets) -> Octets? {
    guard b.byte(0) == 1, b.byte(1) <= 1, b.short(2) == 1 else { return nil }
    var at = 4
    for _ in 0..<32 {
      switch b.byte(at) {
      case 0 where at < b.count: at += 1
      case 1: return ethernet(b.from(at + 1))
      default: at += 2 + Int(b.byte(at + 1))
      }
    }
    return nil
  }

  private static func ethernet(_ frame: Octets) -> Octets? {
    LinkLayer.etherType(frame.short(12), frame.from(14), .unknown)?.payload
  }

  private static func ip(_ b: Octets) -> Octets? {
    b.byte(0) >> 4 == 4 || b.byte(0) >> 4 == 6 ? b : nil
  }
}
