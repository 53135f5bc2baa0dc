/// Parts of an address as statistics and captures write it: `192.0.2.7:5004`, `[2001:db8::1]:5004`, `a.example:5004`.
public enum AddressText {
  /// The address without its port; as it stands where it has none.
  public static func host(_ address: String) -> String {
    guard let colon = address.lastIndex(of: ":") else { return address }
    return String(address[..<colon])
  }

  /// The network that an address is of: 256 addresses of IPv4 (a media server, a gateway, a site), else the host by itself.
  public static func network(_ address: String) -> String {
    let host = host(address)
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count == 4, numbers.allSatisfy({ UInt8($0) != nil }) else { return host }
    return numbers.dropLast().joined(separator: ".") + ".0/24"
  }
}
