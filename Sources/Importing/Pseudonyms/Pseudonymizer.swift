import Bytes
import Concurrency
import Glibc
import IO

/// Replaces people and addresses by pseudonyms: the same for the same key, and not reversible without it.
///
/// An address keeps its network (/24, /48), and two pseudonyms are equal exactly if the originals are: within a /24 the
/// last bytes are permuted by the key.
public final class Pseudonymizer: Sendable {
  private let key: HMACKey
  private let rings = Locked<[String: [UInt8]]>([:])

  /// Pseudonyms under a key.
  public init(key: HMACKey) { self.key = key }

  /// `person-` and 12 hex digits. The scheme of a URI, letter case and surrounding characters do not matter.
  public func person(_ name: String) -> String {
    var name = name.lowercased()
    for scheme in ["sip:", "sips:", "tel:", "mailto:", "xmpp:"] where name.hasPrefix(scheme) {
      name.removeFirst(scheme.count)
    }
    if name.hasPrefix("person-"), name.utf8.count == 19 { return name }
    name = Self.digits(ofNumber: name) ?? Self.spelledOut(name)
    return "person-" + hex(key.code("person:\(name)".utf8).prefix(6))
  }

  /// The digits of a telephone number in any form; nil for anything else.
  static func digits(ofNumber text: String) -> String? {
    let digits = text.filter { ("0"..."9").contains($0) }
    guard digits.count >= 5, text.allSatisfy({ "+0123456789 -().".contains($0) }) else { return nil }
    return digits
  }

  /// Decodes a name from a form (`Zoe+Quimby`); in an e-mail address the plus is kept.
  static func spelledOut(_ name: String) -> String {
    guard name.contains("+"), !name.contains("@"), !name.utf8.contains(where: \.isASCIIDigit) else {
      return name
    }
    return String(name.map { $0 == "+" ? " " : $0 })
  }

  /// An address with or without a port, which is kept; anything else is unchanged.
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
    // Loopback, "any" and multicast identify nobody.
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

  /// A permutation of 0…255 without fixed points: a single cycle, in an order determined by the key.
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
    // "::" and "::1" identify nobody.
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

/// Parses IP addresses.
enum IPAddress {
  /// The four bytes of a dotted-decimal address.
  static func four(_ text: String) -> [UInt8]? {
    var address = in_addr()
    guard inet_pton(AF_INET, text, &address) == 1 else { return nil }
    return withUnsafeBytes(of: &address) { Array($0) }
  }

  /// The sixteen bytes of an IPv6 address; a zone after `%` is ignored.
  static func sixteen(_ text: String) -> [UInt8]? {
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1 else { return nil }
    return withUnsafeBytes(of: &address) { Array($0) }
  }
}

/// Telephone numbers written with blanks: `+49 170 5551234`.
enum SpacedNumbers {
  /// Digits of a number (E.164): minimum, maximum, and the length at which it is considered complete.
  private static let least = 7
  private static let most = 15
  private static let whole = 11

  /// Whether a number with this many digits continues with a group of this many.
  static func goesOn(_ digits: Int, by more: Int) -> Bool { digits < whole && digits + more <= most }

  /// The text with such numbers replaced.
  static func replaced(_ text: String, by pseudonyms: Pseudonymizer) -> String {
    guard text.utf8.contains(UInt8(ascii: "+")), text.utf8.contains(UInt8(ascii: " ")) else { return text }
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var kept = 0
    var at = 0
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "+"), at == 0 || !bytes[at - 1].isASCIIWord,
        let end = end(of: bytes, at + 1)
      else {
        at += 1
        continue
      }
      out += bytes[kept..<at] + pseudonyms.person(String(decoding: bytes[at..<end], as: UTF8.self)).utf8
      (at, kept) = (end, end)
    }
    return kept > 0 ? String(decoding: out + bytes[kept...], as: UTF8.self) : text
  }

  // The end of a number whose first digit is at an index.
  private static func end(of bytes: [UInt8], _ start: Int) -> Int? {
    guard start < bytes.count, bytes[start].isASCIIDigit else { return nil }
    var (at, end, digits) = (start, start, 0)
    while at < bytes.count {
      let group = bytes[at...].prefix(while: \.isASCIIDigit)
      guard digits == 0 || goesOn(digits, by: group.count), group.count <= most else { break }
      if group.endIndex < bytes.count, bytes[group.endIndex].isASCIIWord { break }
      digits += group.count
      end = group.endIndex
      at = end
      // Groups are separated by one or two characters: `+1 (415) 555-0123`.
      while at < bytes.count, at - end < 2, " -.()/".utf8.contains(bytes[at]) { at += 1 }
      guard at > end, at < bytes.count, bytes[at].isASCIIDigit else { break }
    }
    return digits >= least ? end : nil
  }
}
