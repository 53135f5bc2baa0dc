import Packets

/// All paths of the capture, and how flows are assigned to them.
final class MediaTransports {
  private(set) var all: [MediaTransport] = []
  /// Paths merged into others, kept alive because of references to them.
  private var parts: [MediaTransport] = []
  /// Paths by the two user fragments of a pair, with the end that the lower fragment belongs to. After a
  /// restart, checks of the old pair may still arrive.
  private var byUfrags: [String: (path: MediaTransport, endOfLesser: Int, isBeside: Bool)] = [:]
  private var generations: ICEGenerations
  private var byMedia: [Endpoint: (path: MediaTransport, end: Int)] = [:]
  /// The same for ports that only receive RTCP.
  private var byReports: [Endpoint: (path: MediaTransport, end: Int)] = [:]
  /// The calls that have or had two addresses for audio.
  private var byPair: [[Endpoint]: [MediaTransport]] = [:]
  /// Paths created for the media of a flow without signalling, by address.
  private var unnamed: [Endpoint: (path: MediaTransport, end: Int)] = [:]
  /// SIP calls for which no description has been captured so far.
  private var undescribed: [MediaTransport] = []
  private let most: Int
  /// The number of packets and messages that would have begun another path.
  private(set) var refused = 0
  /// After a silence longer than this, a flow begins another call.
  static let idleNs: Int64 = 60_000_000_000
  /// After this time without packets, a call gives up its addresses to the next.
  static let quietNs: Int64 = 5_000_000_000
  /// Media whose last packet is no older than this is still going on, ns.
  private static let presentNs: Int64 = 500_000_000
  private static let maxUndescribed = 1000

  /// - Parameter most: The maximum number of paths.
  init(most: Int) {
    self.most = most
    generations = ICEGenerations(most: 2 * most)
  }

  /// The path of a flow, found or created; `flow.lowEnd` gives the end with the lower address.
  func path(of flow: Flow) -> MediaTransport? {
    if let path = flow.path { return path }
    if let named = named(flow.key.low, flow.key.high) {
      return attach(flow, to: named.path, lowEnd: named.end)
    }
    if let known = expecting(flow.key.low) { return attach(flow, to: known.path, lowEnd: known.end) }
    if let known = expecting(flow.key.high) { return attach(flow, to: known.path, lowEnd: 1 - known.end) }
    if let call = undescribed(between: flow.key.low.address, flow.key.high.address) {
      return attach(flow, to: call.path, lowEnd: call.end)
    }
    guard let path = make() else { return nil }
    (unnamed[flow.key.low], unnamed[flow.key.high]) = ((path, 0), (path, 1))
    return attach(flow, to: path, lowEnd: 0)
  }

  /// Media that passes at an address that no call of SIP has, and which end that is.
  func unnamed(at endpoint: Endpoint, at timeNs: Int64) -> (path: MediaTransport, end: Int)? {
    guard let (path, end) = unnamed[endpoint], path.call == nil, path.whole == nil, !path.isWebRTC,
      path.overNs == nil,
      let lastNs = path.media.map(\.lastNs).max(), timeNs &- lastNs <= Self.presentNs
    else { return nil }
    return (path, end)
  }

  /// Notes that a description of a call was captured only in part.
  func markDescribedInPart(_ path: MediaTransport) {
    path.isDescribed = false
    guard undescribed.count < Self.maxUndescribed, !undescribed.contains(where: { $0 === path }) else {
      return
    }
    undescribed.append(path)
  }

  /// A path for a SIP call.
  func makeCall() -> MediaTransport? {
    let path = make()
    if let path, undescribed.count < Self.maxUndescribed { undescribed.append(path) }
    return path
  }

  /// The only SIP call between two hosts that is not over and has no complete description in the capture, and
  /// the end that the first host is; nil if there is none, or more than one.
  private func undescribed(between a: Address, _ b: Address) -> (path: MediaTransport, end: Int)? {
    undescribed.removeAll { $0.isDescribed || $0.overNs != nil }
    var found: (path: MediaTransport, end: Int)?
    for path in undescribed {
      guard let end = path.end(of: a), path.end(of: b) == 1 - end else { continue }
      if found != nil { return nil }
      found = (path, end)
    }
    return found
  }

  /// Creates a path without a flow.
  func make() -> MediaTransport? {
    guard all.count < most else {
      refused += 1
      return nil
    }
    let path = MediaTransport(number: all.count)
    all.append(path)
    return path
  }

  /// The path of an ICE check between two user fragments, and the end of its sender.
  func path(
    sender: String, receiver: String, flow: Flow, senderIsLow: Bool, at timeNs: Int64
  ) -> (path: MediaTransport, senderEnd: Int)? {
    // If both ends use the same fragment, only the addresses distinguish them.
    if sender == receiver {
      return path(of: flow).map { ($0, senderIsLow ? flow.lowEnd : 1 - flow.lowEnd) }
    }
    let isLesser = sender < receiver
    let key = isLesser ? "\(sender):\(receiver)" : "\(receiver):\(sender)"
    if let known = byUfrags[key] {
      let (path, endOfLesser) = MediaTransport.whole(known.path, known.endOfLesser)
      let end = isLesser ? endOfLesser : 1 - endOfLesser
      guard let own = flow.path else {
        attach(flow, to: path, lowEnd: senderIsLow ? end : 1 - end)
        flow.isBeside = known.isBeside
        return (path, end)
      }
      let media = MediaTransport.whole(own, senderIsLow ? flow.lowEnd : 1 - flow.lowEnd)
      return MediaTransport.joined((path, end), media) ?? (path, end)
    }
    let addresses = senderIsLow ? (flow.key.low, flow.key.high) : (flow.key.high, flow.key.low)
    if flow.path == nil {
      if let (path, end) = generations.path(sender, receiver, from: addresses.0, to: addresses.1) {
        attach(flow, to: path, lowEnd: senderIsLow ? end : 1 - end)
      } else if let (path, end) = generations.beside(
        sender, receiver, from: addresses.0, to: addresses.1, at: timeNs)
      {
        attach(flow, to: path, lowEnd: senderIsLow ? end : 1 - end)
        flow.isBeside = true
      }
    }
    // If the fragments of a flow changed, ICE was restarted. The path stays the same.
    guard let path = path(of: flow) else { return nil }
    let end = senderIsLow ? flow.lowEnd : 1 - flow.lowEnd
    let restartNs = flow.isBeside ? nil : timeNs
    generations.name(sender, of: path, end, at: restartNs)
    generations.name(receiver, of: path, 1 - end, at: restartNs)
    if byUfrags.count < most { byUfrags[key] = (path, isLesser ? end : 1 - end, flow.isBeside) }
    return (path, end)
  }

  /// At the end, assigns failed checks made during a call to that call.
  func settle() {
    FailedICERestart(all).settle()
    parts = all.filter { $0.whole != nil }
    all.removeAll { $0.whole != nil }
  }

  /// The only path between two hosts that has recent media and no call, and the end that the first host is;
  /// nil if there is none, or more than one.
  func unnamed(between a: Address, _ b: Address, at timeNs: Int64) -> (path: MediaTransport, end: Int)? {
    // If there is no space for more calls, the search is skipped to save time.
    guard all.count < most else { return nil }
    var found: (path: MediaTransport, end: Int)?
    for path in all where path.call == nil && !path.isWebRTC && path.overNs == nil && !path.media.isEmpty {
      let lastNs = path.media.reduce(0) { max($0, $1.lastNs) }
      guard timeNs &- lastNs <= Self.quietNs, let end = path.end(of: a), path.end(of: b) == 1 - end else {
        continue
      }
      if found != nil { return nil }
      found = (path, end)
    }
    return found
  }

  /// The path for which a media address was last announced, and the end that announced it.
  func expecting(_ endpoint: Endpoint) -> (path: MediaTransport, end: Int)? {
    byMedia[endpoint].map { MediaTransport.whole($0.path, $0.end) }
  }

  /// The calls whose ends named two addresses for audio.
  func calls(naming pair: [Endpoint]) -> [MediaTransport] { byPair[pair] ?? [] }

  /// Notes that the ends of a call named two addresses for audio.
  func note(_ path: MediaTransport, naming pair: [Endpoint]) {
    guard byPair.count < 4 * most || byPair[pair] != nil else { return }
    // Ports are used again, by calls that begin when the ones before are over.
    byPair[pair, default: []].removeAll { $0.overNs != nil }
    if byPair[pair, default: []].count < Self.maxOfPair { byPair[pair, default: []].append(path) }
  }
  private static let maxOfPair = 8

  /// The newest call that is not over and whose SDP has both addresses for audio, and the end with the first address.
  func newest(naming a: Endpoint, _ b: Endpoint) -> (path: MediaTransport, end: Int)? {
    [expecting(a)?.path, expecting(b)?.path].compactMap { $0 }.filter { $0.overNs == nil }
      .compactMap { path in path.end(naming: a, to: b).map { (path, $0) } }
      .max { $0.path.number < $1.path.number }
  }

  /// Assigns a media address from SDP to its path. If an earlier call with that address is over, it loses the
  /// address.
  func expect(_ endpoint: Endpoint, path: MediaTransport, end: Int, at timeNs: Int64) {
    if let earlier = expecting(endpoint)?.path, earlier !== path,
      earlier.overNs != nil || timeNs &- max(earlier.lastReceivedNs, earlier.lastNs) > Self.quietNs
    {
      earlier.leave(endpoint)
    }
    guard byMedia.count < 4 * most else { return }
    byMedia[endpoint] = (path, end)
  }

  /// Assigns an address that SDP gives for RTCP to its path.
  func expect(reports endpoint: Endpoint, path: MediaTransport, end: Int) {
    guard byReports.count < 4 * most else { return }
    byReports[endpoint] = (path, end)
  }

  /// The path of a flow that carries only RTCP, and the end with the lower address; nil if it was not
  /// announced.
  func reporting(_ flow: Flow) -> (path: MediaTransport, lowEnd: Int)? {
    if let known = byReports[flow.key.low] {
      let (path, end) = MediaTransport.whole(known.path, known.end)
      return (path, end)
    }
    return byReports[flow.key.high].map { known in
      let (path, end) = MediaTransport.whole(known.path, known.end)
      return (path, 1 - end)
    }
  }

  /// Adds a flow to a path.
  @discardableResult
  func attach(_ flow: Flow, to path: MediaTransport, lowEnd: Int) -> MediaTransport {
    if flow.path !== path { path.join(flow) }
    flow.path = path
    flow.lowEnd = lowEnd
    path[lowEnd].met(flow.key.low)
    path[1 - lowEnd].met(flow.key.high)
    return path
  }
}

/// Unanswered checks between hosts that had a call at the time. They belong to a failed ICE restart, which is
/// neither a call nor the end of one.
///
/// The fragments of these checks are not linked to the call, so they are assigned to it only if it is the
/// only possible call and goes on after them.
struct FailedICERestart {
  private struct Hosts: Hashable {
    var first: Address
    var second: Address
  }

  /// Checks on a failing pair are seconds apart. A call with packets up to this long before the last check
  /// counts as going on.
  private static let patienceNs: Int64 = 1_000_000_000
  private static let maxHosts = 8

  private let paths: [MediaTransport]
  /// Calls by host, first end first; nil if there are several.
  private var calls: [Hosts: MediaTransport?] = [:]

  init(_ paths: [MediaTransport]) {
    self.paths = paths
    guard paths.contains(where: Self.hasOnlyFailedChecks) else { return }
    for path in paths where path.whole == nil && path.isWebRTC && !path.media.isEmpty {
      for hosts in Self.hosts(path) {
        let isOther = calls[hosts].map { $0 !== path } ?? false
        calls[hosts] = .some(isOther ? nil : path)
      }
    }
  }

  /// Merges each into the call it belongs to.
  func settle() {
    for path in paths where Self.hasOnlyFailedChecks(path) {
      guard let startNs = path.ice.firstNs, let (call, isTurned) = call(during: path, from: startNs) else {
        continue
      }
      var w = ArgumentWriter()
      w.add("checks", path.ice.checks)
      call.takeIn(path, named: false, isTurned: isTurned)
      call.add(
        .unknown, "STUN checks between other addresses, of which none was answered", at: startNs,
        args: w.text)
    }
  }

  private static func hasOnlyFailedChecks(_ path: MediaTransport) -> Bool {
    path.isBare && path.media.isEmpty && path.ice.checks > 0 && path.ice.firstAnsweredNs == (nil, nil)
  }

  /// The call established between the same hosts at that time, and whether its ends are in the opposite
  /// order.
  private func call(during failed: MediaTransport, from startNs: Int64) -> (
    path: MediaTransport, isTurned: Bool
  )? {
    for hosts in Self.hosts(failed) {
      let turned = Hosts(first: hosts.second, second: hosts.first)
      for (key, isTurned) in [(hosts, false), (turned, true)] {
        guard let call = calls[key] ?? nil, let beganNs = call.ice.firstNs, beganNs < startNs,
          call.lastReceivedNs &+ Self.patienceNs >= failed.lastNs, call.overNs.map({ $0 > startNs }) ?? true
        else { continue }
        return (call, isTurned)
      }
    }
    return nil
  }

  private static func hosts(_ path: MediaTransport) -> Set<Hosts> {
    let (first, second) = (hosts(path.ends.0), hosts(path.ends.1))
    return Set(first.flatMap { one in second.map { Hosts(first: one, second: $0) } })
  }

  private static func hosts(_ end: TransportEnd) -> Set<Address> {
    Set(end.addresses.prefix(maxHosts).map(\.address))
  }
}
