import Bytes

/// Gives people and addresses other names: always the same for the same key, and none that leads back without it.
///
/// An address keeps its network (/24, /48), and two are equal exactly if the originals were: within a /24 the last
/// numbers change places by the key.
public final class Pseudonymizer: Sendable {
  private let key: HMACKey
  private let rings = Locked<[String: [UInt8]]>([:])

  /// Pseudonyms under a key.
  public init(key: HMACKey) { self.key = key }

  /// `person-` and 12 hex digits. The scheme of a URI, letter case and what surrounds a name do not matter.
  public func person(_ name: String) -> String {
    var name = name.lowercased()
    for scheme in ["sip:", "sips:", "tel:", "mailto:", "xmpp:"] where name.hasPrefix(scheme) {
      name.removeFirst(scheme.count)
    }
    if name.hasPrefix("person-"), name.utf8.count == 19 { return name }
    name = Self.digits(ofNumber: name) ?? Self.spelledOut(name)
    return "person-" + hex(key.code("person:\(name)".utf8).prefix(6))
  }

  /// The digits of a telephone number, however it is written; nil for anything else.
  static func digits(ofNumber text: String) -> String? {
    let digits = text.filter { ("0"..."9").contains($0) }
    guard digits.count >= 5, text.allSatisfy({ "+0123456789 -().".contains($0) }) else { return nil }
    return digits
  }

  /// A name as it is meant where a form has written it (`Zoe+Quimby`); a plus in an address of mail is its own.
  static func spelledOut(_ name: String) -> String {
    guard name.contains("+"), !name.contains("@"), !name.utf8.contains(where: \.isASCIIDigit) else {
      return name
    }
    return String(name.map { $0 == "+" ? " " : $0 })
  }

  /// An address with or without its port, which it keeps; anything else as it is.
  public func address(_ text: String) -> String {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      return "[" + address(String(text[text.index(after: text.startIndex)..<end])) + text[end...]
    }
    let colons = text.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: ":") ? 1 : 0) }
    if colons == 1, let colon = text.firstIndex(of: ":") {
      return address(String(text[..<colon])) + text[colon...]
    }
    if let four = IPAddress.four(text) { return pseudonym(ofFour: four) ?? text }
    if colons > 1, let sixteen = IPAddress.sixteen(text) { return pseudonym(ofSixteen: sixteen) ?? text }
    return text
  }

  private func pseudonym(ofFour four: [UInt8]) -> String? {
    // Loopback, "any" and multicast are nobody's.
    guard four[0] != 127, four[0] != 0, four[0] < 224 else { return nil }
    let network = "\(four[0]).\(four[1]).\(four[2])"
    let ring = rings.withLock { rings in
      if let ring = rings[network] { return ring }
      if rings.count > 4096 { rings.removeAll() }
      let ring = makeRing(of: network)
      rings[network] = ring
      return ring
    }
    return "\(network).\(ring[Int(four[3])])"
  }

  /// A permutation of 0…255 without a fixed point: one cycle through all, in an order that the key decides.
  private func makeRing(of network: String) -> [UInt8] {
    let order = (0...255).map { (key.code("address:\(network).\($0)".utf8), UInt8($0)) }
      .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    var ring = [UInt8](repeating: 0, count: 256)
    for (place, number) in order.enumerated() { ring[Int(number)] = order[(place + 1) % 256] }
    return ring
  }

  private func pseudonym(ofSixteen sixteen: [UInt8]) -> String? {
    let prefix = sixteen.prefix(6)
    let rest = sixteen.dropFirst(6)
    let isMapped = sixteen.prefix(10).allSatisfy { $0 == 0 } && sixteen[10] == 0xFF && sixteen[11] == 0xFF
    if isMapped { return pseudonym(ofFour: Array(sixteen.suffix(4))).map { "::ffff:" + $0 } }
    // "::" and "::1" are nobody's.
    if sixteen.dropLast().allSatisfy({ $0 == 0 }), sixteen[15] < 2 { return nil }
    let code = key.code("address:".utf8 + prefix + rest)
    let bytes = Array(prefix) + Array(code.prefix(10))
    return stride(from: 0, to: 16, by: 2).map {
      String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
    }.joined(separator: ":")
  }

  private func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
