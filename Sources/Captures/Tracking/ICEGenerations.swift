import Packets

/// Whom ICE user fragments name, and by that which checks are those of a restart.
///
/// A restart gives both ends other fragments and often other ports. While it goes on, checks pass between an old fragment of
/// one end and the new one of the other: by these the two generations of a path know each other.
struct ICEGenerations {
  private var byFragment: [String: (path: MediaTransport, end: Int)] = [:]
  private let most: Int

  /// Remembers at most so many fragments.
  init(most: Int) { self.most = most }

  /// Takes a fragment for that of an end; `at` where another than it had means that ICE was restarted.
  mutating func name(_ fragment: String, of path: MediaTransport, _ end: Int, at timeNs: Int64?) {
    if let timeNs { path.name(fragment, of: end, at: timeNs) } else { path[end].name(fragment) }
    if byFragment[fragment] == nil, byFragment.count < most { byFragment[fragment] = (path, end) }
  }

  /// The path that checks between two fragments on new addresses belong to, and the end of their sender; nil where they begin
  /// one of their own.
  func path(
    _ sender: String, _ receiver: String, from source: Endpoint, to destination: Endpoint
  ) -> (path: MediaTransport, end: Int)? {
    guard sender != receiver else { return nil }
    switch (named(sender), named(receiver)) {
    case (let one?, let other?): return joined(one, (other.path, 1 - other.end))
    case (let one?, nil): return goesOn(one.path, one.end, at: source, with: destination) ? one : nil
    case (nil, let other?):
      return goesOn(other.path, other.end, at: destination, with: source) ? (other.path, 1 - other.end) : nil
    default: return nil
    }
  }

  /// The path beside which checks between two fragments begin another transport, and the end of their sender; nil where they
  /// begin a path of their own.
  ///
  /// Where sound and picture are not bundled, an end may use one fragment for both. One offer that has several answers at a host
  /// is tried from one port.
  func beside(
    _ sender: String, _ receiver: String, from source: Endpoint, to destination: Endpoint, at timeNs: Int64
  ) -> (path: MediaTransport, end: Int)? {
    guard sender != receiver else { return nil }
    let known: (path: MediaTransport, end: Int)
    switch (named(sender), named(receiver)) {
    case (let one?, nil): known = one
    case (nil, let other?): known = (other.path, 1 - other.end)
    default: return nil
    }
    let (path, end) = known
    guard path.overNs == nil, let firstNs = path.ice.firstNs, timeNs &- firstNs <= Self.togetherNs,
      isBeside(source, path[end]), isBeside(destination, path[1 - end])
    else { return nil }
    return known
  }

  /// Transports of one offer begin their checks within so long of each other, ns.
  private static let togetherNs: Int64 = 5_000_000_000

  /// Whether an address is another one of an end's hosts.
  private func isBeside(_ address: Endpoint, _ end: TransportEnd) -> Bool {
    !end.addresses.contains(address) && end.addresses.contains { $0.address == address.address }
  }

  private func named(_ fragment: String) -> (path: MediaTransport, end: Int)? {
    byFragment[fragment].map { MediaTransport.whole($0.path, $0.end) }
  }

  /// The one path of two fragments, each given with the end that would be the sender's; two paths become one where the later
  /// has come to no keys of its own.
  private func joined(
    _ one: (path: MediaTransport, end: Int), _ other: (path: MediaTransport, end: Int)
  ) -> (path: MediaTransport, end: Int)? {
    if one.path === other.path { return one.end == other.end ? one : nil }
    let (older, younger) = one.path.number < other.path.number ? (one, other) : (other, one)
    guard younger.path.isBare, older.path.isWebRTC, older.path.overNs == nil else { return nil }
    older.path.takeIn(younger.path, named: true, isTurned: older.end != younger.end)
    return older
  }

  /// Whether an end goes on at an address of its own, with a host that it has spoken to: one offer may have several answers,
  /// which are different paths.
  private func goesOn(_ path: MediaTransport, _ end: Int, at own: Endpoint, with other: Endpoint) -> Bool {
    path.isWebRTC && path.overNs == nil && path[end].addresses.contains(own)
      && path[1 - end].addresses.contains { $0.address == other.address }
  }
}

extension MediaTransport {
  /// The path that one is a part of, itself where it is none, and which of its ends an end is there.
  static func whole(_ path: MediaTransport, _ end: Int) -> (path: MediaTransport, end: Int) {
    guard path.whole != nil else { return (path, end) }
    var (root, isTurned) = (path, false)
    while let next = root.whole {
      isTurned = isTurned != next.isTurned
      root = next.path
    }
    path.whole = (root, isTurned)
    return (root, isTurned ? 1 - end : end)
  }

  /// Whether it may yet prove to be a part of another: it came to no keys of its own, and nobody was told of it.
  var isBare: Bool {
    whole == nil && call == nil && dtls.clientHelloNs == nil && dtls.serverHelloNs == nil
      && ends.0.connection == nil && ends.1.connection == nil
  }

  /// The one path of two that checks between the same fragments pass on, each given with the same end: media may pass before the
  /// first check does, where the capture began amid the call. Nil where both came to keys, or to be told of, by themselves.
  static func joined(_ one: (path: MediaTransport, end: Int), _ other: (path: MediaTransport, end: Int)) -> (
    path: MediaTransport, senderEnd: Int
  )? {
    guard one.path !== other.path else { return (one.path, one.end) }
    guard one.path.overNs == nil, other.path.overNs == nil else { return nil }
    let (older, younger) = one.path.number < other.path.number ? (one, other) : (other, one)
    guard younger.path.isBare || older.path.isBare else { return nil }
    let (whole, part) = younger.path.isBare ? (older, younger) : (younger, older)
    whole.path.takeIn(part.path, named: true, isTurned: whole.end != part.end)
    return (whole.path, whole.end)
  }

  /// Takes in a part whose fragments are those of this path from now on.
  func takeIn(_ part: MediaTransport, named: Bool, isTurned: Bool) {
    let sinceNs = part.ice.firstNs ?? part.lastNs
    takeIn(part, isTurned: isTurned)
    guard named else { return }
    for end in 0...1 {
      for ufrag in part[end].ufrags { name(ufrag, of: isTurned ? 1 - end : end, at: sinceNs) }
    }
  }
}
