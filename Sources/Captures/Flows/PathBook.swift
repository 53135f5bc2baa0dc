/// All paths of the capture, and how flows find theirs.
final class PathBook {
  private(set) var all: [Path] = []
  /// What proved to be parts of others, kept for who refers to them.
  private var parts: [Path] = []
  /// By the two user fragments of a pair, and the end that the lesser of them names: a restart gives the ends other
  /// fragments while checks of the old pair still pass.
  private var byUfrags: [String: (path: Path, endOfLesser: Int, isBeside: Bool)] = [:]
  private var generations: Generations
  private var byMedia: [Endpoint: (path: Path, end: Int)] = [:]
  /// SIP calls that no description was seen of, so far.
  private var undescribed: [Path] = []
  private let most: Int
  /// Packets and messages that would have begun one more.
  private(set) var refused = 0
  /// A flow silent for longer begins another call.
  static let idleNs: Int64 = 60_000_000_000
  /// A call of which nothing passed for so long gives its addresses up to the next.
  private static let quietNs: Int64 = 5_000_000_000
  private static let mostUndescribed = 1000

  /// A book of at most so many paths.
  init(most: Int) {
    self.most = most
    generations = Generations(most: 2 * most)
  }

  /// The path of a flow, found or made; `flow.lowEnd` says which end its lesser address is.
  func path(of flow: Flow) -> Path? {
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
    return attach(flow, to: path, lowEnd: 0)
  }

  /// A path for a SIP call.
  func makeCall() -> Path? {
    let path = make()
    if let path, undescribed.count < Self.mostUndescribed { undescribed.append(path) }
    return path
  }

  /// The one SIP call between two hosts that is not over and of which no description was captured whole, and the end that the
  /// first host is; nil where there is none, or more than one.
  private func undescribed(between a: Address, _ b: Address) -> (path: Path, end: Int)? {
    undescribed.removeAll { $0.describedNs != nil || $0.overNs != nil }
    var found: (path: Path, end: Int)?
    for path in undescribed {
      guard let end = path.end(of: a), path.end(of: b) == 1 - end else { continue }
      if found != nil { return nil }
      found = (path, end)
    }
    return found
  }

  /// A path without a flow yet.
  func make() -> Path? {
    guard all.count < most else {
      refused += 1
      return nil
    }
    let path = Path(number: all.count)
    all.append(path)
    return path
  }

  /// The path of an ICE check between two user fragments, and the end of its sender.
  func path(
    sender: String, receiver: String, flow: Flow, senderIsLow: Bool, at timeNs: Int64
  ) -> (path: Path, senderEnd: Int)? {
    // Where both ends go by one fragment, addresses alone tell them apart.
    if sender == receiver {
      return path(of: flow).map { ($0, senderIsLow ? flow.lowEnd : 1 - flow.lowEnd) }
    }
    let isLesser = sender < receiver
    let key = isLesser ? "\(sender):\(receiver)" : "\(receiver):\(sender)"
    if let known = byUfrags[key] {
      let (path, endOfLesser) = Path.whole(known.path, known.endOfLesser)
      let end = isLesser ? endOfLesser : 1 - endOfLesser
      guard let own = flow.path else {
        attach(flow, to: path, lowEnd: senderIsLow ? end : 1 - end)
        flow.isBeside = known.isBeside
        return (path, end)
      }
      let media = Path.whole(own, senderIsLow ? flow.lowEnd : 1 - flow.lowEnd)
      return Path.joined((path, end), media) ?? (path, end)
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
    VainAttempts(all).settle()
    parts = all.filter { $0.whole != nil }
    all.removeAll { $0.whole != nil }
  }

  /// The one path between two hosts that has media of a moment ago and no name, and the end that the first host is; nil where
  /// there is none, or more than one.
  func unnamed(between a: Address, _ b: Address, at timeNs: Int64) -> (path: Path, end: Int)? {
    // With no room for more calls nobody is looked for either: the search takes time.
    guard all.count < most else { return nil }
    var found: (path: Path, end: Int)?
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
  func expecting(_ endpoint: Endpoint) -> (path: Path, end: Int)? {
    byMedia[endpoint].map { Path.whole($0.path, $0.end) }
  }

  /// The call that stands and whose ends named two addresses for their sound last, and the end that named the first; the older
  /// where a user agent lets media of two calls pass it by.
  func named(_ a: Endpoint, _ b: Endpoint) -> (path: Path, end: Int)? {
    guard let one = expecting(a)?.path, let other = expecting(b)?.path else { return nil }
    return [one, other].filter { $0.overNs == nil }
      .compactMap { path in path.end(naming: a, to: b).map { (path, $0) } }
      .min { $0.path.number < $1.path.number }
  }

  /// Lets a media address that SDP named lead to its path; where an earlier call is over, it is no longer that one's.
  func expect(_ endpoint: Endpoint, path: Path, end: Int, at timeNs: Int64) {
    if let earlier = expecting(endpoint)?.path, earlier !== path,
      earlier.overNs != nil || timeNs &- max(earlier.heardNs, earlier.lastNs) > Self.quietNs
    {
      earlier.leave(endpoint)
    }
    guard byMedia.count < 4 * most else { return }
    byMedia[endpoint] = (path, end)
  }

  /// Joins a flow to a path.
  @discardableResult
  func attach(_ flow: Flow, to path: Path, lowEnd: Int) -> Path {
    if flow.path !== path { path.join(flow) }
    flow.path = path
    flow.lowEnd = lowEnd
    path[lowEnd].met(flow.key.low)
    path[1 - lowEnd].met(flow.key.high)
    return path
  }
}
