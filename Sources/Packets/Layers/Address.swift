import CallModel

/// An IPv4 or IPv6 address in 16 bytes; IPv4 is stored in mapped form (`::ffff:a.b.c.d`).
public struct Address: Hashable {
  /// The upper and the lower half, host order.
  public var high: UInt64
  public var low: UInt64

  @inline(__always)
  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// An IPv4 address from its 32 bits, host order.
  @inline(__always)
  init(v4: UInt32) {
    high = 0
    low = 0xFFFF_0000_0000 | UInt64(v4)
  }

  /// Whether it is IPv4.
  var isV4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// Whether it is of a private, loopback, link-local, shared or unique-local range (RFC 1918, 6598, 4193).
  public var isPrivate: Bool {
    if isV4 {
      let a = UInt32(truncatingIfNeeded: low)
      return a >> 24 == 10 || a >> 20 == 0xAC1 || a >> 16 == 0xC0A8 || a >> 24 == 127 || a >> 16 == 0xA9FE
        || a >> 22 == 0x191
    }
    return high >> 57 == 0x7E || high >> 54 == 0x3FA || (high == 0 && low == 1)
  }

  /// Whether it is a loopback address (RFC 1122 section 3.2.1.3, RFC 4291): both ends are on one host then.
  public var isLoopback: Bool { isV4 ? low & 0xFF00_0000 == 0x7F00_0000 : high == 0 && low == 1 }

  /// Whether it is unspecified (`0.0.0.0`, `::`), which in SDP means that no media is wanted (RFC 2543 appendix B.5).
  public var isUnspecified: Bool { isV4 ? low & 0xFFFF_FFFF == 0 : high == 0 && low == 0 }

  /// Stands for a host whose address is not known: one of the prefix that nothing is sent to (100::/64, RFC 6666).
  public static func unknownHost(_ number: UInt64) -> Address { Address(high: 0x0100 << 48, low: number) }

  /// Whether it stands for a host whose address is not known.
  public var isUnknown: Bool { high == 0x0100 << 48 }

  /// The address in text form (RFC 5952, without the mapped prefix).
  public var text: String {
    if isV4 {
      let a = UInt32(truncatingIfNeeded: low)
      return "\(a >> 24).\((a >> 16) & 255).\((a >> 8) & 255).\(a & 255)"
    }
    var groups = [UInt16](repeating: 0, count: 8)
    for i in 0..<4 {
      groups[i] = UInt16(truncatingIfNeeded: high >> UInt64(48 - 16 * i))
      groups[i + 4] = UInt16(truncatingIfNeeded: low >> UInt64(48 - 16 * i))
    }
    // The longest run of at least two zero groups is written as "::".
    var best = 0..<0
    var start = 0
    while start < 8 {
      var end = start
      while end < 8 && groups[end] == 0 { end += 1 }
      if end - start > max(1, best.count) { best = start..<end }
      start = max(end, start + 1)
    }
    func joined(_ part: ArraySlice<UInt16>) -> String {
      part.map { String($0, radix: 16) }.joined(separator: ":")
    }
    guard !best.isEmpty else { return joined(groups[...]) }
    return joined(groups[..<best.lowerBound]) + "::" + joined(groups[best.upperBound...])
  }
}

/// A transport address: the source or destination of a datagram.
public struct Endpoint: Hashable {
  public var address: Address
  public var port: UInt16

  public init(address: Address, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// `ip:port`, with brackets around IPv6.
  public var text: String { address.isV4 ? "\(address.text):\(port)" : "[\(address.text)]:\(port)" }
}

extension Address {
  /// Parses an address; nil if it is not one (a host name, for example).
  public init?(text: some StringProtocol) {
    guard let bits = Subnet.address(String(text)) else { return nil }
    self.init(high: bits.high, low: bits.low)
  }
}
