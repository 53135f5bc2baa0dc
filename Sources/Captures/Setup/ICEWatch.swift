import CallModel

/// Follows STUN and TURN: gathering, connectivity checks, nomination, consent (RFC 8445, 8656, 7675).
final class ICEWatch {
  private let paths: PathBook
  private var transactions = Transactions()
  /// By the address that asked.
  private(set) var gatherings: [Endpoint: Gathering] = [:]

  init(paths: PathBook) { self.paths = paths }

  /// Takes a STUN message that passed on a flow; answers the payload it wrapped, if any.
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

  /// `receiver:sender` of a check's USERNAME.
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
    guard let request = transactions.answer(message.transaction) else { return }
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
    // An id that was sent twice has two possible answers (Karn): no round trip from it.
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
