import CallModel
import Packets
import Signalling

/// How a call was rejected, and who did.
extension SIPCall {
  /// A final response that rejects the call, or the caller's CANCEL. It counts unless the call goes on.
  struct Refusal {
    var message: SIPMessage
    var timeNs: Int64
    /// Whether it reached the caller, rather than a proxy that may try the next target.
    var isCallers: Bool
    /// Whether the INVITE carried credentials for the realm that challenges it again: they were not accepted.
    var isOfCredentials = false
    /// Whether it asks for another INVITE: to another target, with credentials, or with an acceptable session
    /// interval (RFC 3261 sections 8.1.3.4 and 22, RFC 4028 section 6).
    var asksAgain: Bool {
      !isOfCredentials && (message.status.map { $0 < 400 || [401, 407, 422].contains($0) } ?? false)
    }
    /// Whether it comes before anybody was called: the number does not exist, or the caller may not call.
    var isOfNobody: Bool {
      isOfCredentials || message.status.map { [404, 484, 604].contains($0) } ?? false
    }
    var isCancel: Bool { message.status == nil }
    /// Whether it is what was offered that was not acceptable (RFC 3261 sections 21.4.13, 21.4.26 and 21.6.4).
    var isOfDescription: Bool { message.status.map { [415, 488, 606].contains($0) } ?? false }
    /// The reason given in an earlier CANCEL of the caller.
    var cancelReason: String?
    /// Whether the callee had rung before.
    var hasRung = false
    /// The host that sent it first, as far as was captured.
    var origin: Endpoint?
    var outcome: Outcome {
      guard let status = message.status else { return .cancelled }
      let outcome = Outcome(sipStatus: status)
      guard outcome == .failed else { return outcome }
      // A Reason header is more specific than the fact that it rang.
      return message.reason.map { SIPReason($0).outcome ?? outcome }
        ?? Outcome(sipStatus: status, afterRinging: hasRung)
    }
  }

  /// Who rejected the call; nil if it cannot be told. A host that sent the INVITE on and got no such answer is a server,
  /// as is one whose agent differs from the one that rang under another tag.
  func whoRefused(_ refusal: Refusal) -> String? {
    guard let status = refusal.message.status else { return "caller" }
    let tag = refusal.message.toTag
    if asked.hosts.contains(where: { $0.by == refusal.origin && $0.by != caller }) { return "server" }
    if refusal.hasRung, ringing[tag] != nil { return "callee" }
    if let agent = refusal.message.agent, agent == server,
      ringing.contains(where: { $0.key != tag && ![agent, ""].contains($0.value) })
    {
      return "server"
    }
    // Only a telephone, or a person, is busy or declines (RFC 3261 sections 21.4.24, 21.6.1 and 21.6.2).
    return [486, 600, 603].contains(status) && (ringing.isEmpty || ringing[tag] != nil) ? "callee" : nil
  }
}
