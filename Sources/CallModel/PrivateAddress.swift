/// Addresses that no other network reaches.
public enum PrivateAddress {
  /// Private, loopback, link-local, shared and unique-local ranges (RFC 1918, 6598, 4193).
  private static let ranges = [
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "100.64.0.0/10",
    "fc00::/7", "fe80::/10", "::1/128",
  ].compactMap { Subnet($0) }

  /// Whether a text is an address of one of them; nil where it is no address, as a name that hides one (mDNS) is none.
  public static func isPrivate(_ text: String) -> Bool? {
    guard Subnet(around: text, prefix: 128) != nil else { return nil }
    return ranges.contains { $0 == Subnet(around: text, prefix: $0.prefix) }
  }
}
