/// A range of addresses: `10.1.0.0/16`, `2001:db8::/32`, or one address.
public struct Subnet: Hashable, Sendable {
  /// The address with the bits after the prefix cleared; an IPv4 address is in the last four bytes (RFC 4291
  /// 2.5.5.2).
  private let high: UInt64
  private let low: UInt64
  /// Prefix length, of 128 bits.
  public let prefix: Int

  /// Parses a range; nil if the text is not one.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = Self.address(String(parts[0])) else { return nil }
    let bits = address.isV4 ? 32 : 128
    guard parts.count == 2 else {
      self.init(address.high, address.low, 128)
      return
    }
    guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let length = Int(parts[1]), length <= bits
    else { return nil }
    self.init(address.high, address.low, 128 - bits + length)
  }

  private init(_ high: UInt64, _ low: UInt64, _ prefix: Int) {
    func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : bits >= 64 ? .max : ~(.max >> UInt64(bits)) }
    self.high = high & mask(prefix)
    self.low = low & mask(prefix - 64)
    self.prefix = prefix
  }

  /// The range with a prefix length around an address, with or without a port; nil if it is not an address.
  public init?(around address: String, prefix: Int) {
    guard let address = Self.address(Self.withoutPort(address)) else { return nil }
    self.init(address.high, address.low, prefix)
  }

  /// `192.0.2.1` of `192.0.2.1:5060`, `2001:db8::1` of `[2001:db8::1]:5060`.
  public static func withoutPort(_ text: String) -> String {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      return String(text[text.index(after: text.startIndex)..<end])
    }
    guard text.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1, let colon = text.firstIndex(of: ":")
    else { return text }
    return String(text[..<colon])
  }

  /// The bits of an address, as those of a range; nil if the text is not one (a host name, for example).
  public static func address(_ text: String) -> (high: UInt64, low: UInt64, isV4: Bool)? {
    if let v4 = v4(text) { return (0, 0xFFFF_0000_0000 | UInt64(v4), true) }
    return v6(text).map { ($0.high, $0.low, false) }
  }

  private static func v4(_ text: String) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let byte = UInt8(part)
      else { return nil }
      address = address << 8 | UInt32(byte)
    }
    return address
  }

  // RFC 4291 2.2: eight groups, one run of zeros left out, the last two possibly as IPv4.
  private static func v6(_ text: String) -> (high: UInt64, low: UInt64)? {
    guard text.utf8.count <= 45, text.utf8.contains(UInt8(ascii: ":")) else { return nil }
    func groups(_ text: Substring) -> [UInt16]? {
      if text.isEmpty { return [] }
      var groups: [UInt16] = []
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      for (place, part) in parts.enumerated() {
        if place == parts.count - 1, let v4 = v4(String(part)) {
          groups += [UInt16(v4 >> 16), UInt16(truncatingIfNeeded: v4)]
        } else {
          guard (1...4).contains(part.utf8.count), let group = UInt16(part, radix: 16), part.first != "+"
          else { return nil }
          groups.append(group)
        }
      }
      return groups
    }
    var all: [UInt16]
    if let gap = text.firstRange(of: "::") {
      guard let head = groups(text[..<gap.lowerBound]), let tail = groups(text[gap.upperBound...]),
        head.count + tail.count < 8
      else { return nil }
      all = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    } else {
      guard let groups = groups(text[...]) else { return nil }
      all = groups
    }
    guard all.count == 8 else { return nil }
    func word(_ groups: ArraySlice<UInt16>) -> UInt64 { groups.reduce(0) { $0 << 16 | UInt64($1) } }
    return (word(all[..<4]), word(all[4...]))
  }
}
