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
}

extension ConnectionName {
  /// The page as an identity of the connection, where no other page has its id.
  public static func identity(ofPageIn name: String) -> Identity? {
    guard let page = page(of: name), page.utf8.contains(where: { $0 > 57 }) else { return nil }
    return Identity(.page, String(page))
  }
}

/// Which call each connection of a page belongs to, by the ids in the lines of its log.
///
/// An application names its call when it knows it, often after the connection was made, and the name stays in the
/// lines until it sets the next one. So a connection has the first id that its lines give, unless that is the id of an
/// earlier call: one whose connections were closed before this one was made, and that is followed by another id.
public final class PageCalls {
  private struct Known {
    var call: String?
    /// The id of an earlier call, which holds if no other one follows.
    var inherited: String?
    var isClosed = false
  }

  private var connections: [String: Known] = [:]
  /// The connections that have an id and are not closed.
  private var open: [String: Set<String>] = [:]
  private let limit: Int

  /// - Parameter limit: the most connections that are tracked.
  init(limit: Int) { self.limit = limit }

  /// The call of a connection, from a line that names it or does not; nil while unknown.
  public func call(of connection: String, named id: String?) -> String? {
    guard ConnectionName.isID(connection) else { return id }
    var known = connections[connection] ?? Known()
    if let call = known.call { return call }
    guard connections[connection] != nil || connections.count < limit else { return id }
    if let id {
      let others = open[id]
      if others == nil || others?.isEmpty == false || known.inherited.map({ $0 != id }) == true {
        known.call = id
        if !known.isClosed { open[id, default: []].insert(connection) }
      } else {
        known.inherited = id
      }
    }
    connections[connection] = known
    return known.call
  }

  /// The call of a connection after the last line.
  public func settled(_ connection: String) -> String? {
    connections[connection].flatMap { $0.call ?? $0.inherited }
  }

  /// Notes that a connection was closed.
  public func close(_ connection: String) {
    guard let call = connections[connection]?.call else { return }
    connections[connection]?.isClosed = true
    open[call]?.remove(connection)
  }
}

/// When a connection of a client goes on with the call of the one before.
public enum Succession {
  /// One made within this time after the one before has replaced it, ms.
  public static let handOverMs = 3000.0
  /// The same if the one before was broken when it ended: what a page takes to reconnect, ms.
  public static let reconnectMs = 60_000.0
}
