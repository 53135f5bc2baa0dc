import Packets

/// The milestones of a path as canonical events, for one of its ends (docs: setup time).
enum SetupEvents {
  static func of(_ path: MediaTransport, seenBy end: Int, _ ice: ICETracker) -> [MediaTransport.Event] {
    gathering(path, end, ice) + checks(path, end) + handshake(path, end) + media(path, end) + gone(path, end)
  }

  private static func gathering(_ path: MediaTransport, _ end: Int, _ ice: ICETracker) -> [MediaTransport
    .Event]
  {
    var all: [MediaTransport.Event] = []
    for address in path[end].addresses {
      guard let g = ice.gatherings[address] else { continue }
      var w = ArgumentWriter()
      w.add("requests", g.requests)
      w.add("retransmissions", g.retransmissions)
      if !g.errors.isEmpty { w.add("errors", g.errors.map(String.init).joined(separator: ",")) }
      all.append(
        .init(
          timeNs: g.firstRequestNs, event: .iceGatheringStarted,
          raw: g.sawAllocate ? "TURN Allocate request" : "STUN Binding request", args: w.text))
      if let answered = g.firstAnswerNs {
        all.append(
          .init(
            timeNs: answered, event: .iceCandidate, raw: "STUN answer",
            args: "{\"candidate_type\":\"\(g.relayNs == answered ? "relay" : "srflx")\"}"))
      }
      if let relay = g.relayNs, relay != g.firstAnswerNs {
        all.append(
          .init(
            timeNs: relay, event: .iceCandidate, raw: "TURN Allocate success",
            args: "{\"candidate_type\":\"relay\"}"))
      }
    }
    return all
  }

  private static func checks(_ path: MediaTransport, _ end: Int) -> [MediaTransport.Event] {
    let s = path.ice
    let own = end == 0 ? s.firstCheckNs.0 : s.firstCheckNs.1
    guard let start = own ?? s.firstCheckNs.0 ?? s.firstCheckNs.1 else { return [] }
    var w = ArgumentWriter()
    w.add("checks", s.checks)
    w.add("retransmissions", s.retransmissions)
    if beganBeforeCapture(path) || path.uncapturedEnd != nil {
      let raw =
        path.uncapturedEnd == nil
        ? "STUN checks of a call begun before the capture" : "STUN checks, captured in one direction"
      return [.init(timeNs: .min, event: .iceConnected, raw: raw, args: w.text)]
    }
    var all = [
      MediaTransport.Event(timeNs: start, event: .iceChecking, raw: "STUN check", args: w.text)
    ]
    let answered = end == 0 ? s.firstAnsweredNs.0 : s.firstAnsweredNs.1
    guard let up = answered ?? s.firstAnsweredNs.0 ?? s.firstAnsweredNs.1 else {
      if path.lastNs &- start > 10_000_000_000 {
        all.append(
          .init(timeNs: path.lastNs, event: .iceFailed, raw: "no STUN check was answered", args: w.text))
      }
      return all
    }
    if let nominated = s.nominatedNs { w.add("nominated_after_ms", Double(nominated &- start) / 1e6) }
    if s.roleConflicts > 0 { w.add("role_conflicts", s.roleConflicts) }
    all.append(.init(timeNs: up, event: .iceConnected, raw: "STUN check answered", args: w.text))
    return all
  }

  /// Whether media were captured before any check was answered, and no keys were exchanged. The checks then
  /// only maintain consent (RFC 7675), and it is unknown when ICE connected.
  private static func beganBeforeCapture(_ path: MediaTransport) -> Bool {
    let media = [path.ends.0.firstMediaNs, path.ends.1.firstMediaNs].compactMap { $0 }.min()
    let answered = [path.ice.firstAnsweredNs.0, path.ice.firstAnsweredNs.1].compactMap { $0 }.min()
    guard let media, let checked = answered ?? path.ice.firstNs, path.call == nil,
      path.dtls.clientHelloNs == nil, path.dtls.serverHelloNs == nil
    else { return false }
    return media < checked
  }

  private static func handshake(_ path: MediaTransport, _ end: Int) -> [MediaTransport.Event] {
    let s = path.dtls
    // Half of a handshake shows neither how long it took nor whether it failed.
    if let missing = path.uncapturedEnd {
      let hasKeys = path[1 - missing].firstMediaNs != nil || path[1 - missing].firstRTCPNs != nil
      guard hasKeys, s.clientHelloNs != nil || s.serverHelloNs != nil else { return hangUp(path) }
      return [
        .init(
          timeNs: .min, event: .dtlsConnected, raw: "DTLS handshake, captured in one direction", args: "{}")
      ] + hangUp(path)
    }
    guard let start = s.clientHelloNs ?? s.serverHelloNs else {
      // A call that began before the capture and ended during it.
      let isCall = path.ends.0.firstMediaNs != nil || path.ends.1.firstMediaNs != nil
      return isCall ? hangUp(path) : []
    }
    var w = ArgumentWriter()
    w.add("version", s.is13 ? "1.3" : "1.2 or older")
    w.add("retransmissions", s.repeats.count)
    var all = [
      MediaTransport.Event(timeNs: start, event: .dtlsStarted, raw: "DTLS ClientHello", args: w.text)
    ]
    for again in s.repeats {
      all.append(
        .init(
          timeNs: again.timeNs, event: .dtlsRetransmitted, raw: again.what,
          args: arguments(of: again, after: start, path)))
    }
    if let refused = DTLSRefusal(path) { return all + refused.events(seenBy: end) }
    guard let up = s.connectedNs else { return all }
    w.add("handshake_ms", Double(up &- start) / 1e6)
    all.append(.init(timeNs: up, event: .dtlsConnected, raw: "DTLS Finished", args: w.text))
    return all + hangUp(path)
  }

  /// How long the sender of a flight waited for an answer, and whether packets were lost. They need not have
  /// been if the flight arrived complete each time at the end that captures and that end had not answered
  /// yet. They certainly were if part of the flight never arrived here.
  private static func arguments(of again: RepeatedFlight, after start: Int64, _ path: MediaTransport)
    -> String
  {
    var w = ArgumentWriter()
    w.add("after_ms", Int((again.timeNs &- start) / 1_000_000))
    if let waited = again.waitedNs { w.add(.waitedMs, Int(waited / 1_000_000)) }
    if path.local != again.end, let missing = again.missing {
      w.add("lost", "yes")
      w.add("missing", missing.part)
      w.add("missing_bytes", missing.bytes)
      w.add("longest_came_bytes", missing.longestCame)
    } else if path.local == 1 - again.end, again.isUnanswered, again.isFollowed {
      w.add("lost", "no")
    }
    return w.text
  }

  /// The alert that closes DTLS, unless its sender went on sending, in which case it was a warning.
  private static func hangUp(_ path: MediaTransport) -> [MediaTransport.Event] {
    guard let timeNs = path.dtls.alertNs, let end = path.dtls.alertEnd, !path.goesOn(end, after: timeNs)
    else { return [] }
    return [.init(timeNs: timeNs, event: .callEnded, raw: "DTLS alert", args: "{}")]
  }

  /// An end that disappeared, reported for both ends: one can no longer be reached, the other reaches nobody.
  private static func gone(_ path: MediaTransport, _ end: Int) -> [MediaTransport.Event] {
    guard path.uncapturedEnd == nil else { return [] }
    let lost = [(1 - end, "remote"), (end, "local")].compactMap { end, who in
      path.goneNs(end).map { (timeNs: $0, who: who) }
    }
    guard let first = lost.min(by: { $0.timeNs < $1.timeNs }) else { return [] }
    var w = ArgumentWriter()
    if lost.count == 1 { w.add("gone", first.who) }
    return [
      .init(timeNs: first.timeNs, event: .iceDisconnected, raw: "no STUN check answered", args: w.text)
    ]
  }

  private static func media(_ path: MediaTransport, _ end: Int) -> [MediaTransport.Event] {
    var all: [MediaTransport.Event] = []
    if let first = path[1 - end].firstMediaNs {
      all.append(
        .init(timeNs: first, event: .mediaFirstPacket, raw: "first RTP packet received", args: "{}"))
    }
    return all
  }
}

/// A DTLS handshake that was ended by an alert, because an end rejected the other's certificate, its cipher
/// suites, or the keys as a whole.
struct DTLSRefusal {
  private let timeNs: Int64
  private let end: Int
  /// The alert description, if it is not encrypted.
  private let says: UInt8?
  private let isOfCall: Bool
  /// The address of that end.
  private let closer: Endpoint?

  /// Names of fatal alerts (RFC 8446 section 6.2).
  private static let names: [UInt8: String] = [
    10: "unexpected_message", 20: "bad_record_mac", 40: "handshake_failure", 42: "bad_certificate",
    43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
    46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied",
    50: "decode_error", 51: "decrypt_error", 70: "protocol_version", 71: "insufficient_security",
    80: "internal_error", 109: "missing_extension", 110: "unsupported_extension",
    116: "certificate_required", 120: "no_application_protocol",
  ]

  private static func words(_ alert: UInt8) -> String {
    names[alert].map { "\($0) (\(alert))" } ?? "\(alert)"
  }

  /// Alerts that end a session normally (RFC 5246 section 7.2): close_notify, and user_canceled before it.
  private static let leave: Set<UInt8> = [0, 90]

  /// The rejection on a path; fails if there was none.
  init?(_ path: MediaTransport) {
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
    // If a Finished is missing from the capture, an encrypted alert may be the end of an established call.
    let isError = says.map { !Self.leave.contains($0) } ?? (s.isRefusal || senders < 2)
    isOfCall = path.call == nil && isError
    closer = path[end].addresses.first
  }

  /// The events for one of the ends. A PeerConnection has failed if one of its transports has; how a SIP call
  /// ended is shown by its signalling.
  func events(seenBy viewer: Int) -> [MediaTransport.Event] {
    var w = ArgumentWriter()
    w.add(.by, viewer == end ? "local" : "remote")
    if let says { w.add("alert", Int(says)) }
    let failed = MediaTransport.Event(
      timeNs: timeNs, event: .dtlsFailed, raw: "DTLS alert", args: w.text)
    guard isOfCall else { return [failed] }
    var reason = ArgumentWriter()
    let who = closer.map { " by \($0.text)" } ?? ""
    reason.add(.reason, "DTLS was closed\(who)" + (says.map { ": alert \(Self.words($0))" } ?? ""))
    return [failed, .init(timeNs: timeNs, event: .callFailed, raw: "DTLS alert", args: reason.text)]
  }
}

extension DTLSState {
  /// Packets in transit when an alert was sent arrive within this time, ns.
  fileprivate static let inTransitNs: Int64 = 1_000_000_000

  /// When both Finished messages had been captured, ns. The client's is the last in DTLS 1.3, the server's in
  /// older versions.
  var connectedNs: Int64? {
    guard let client = clientFinishedNs else { return nil }
    if is13 { return client }
    guard let server = serverFinishedNs else { return nil }
    return max(client, server)
  }

  /// Whether neither end continued the handshake: after an alert, no flight is retransmitted. An empty
  /// acknowledgement (RFC 9147 section 7) is as long as an alert.
  fileprivate func isOver(by timeNs: Int64) -> Bool {
    flights.allSatisfy { $0.lastNs.map { $0 &- timeNs <= Self.inTransitNs } ?? true }
  }
}

extension MediaTransport {
  /// Whether an end sends media long after it sent an alert, which was then a warning.
  func goesOn(_ end: Int, after timeNs: Int64) -> Bool {
    media.contains { $0.sender == end && $0.lastNs &- timeNs > DTLSState.inTransitNs }
  }
}
