/// The connections with which one client of an SFU sends and receives: from the same page, or named after it, at the
/// same time.
///
/// One dump may also contain both ends of a call; those send and receive, or know each other's keys.
enum ClientParts {
  private static let publishers: Set<String> = ["pub", "publisher", "send", "sender", "producer"]
  private static let subscribers: Set<String> = ["sub", "subscriber", "recv", "receiver", "consumer"]

  /// Whether one of two views only sends and the other only receives, for the same client.
  static func areOfOneClient(_ a: ConnectionView, _ b: ConnectionView) -> Bool {
    guard a.source == b.source, a.call == nil || b.call == nil || a.call == b.call, together(a, b) else {
      return false
    }
    return isOneClient(a, b) || isOneClient(b, a)
  }

  private static func isOneClient(_ sender: ConnectionView, _ receiver: ConnectionView) -> Bool {
    guard onlySends(sender), onlyReceives(receiver) else { return false }
    if !sender[.page].isDisjoint(with: receiver[.page]) { return true }
    return isNamed(sender, publishers) && isNamed(receiver, subscribers)
  }

  /// The keys by which such views are found; views of one page share its identity.
  static func word(of view: ConnectionView) -> String? {
    isNamed(view, publishers) || isNamed(view, subscribers) ? "client \(view.source)" : nil
  }

  private static func isNamed(_ view: ConnectionView, _ names: Set<String>) -> Bool {
    view.logged.end.map { names.contains($0.lowercased()) } ?? false
  }

  private static func onlySends(_ view: ConnectionView) -> Bool {
    view[.ssrcIn].isEmpty && !view[.ssrcOut].isEmpty
  }

  private static func onlyReceives(_ view: ConnectionView) -> Bool {
    view[.ssrcOut].isEmpty && !view[.ssrcIn].isEmpty
  }

  private static func together(_ a: ConnectionView, _ b: ConnectionView) -> Bool {
    guard let aFirst = a.firstMs, let aLast = a.lastMs, let bFirst = b.firstMs, let bLast = b.lastMs else {
      return false
    }
    return aFirst < bLast && bFirst < aLast
  }
}
