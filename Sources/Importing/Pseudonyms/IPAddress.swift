import Glibc

/// Addresses in text form, as their bytes.
enum IPAddress {
  /// The four bytes of a dotted quad.
  static func four(_ text: String) -> [UInt8]? {
    var address = in_addr()
    guard inet_pton(AF_INET, text, &address) == 1 else { return nil }
    return withUnsafeBytes(of: &address) { Array($0) }
  }

  /// The sixteen bytes of an IPv6 address; a zone after `%` does not count.
  static func sixteen(_ text: String) -> [UInt8]? {
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1 else { return nil }
    return withUnsafeBytes(of: &address) { Array($0) }
  }
}
