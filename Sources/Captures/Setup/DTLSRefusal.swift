/// A handshake of DTLS that an alert ended: an end refused the other's certificate, its ciphers, or the keys as a whole.
struct DTLSRefusal {
  private let timeNs: Int64
  private let end: Int
  /// What the alert says, where it can be read.
  private let says: UInt8?
  private let isOfCall: Bool

  /// Alerts by which an end takes its leave (RFC 5246 section 7.2): close_notify, and user_canceled before it.
  private static let leave: Set<UInt8> = [0, 90]

  /// The refusal on a path; nil where there was none.
  init?(_ path: Path) {
    let s = path.dtls
    let isConnected = s.connectedNs != nil
    let senders = [path.ends.0, path.ends.1].count { $0.firstMediaNs != nil }
    if let alertNs = s.alertNs, let alertEnd = s.alertEnd, !isConnected || s.isRefusal {
      guard !isConnected || !path.goesOn(alertEnd, after: alertNs) else { return nil }
      (timeNs, end, says) = (alertNs, alertEnd, s.alert)
    } else if let early = s.early, !isConnected, senders == 0, s.isOver(by: early.timeNs) {
      (timeNs, end, says) = (early.timeNs, early.end, nil)
    } else {
      return nil
    }
    // Where a Finished is missing from the capture, an alert that nobody can read may be the end of a call that stood.
    let isError = says.map { !Self.leave.contains($0) } ?? (s.isRefusal || senders < 2)
    isOfCall = path.call == nil && isError
  }

  /// What one of the ends is told of it. A PeerConnection has failed where one of its transports has; of a SIP call its
  /// signalling tells how it ended.
  func happenings(seenBy viewer: Int) -> [Path.Happening] {
    var w = ArgumentWriter()
    w.add("by", viewer == end ? "local" : "remote")
    if let says { w.add("alert", Int(says)) }
    let failed = Path.Happening(timeNs: timeNs, event: "dtls.failed", raw: "DTLS alert", args: w.text)
    guard isOfCall else { return [failed] }
    var reason = ArgumentWriter()
    reason.add("reason", "DTLS alert" + (says.map { " \($0)" } ?? ""))
    return [failed, .init(timeNs: timeNs, event: "call.failed", raw: "DTLS alert", args: reason.text)]
  }
}

extension DTLSState {
  /// What was on its way when an alert was sent comes so long after it, ns.
  fileprivate static let onItsWayNs: Int64 = 1_000_000_000

  /// When both Finished had passed: in DTLS 1.3 the client's is the last, before it the server's.
  var connectedNs: Int64? {
    guard let client = clientFinishedNs else { return nil }
    if is13 { return client }
    guard let server = serverFinishedNs else { return nil }
    return max(client, server)
  }

  /// Whether neither end went on with the handshake: nobody sends a flight again after an alert. An acknowledgement of nothing
  /// (RFC 9147 section 7) is as long as one.
  fileprivate func isOver(by timeNs: Int64) -> Bool {
    flights.allSatisfy { $0.lastNs.map { $0 &- timeNs <= Self.onItsWayNs } ?? true }
  }
}

extension Path {
  /// Whether an end sends media long after it sent an alert: then that was a warning.
  func goesOn(_ end: Int, after timeNs: Int64) -> Bool {
    media.contains { $0.sender == end && $0.lastNs &- timeNs > DTLSState.onItsWayNs }
  }
}
