import CallModel
import Packets
import Signalling

/// What is only known at the end of the capture.
extension SIPTracker {
  /// Reports which rejections were final, what was never answered, and who was gone.
  func finish(at timeNs: Int64) {
    for call in calls.values {
      noteEarlySound(call)
      noteUnansweredHosts(call, at: timeNs)
      if call.unansweredSinceNs.map({ timeNs &- $0 >= Self.lastTransmissionNs || call.asked.isRefused })
        == true
      {
        giveUp(call, at: timeNs)
      }
      if let (end, brokenCall) = call.goneEnd {
        explainGoneEnd(end, brokenCall, of: call)
      } else if let end = call.dialog.ignoresBye {
        var w = ArgumentWriter()
        w.add(.byeIgnoredBy, call.name(of: end) ?? "other")
        call.path.add(to: .callEnded, w.text)
      }
      if let times = call.answersWithoutACK {
        var w = ArgumentWriter()
        w.add(.answersWithoutACK, times)
        call.path.add(to: .callAnswered, w.text)
      }
      guard let refusal = call.refusal else { continue }
      let isFinal = !refusal.asksAgain || timeNs &- refusal.timeNs > Self.patienceNs
      let callee = 1 - call.callerEnd
      if isFinal, call.asked.hosts.count < 2, refusal.isOfNobody, !refusal.hasRung {
        call.path.hasNoCallee = true
      } else if isFinal, !refusal.isCancel, call.path[callee].userAgent == nil {
        call.path[callee].userAgent = refusal.message.agent
      }
      add(refusal, as: isFinal ? .callFailed : .unknown, of: call)
    }
    registrations.finish(at: timeNs)
  }

  /// Takes an ICMP error about a packet to an address to which a call's INVITE was sent.
  func returned(_ error: ICMPError, from destination: Endpoint, at timeNs: Int64) {
    guard let id = call(invitedAt: destination),
      calls[id]?.returned(error, from: destination, at: timeNs) == true,
      let path = calls[id]?.path
    else { return }
    path.add(.unknown, "ICMP \(error.rawValue)", at: timeNs)
  }

  /// Adds when the caller first heard something before the answer.
  private func noteEarlySound(_ call: SIPCall) {
    guard let timeNs = call.earlySoundNs else { return }
    var w = ArgumentWriter()
    w.add(.by, "callee")
    // An announcement rings at nobody's.
    let isAnnouncement = call.refusal?.isOfNobody == true
    call.path.add(
      isAnnouncement ? .unknown : .callEarlyMedia, "RTP before the answer", at: timeNs, args: w.text)
  }

  /// An INVITE that is not answered is sent again after this time (T1, RFC 3261 section 17.1.1.2), ns.
  private static let firstRetransmissionNs: Int64 = 500_000_000

  /// An INVITE is sent for the last time 63 × T1 (31.5 s) after the first; timers may fire a little early, ns.
  private static let lastTransmissionNs: Int64 = 31_000_000_000

  /// Adds the hosts that never answered an INVITE, and how long that took before another one was tried.
  private func noteUnansweredHosts(_ call: SIPCall, at timeNs: Int64) {
    for host in call.asked.hosts where !host.isHeard {
      let next = call.asked.nextNs(after: host)
      let untilNs = next ?? call.refusal?.timeNs ?? min(timeNs, host.firstNs &+ Self.patienceNs)
      let waitedNs = untilNs &- host.firstNs
      guard host.returned != nil || waitedNs >= Self.firstRetransmissionNs && (next != nil || !call.isUp)
      else { continue }
      var w = ArgumentWriter()
      w.add(.words, host.words)
      w.add(.waitedMs, Int(max(0, waitedNs) / 1_000_000))
      call.path.add(note: .neverAnswered, at: host.firstNs, args: w.text)
    }
  }

  /// Ends a call without any response to its INVITE. It is unknown whether the INVITE arrived, unless its host says that
  /// nothing listens there.
  private func giveUp(_ call: SIPCall, at endNs: Int64) {
    let host = call.asked.hosts.last
    if host?.returned == nil { call.path.retract(.callIncoming, of: 1 - call.callerEnd) }
    guard let sinceNs = call.unansweredSinceNs, call.refusal == nil, !call.isOver else { return }
    let to = host.map { " to \($0.endpoint.text)" } ?? ""
    var w = ArgumentWriter()
    if let host, let (error, timeNs) = host.returned {
      w.add(.reason, host.words)
      w.add(.outcome, Outcome.failed.rawValue)
      w.add(.verdictCause, Verdict.Reason.signalling.rawValue)
      return call.path.add(.callFailed, "ICMP \(error.rawValue)", at: timeNs, args: w.text)
    }
    w.add(.reason, "no answer of any kind to the INVITE\(to)")
    w.add(.outcome, Outcome(sipStatus: 408).rawValue)
    call.path.add(
      .callFailed, "SIP INVITE without an answer", at: min(sinceNs &+ Self.patienceNs, endNs),
      end: call.callerEnd,
      args: w.text)
  }

  /// Adds to the end of a call that the other end was gone by then.
  private func explainGoneEnd(_ end: Int, _ brokenCall: SIPCall.BrokenCall, of call: SIPCall) {
    if call.referral?.isDone == true { return }
    var w = ArgumentWriter()
    brokenCall.add(to: &w)
    call.path.explain(.callEnded, w.text)
  }
}

extension AskedHosts {
  /// Whether the last host that was asked returned the INVITE.
  fileprivate var isRefused: Bool { hosts.last?.returned != nil }
}

extension AskedHosts.Host {
  /// What became of the INVITE that was sent to it.
  var words: String {
    switch returned?.error {
    case .portUnreachable?: "nothing listens at \(endpoint.text) (ICMP port unreachable)"
    case let error?: "\(endpoint.text) cannot be reached (ICMP \(error.rawValue))"
    case nil: "\(endpoint.text) never answered the INVITE"
    }
  }
}
