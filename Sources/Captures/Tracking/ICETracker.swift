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
    if datagram.direction == .sent { path[end].sentByHost += 1 }
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
struct Transactions {
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
