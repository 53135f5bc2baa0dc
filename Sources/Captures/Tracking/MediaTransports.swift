import Packets

/// All paths of the capture, and how flows find theirs.
final class MediaTransports {
  private(set) var all: [MediaTransport] = []
  /// What proved to be parts of others, kept for who refers to them.
  private var parts: [MediaTransport] = []
  /// By the two user fragments of a pair, and the end that the lesser of them names: a restart gives the ends other
  /// fragments while checks of the old pair still pass.
  private var byUfrags: [String: (path: MediaTransport, endOfLesser: Int, isBeside: Bool)] = [:]
  private var generations: ICEGenerations
  private var byMedia: [Endpoint: (path: MediaTransport, end: Int)] = [:]
  /// The same of ports that only reports are sent to.
  private var byReports: [Endpoint: (path: MediaTransport, end: Int)] = [:]
  /// Paths that were made for the media of a flow, by its addresses.
  private var unnamed: [Endpoint: (path: MediaTransport, end: Int)] = [:]
  /// SIP calls that no description was seen of, so far.
  private var undescribed: [MediaTransport] = []
  private let most: Int
  /// Packets and messages that would have begun one more.
  private(set) var refused = 0
  /// A flow silent for longer begins another call.
  static let idleNs: Int64 = 60_000_000_000
  /// A call of which nothing passed for so long gives its addresses up to the next.
  static let quietNs: Int64 = 5_000_000_000
  /// Media that passed so short a time ago goes on.
  private static let presentNs: Int64 = 500_000_000
  private static let mostUndescribed = 1000

  /// A book of at most so many paths.
  init(most: Int) {
    self.most = most
    generations = ICEGenerations(most: 2 * most)
  }

  /// The path of a flow, found or made; `flow.lowEnd` says which end its lesser address is.
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
  func describedInPart(_ path: MediaTransport) {
    path.isDescribed = false
    guard undescribed.count < Self.mostUndescribed, !undescribed.contains(where: { $0 === path }) else {
      return
    }
    undescribed.append(path)
  }

  /// A path for a SIP call.
  func makeCall() -> MediaTransport? {
    let path = make()
    if let path, undescribed.count < Self.mostUndescribed { undescribed.append(path) }
    return path
  }

  /// The one SIP call between two hosts that is not over and of which no description was captured whole, and the end that the
  /// first host is; nil where there is none, or more than one.
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

  /// A path without a flow yet.
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
    // Where both ends go by one fragment, addresses alone tell them apart.
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
    // A flow whose fragments changed has restarted ICE: the path stays.
    guard let path = path(of: flow) else { return nil }
    let end = senderIsLow ? flow.lowEnd : 1 - flow.lowEnd
    let restartNs = flow.isBeside ? nil : timeNs
    generations.name(sender, of: path, end, at: restartNs)
    generations.name(receiver, of: path, 1 - end, at: restartNs)
    if byUfrags.count < most { byUfrags[key] = (path, isLesser ? end : 1 - end, flow.isBeside) }
    return (path, end)
  }

  /// At the end, lets what was tried in vain while a call stood be the call's.
  func settle() {
    FailedICERestart(all).settle()
    parts = all.filter { $0.whole != nil }
    all.removeAll { $0.whole != nil }
  }

  /// The one path between two hosts that has media of a moment ago and no name, and the end that the first host is; nil where
  /// there is none, or more than one.
  func unnamed(between a: Address, _ b: Address, at timeNs: Int64) -> (path: MediaTransport, end: Int)? {
    // With no room for more calls nobody is looked for either: the search takes time.
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

  /// The path that a media address was last named for, and the end that named it.
  func expecting(_ endpoint: Endpoint) -> (path: MediaTransport, end: Int)? {
    byMedia[endpoint].map { MediaTransport.whole($0.path, $0.end) }
  }

  /// The call that stands and whose ends named two addresses for their sound last, and the end that named the first; the older
  /// where a user agent lets media of two calls pass it by.
  func named(_ a: Endpoint, _ b: Endpoint) -> (path: MediaTransport, end: Int)? {
    guard let one = expecting(a)?.path, let other = expecting(b)?.path else { return nil }
    return [one, other].filter { $0.overNs == nil }
      .compactMap { path in path.end(naming: a, to: b).map { (path, $0) } }
      .min { $0.path.number < $1.path.number }
  }

  /// The newest call that is not over and whose ends named two addresses for their sound, and the end that named the first.
  func newest(naming a: Endpoint, _ b: Endpoint) -> (path: MediaTransport, end: Int)? {
    [expecting(a)?.path, expecting(b)?.path].compactMap { $0 }.filter { $0.overNs == nil }
      .compactMap { path in path.end(naming: a, to: b).map { (path, $0) } }
      .max { $0.path.number < $1.path.number }
  }

  /// Lets a media address that SDP named lead to its path; where an earlier call is over, it is no longer that one's.
  func expect(_ endpoint: Endpoint, path: MediaTransport, end: Int, at timeNs: Int64) {
    if let earlier = expecting(endpoint)?.path, earlier !== path,
      earlier.overNs != nil || timeNs &- max(earlier.heardNs, earlier.lastNs) > Self.quietNs
    {
      earlier.leave(endpoint)
    }
    guard byMedia.count < 4 * most else { return }
    byMedia[endpoint] = (path, end)
  }

  /// Lets an address that SDP gives for reports lead to its path.
  func expect(reports endpoint: Endpoint, path: MediaTransport, end: Int) {
    guard byReports.count < 4 * most else { return }
    byReports[endpoint] = (path, end)
  }

  /// The path of a flow that carries nothing but reports, and the end that its lesser address is; nil where nobody described it.
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

  /// Joins a flow to a path.
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

/// Checks that nobody answered, between hosts that had a call meanwhile: a restart of its ICE that came to nothing, which is no
/// call and no end of one.
///
/// Which fragments belong together is not known of these, so they are taken for a part of the call only where one call alone
/// can be meant and it goes on after them.
struct FailedICERestart {
  private struct Hosts: Hashable {
    var first: Address
    var second: Address
  }

  /// Checks on a pair that fails are seconds apart: a call that was heard so long before the last of them goes on.
  private static let patienceNs: Int64 = 1_000_000_000
  private static let mostHosts = 8

  private let paths: [MediaTransport]
  /// Calls by their hosts, first end first; nil where there are several.
  private var calls: [Hosts: MediaTransport?] = [:]

  init(_ paths: [MediaTransport]) {
    self.paths = paths
    guard paths.contains(where: Self.isVain) else { return }
    for path in paths where path.whole == nil && path.isWebRTC && !path.media.isEmpty {
      for hosts in Self.hosts(path) {
        let isOther = calls[hosts].map { $0 !== path } ?? false
        calls[hosts] = .some(isOther ? nil : path)
      }
    }
  }

  /// Gives each to the call it belongs to.
  func settle() {
    for path in paths where Self.isVain(path) {
      guard let startNs = path.ice.firstNs, let (call, isTurned) = call(during: path, from: startNs) else {
        continue
      }
      var w = ArgumentWriter()
      w.add("checks", path.ice.checks)
      call.takeIn(path, named: false, isTurned: isTurned)
      call.add(
        "unknown", "STUN checks between other addresses, of which none was answered", at: startNs,
        args: w.text)
    }
  }

  private static func isVain(_ path: MediaTransport) -> Bool {
    path.isBare && path.media.isEmpty && path.ice.checks > 0 && path.ice.firstAnsweredNs == (nil, nil)
  }

  /// The call that stood at that time between the same hosts, and whether its ends are counted the other way round.
  private func call(during vain: MediaTransport, from startNs: Int64) -> (
    path: MediaTransport, isTurned: Bool
  )? {
    for hosts in Self.hosts(vain) {
      let turned = Hosts(first: hosts.second, second: hosts.first)
      for (key, isTurned) in [(hosts, false), (turned, true)] {
        guard let call = calls[key] ?? nil, let beganNs = call.ice.firstNs, beganNs < startNs,
          call.heardNs &+ Self.patienceNs >= vain.lastNs, call.overNs.map({ $0 > startNs }) ?? true
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
    Set(end.addresses.prefix(mostHosts).map(\.address))
  }
}
