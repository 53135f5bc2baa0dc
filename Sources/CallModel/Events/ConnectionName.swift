/// The name that a client's record gives to a PeerConnection.
public enum ConnectionName {
  /// Whether it looks like an id, which only one connection has: `caller` or `PC_0` is the name of many connections.
  public static func isID(_ name: some StringProtocol) -> Bool {
    name.utf8.count >= 12 && name.utf8.contains { (48...57).contains($0) }
  }

  /// The page that a connection is named after: callqa's collector calls the connections of a page by an id of the
  /// page and a number, `k3v9x0a1b2c3d-2`; Chrome by the render process and a number, `18084-9`. Nil for other names.
  public static func page(of name: some StringProtocol) -> Substring? {
    let text = Substring(name)
    guard let dash = text.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
    let (page, number) = (text[..<dash], text[text.utf8.index(after: dash)...])
    func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    guard !page.isEmpty, (1...4).contains(number.utf8.count), number.utf8.allSatisfy(isDigit) else {
      return nil
    }
    if page.utf8.allSatisfy(isDigit) { return page }
    let isLoad =
      (8...14).contains(page.utf8.count) && page.utf8.contains(where: isDigit)
      && page.utf8.allSatisfy { isDigit($0) || (97...122).contains($0) }
    return isLoad ? page : nil
  }

  /// The page as an identity of the connection, where no other page has its id.
  public static func identity(ofPageIn name: String) -> Identity? {
    guard let page = page(of: name), page.utf8.contains(where: { $0 > 57 }) else { return nil }
    return Identity(.page, String(page))
  }
}
