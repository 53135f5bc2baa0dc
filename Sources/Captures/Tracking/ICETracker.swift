import Packets

/// Follows STUN and TURN: gathering, connectivity checks, nomination, consent (RFC 8445, 8656, 7675).
final class ICETracker {
  private let paths: MediaTransports
  private var transactions = Transactions()
  /// By the address that sent the requests.
  private(set) var gatherings: [Endpoint: Gathering] = [:]

  init(paths: MediaTransports) { self.paths = paths }

  /// Takes a STUN message on a flow; returns the payload wrapped in it, if any.
  func take(_ message: STUNMessage, _ datagram: Datagram, _ flow: Flow, _ fromLow: Bool) -> Octets? {
    switch message.messageClass {
    case 0: request(message, datagram, flow, fromLow)
    case 2, 3: answer(message, datagram, flow, fromLow)
    default: return message.method == 6 || message.method == 7 ? message.data : nil
    }
    return nil
  }

  private func request(
    _ message: STUNMessage, _ datagram: Datagram, _ flow: Flow, _ fromLow: Bool
  ) {
    let sends = transactions.request(
      message.transaction, on: flow.key, timeNs: datagram.timeNs, useCandidate: message.useCandidate)
    guard message.method == 1, let username = message.username, let names = Self.fragments(username) else {
      flow.hasICE = flow.hasICE || message.method == 1 && flow.carriesRTP
      return gather(message, datagram, sends)
    }
    flow.hasICE = true
    guard
      let (path, end) = paths.path(
        sender: names.sender, receiver: names.receiver, flow: flow, senderIsLow: fromLow, at: datagram.timeNs)
    else { return }
    path.lastNs = datagram.timeNs
    path[1 - end].consent.ask(at: datagram.timeNs)
    path[end].met(datagram.source)
    path.passed(datagram.direction, from: end)
    if sends > 0 { path.ice.checks += 1 }
    if sends > 1 { path.ice.retransmissions += 1 }
    if let controlling = message.controlling {
      path[end].controls = controlling
      path[1 - end].controls = !controlling
    }
    if end == 0 {
      path.ice.firstCheckNs.0 = path.ice.firstCheckNs.0 ?? datagram.timeNs
    } else {
      path.ice.firstCheckNs.1 = path.ice.firstCheckNs.1 ?? datagram.timeNs
    }
  }

  /// Parses `receiver:sender` from a check's USERNAME.
  private static func fragments(_ username: Octets) -> (receiver: String, sender: String)? {
    guard username.count <= 513 else { return nil }
    let parts = username.text().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count >= 4, parts[1].utf8.count >= 4 else { return nil }
    return (String(parts[0]), String(parts[1]))
  }

  private func gather(_ message: STUNMessage, _ datagram: Datagram, _ sends: Int) {
    guard message.method == 1 || message.method == 3, gatherings.count < 10_000 else { return }
    var g = gatherings[datagram.source] ?? Gathering(firstRequestNs: datagram.timeNs)
    g.requests += 1
    if sends > 1 { g.retransmissions += 1 }
    if message.method == 3 { g.sawAllocate = true }
    gatherings[datagram.source] = g
  }

  private func answer(
    _ message: STUNMessage, _ datagram: Datagram, _ flow: Flow, _ fromLow: Bool
  ) {
    guard let request = transactions.answer(message.transaction) else {
      if message.method == 1, message.messageClass == 2, let path = flow.path {
        path.ice.countStrayAnswer(by: fromLow ? flow.lowEnd : 1 - flow.lowEnd)
      }
      return
    }
    guard message.method == 1, flow.hasICE, let path = flow.path else {
      return gathered(message, datagram)
    }
    if message.messageClass == 3 {
      if message.errorCode == 487 { path.ice.roleConflicts += 1 }
      return
    }
    let answerer = fromLow ? flow.lowEnd : 1 - flow.lowEnd
    path.lastNs = datagram.timeNs
    path[answerer].consent.answer(at: datagram.timeNs)
    if answerer == 1 {
      path.ice.firstAnsweredNs.0 = path.ice.firstAnsweredNs.0 ?? datagram.timeNs
    } else {
      path.ice.firstAnsweredNs.1 = path.ice.firstAnsweredNs.1 ?? datagram.timeNs
    }
    if request.useCandidate && path.ice.nominatedNs == nil { path.ice.nominatedNs = datagram.timeNs }
    // A retransmitted request makes the answer ambiguous (Karn's algorithm), so it gives no round-trip time.
    if request.sends == 1 {
      path.add(
        roundTripMs: Double(datagram.timeNs &- request.firstNs) / 1e6, answeredBy: answerer,
        askedNs: request.firstNs, at: datagram.timeNs)
    }
  }

  private func gathered(_ message: STUNMessage, _ datagram: Datagram) {
    guard var g = gatherings[datagram.destination] else { return }
    if let code = message.errorCode {
      if code != 401 && code != 438 && g.errors.count < 16 { g.errors.append(code) }
    } else {
      g.firstAnswerNs = g.firstAnswerNs ?? datagram.timeNs
      if message.relayed != nil { g.relayNs = g.relayNs ?? datagram.timeNs }
    }
    gatherings[datagram.destination] = g
  }
}

/// STUN requests without an answer so far, and how long answers took.
private struct Transactions {
  /// A pending request.
  struct Request {
    var firstNs: Int64
    var sends: Int
    var useCandidate: Bool
    /// The flow on which it was first seen. A relay forwards it unchanged.
    var flow: FlowKey
  }

  private var open: [TransactionID: Request] = [:]
  private var sweptNs: Int64 = .min
  /// The maximum number of pending requests, and the time after which they are dropped; RFC 8489 gives up
  /// after 39.5 s.
  private static let most = 8192
  private static let patienceNs: Int64 = 40_000_000_000

  /// Records a request; returns how many times it has been sent, 0 if it was forwarded.
  mutating func request(_ id: TransactionID, on flow: FlowKey, timeNs: Int64, useCandidate: Bool) -> Int {
    if var known = open[id] {
      let isSentAgain = known.flow == flow
      known.useCandidate = known.useCandidate || useCandidate
      if isSentAgain { known.sends += 1 }
      open[id] = known
      return isSentAgain ? known.sends : 0
    }
    if open.count >= Self.most || timeNs &- sweptNs > Self.patienceNs {
      open = open.filter { timeNs &- $0.value.firstNs < Self.patienceNs }
      if open.count >= Self.most { open.removeAll() }
      sweptNs = timeNs
    }
    open[id] = Request(firstNs: timeNs, sends: 1, useCandidate: useCandidate, flow: flow)
    return 1
  }

  /// Returns and removes the request that an answer belongs to.
  mutating func answer(_ id: TransactionID) -> Request? { open.removeValue(forKey: id) }
}

/// How far ICE has progressed on a path.
struct ICEState {
  /// The first connectivity check of each end, ns.
  var firstCheckNs: (Int64?, Int64?) = (nil, nil)
  /// The earlier of the two.
  var firstNs: Int64? { [firstCheckNs.0, firstCheckNs.1].compactMap { $0 }.min() }
  /// The first answered check of each end, by the time of its answer, ns.
  var firstAnsweredNs: (Int64?, Int64?) = (nil, nil)
  /// The first answer to a check with USE-CANDIDATE, ns.
  var nominatedNs: Int64?
  var checks = 0
  var retransmissions = 0
  var roleConflicts = 0
  /// How many checks each end answered that are not in the capture.
  private(set) var strayAnswers = (0, 0)

  mutating func countStrayAnswer(by end: Int) {
    if end == 0 { strayAnswers.0 += 1 } else { strayAnswers.1 += 1 }
  }

  /// Adds the checks of a restart. The times of the first checks are kept.
  mutating func takeIn(_ later: ICEState, isTurned: Bool) {
    func turned(_ both: (Int64?, Int64?)) -> (Int64?, Int64?) { isTurned ? (both.1, both.0) : both }
    let (first, answered) = (turned(later.firstCheckNs), turned(later.firstAnsweredNs))
    firstCheckNs = (firstCheckNs.0 ?? first.0, firstCheckNs.1 ?? first.1)
    firstAnsweredNs = (firstAnsweredNs.0 ?? answered.0, firstAnsweredNs.1 ?? answered.1)
    nominatedNs = nominatedNs ?? later.nominatedNs
    checks += later.checks
    retransmissions += later.retransmissions
    roleConflicts += later.roleConflicts
    let stray = isTurned ? (later.strayAnswers.1, later.strayAnswers.0) : later.strayAnswers
    strayAnswers = (strayAnswers.0 + stray.0, strayAnswers.1 + stray.1)
  }
}

/// The requests that one host address sent to STUN and TURN servers before the checks.
struct Gathering {
  var firstRequestNs: Int64
  var firstAnswerNs: Int64?
  var relayNs: Int64?
  var requests = 0
  var retransmissions = 0
  /// Error codes other than TURN's 401 and 438, which are the usual challenges.
  var errors: [Int] = []
  var sawAllocate = false
}

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
