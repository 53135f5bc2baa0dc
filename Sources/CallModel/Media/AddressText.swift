/// Parts of an address as written in statistics and captures: `192.0.2.7:5004`, `[2001:db8::1]:5004`,
/// `a.example:5004`.
public enum AddressText {
  /// The address without its port.
  public static func host(_ address: String) -> String {
    guard let colon = address.lastIndex(of: ":") else { return address }
    return String(address[..<colon])
  }

  /// The network of an address: the /24 of an IPv4 address (a media server, a gateway, a site), otherwise the
  /// host itself.
  public static func network(_ address: String) -> String {
    let host = host(address)
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count == 4, numbers.allSatisfy({ UInt8($0) != nil }) else { return host }
    return numbers.dropLast().joined(separator: ".") + ".0/24"
  }
}
