import Packets

/// Maps ICE user fragments to ends, and recognises the checks of an ICE restart.
///
/// A restart gives both ends new fragments and often new ports. During the restart, checks pass between an
/// old fragment of one end and the new one of the other, which links the two generations of a path.
struct ICEGenerations {
  private var byFragment: [String: (path: MediaTransport, end: Int)] = [:]
  private let most: Int

  /// - Parameter most: The maximum number of fragments remembered.
  init(most: Int) { self.most = most }

  /// Assigns a fragment to an end. `at` is given if a new fragment means that ICE was restarted.
  mutating func name(_ fragment: String, of path: MediaTransport, _ end: Int, at timeNs: Int64?) {
    if let timeNs { path.name(fragment, of: end, at: timeNs) } else { path[end].name(fragment) }
    if byFragment[fragment] == nil, byFragment.count < most { byFragment[fragment] = (path, end) }
  }

  /// The path that checks between two fragments on new addresses belong to, and the end of their sender; nil
  /// if they begin a path of their own.
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

  /// The path to which checks between two fragments add another transport, and the end of their sender; nil
  /// if they begin a path of their own.
  ///
  /// Without bundling, an end may use one fragment for audio and video. If an offer has several answers from
  /// one host, the offerer uses one port for all of them.
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

  /// The maximum time between the first checks of the transports of one offer, ns.
  private static let togetherNs: Int64 = 5_000_000_000

  /// Whether an address is a new port on one of an end's hosts.
  private func isBeside(_ address: Endpoint, _ end: TransportEnd) -> Bool {
    !end.addresses.contains(address) && end.addresses.contains { $0.address == address.address }
  }

  private func named(_ fragment: String) -> (path: MediaTransport, end: Int)? {
    byFragment[fragment].map { MediaTransport.whole($0.path, $0.end) }
  }

  /// The common path of two fragments, each given with the end that the sender would be. Two paths are merged
  /// if the later one has not established keys of its own.
  private func joined(
    _ one: (path: MediaTransport, end: Int), _ other: (path: MediaTransport, end: Int)
  ) -> (path: MediaTransport, end: Int)? {
    if one.path === other.path { return one.end == other.end ? one : nil }
    let (older, younger) = one.path.number < other.path.number ? (one, other) : (other, one)
    guard younger.path.isBare, older.path.isWebRTC, older.path.overNs == nil else { return nil }
    older.path.takeIn(younger.path, named: true, isTurned: older.end != younger.end)
    return older
  }

  /// Whether an end continues at its own address with a host that it has already used. One offer may have
  /// several answers, which are different paths.
  private func goesOn(_ path: MediaTransport, _ end: Int, at own: Endpoint, with other: Endpoint) -> Bool {
    path.isWebRTC && path.overNs == nil && path[end].addresses.contains(own)
      && path[1 - end].addresses.contains { $0.address == other.address }
  }
}

extension MediaTransport {
  /// The path that this one has been merged into, or itself, and the number of the given end there.
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

  /// Whether it may still turn out to be part of another path, because it has not established keys and has
  /// not been reported.
  var isBare: Bool {
    whole == nil && call == nil && dtls.clientHelloNs == nil && dtls.serverHelloNs == nil
      && ends.0.connection == nil && ends.1.connection == nil
  }

  /// The common path of two paths with checks between the same fragments, each given with the same end. If
  /// the capture began during the call, media may precede the first check. Nil if both have established keys
  /// or have been reported.
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

  /// Merges a part into this path, together with its fragments.
  func takeIn(_ part: MediaTransport, named: Bool, isTurned: Bool) {
    let sinceNs = part.ice.firstNs ?? part.lastNs
    takeIn(part, isTurned: isTurned)
    guard named else { return }
    for end in 0...1 {
      for ufrag in part[end].ufrags { name(ufrag, of: isTurned ? 1 - end : end, at: sinceNs) }
    }
  }
}
