import CallModel
import Packets
import Signalling

/// How messages are represented as events.
extension SIPTracker {
  /// The raw name of the event for a message.
  func raw(_ message: SIPMessage) -> String {
    let method = message.method == "INVITE" && message.isWithinCall ? "re-INVITE" : message.method
    return message.status.map { "SIP \($0) \(message.phrase) (\(message.method))" } ?? "SIP \(method)"
  }

  /// The arguments of the event for a message.
  func arguments(
    _ message: SIPMessage, by who: String? = nil, outcome: Outcome? = nil, transmission: Int = 1,
    isPassedOn: Bool = false, isTransferred: Bool = false,
    broken: SIPCall.BrokenCall? = nil, cancelReason: String? = nil, waitedNs: Int64? = nil,
    offered: String? = nil, areCredentialsRefused: Bool = false,
    unanswered: String? = nil, agreedIn call: SIPCall? = nil, phonesRang: Int = 1
  ) -> String {
    var w = ArgumentWriter()
    if let waitedNs { w.add("waited_for_credentials_ms", Int(waitedNs / 1_000_000)) }
    if let status = message.status {
      w.add(.code, status)
      if let warning = message.warning { w.add(.warning, redactor.text(warning)) }
      w.add(.reason, redactor.text(cancelReason.flatMap { SIPReason($0).text } ?? message.phrase))
    }
    let isPlain = !isTransferred && broken == nil
    if let broken, !isTransferred { broken.add(to: &w) }
    if isTransferred { w.add(.reason, "transferred") }
    let why = message.reason.map { SIPReason($0) }
    if message.method == "BYE", message.status == nil, isPlain, let why, why.isFailure {
      if let code = why.sipCause { w.add(.code, code) }
      w.add(.reason, redactor.text(why.words))
      w.add(.outcome, Outcome.dropped.rawValue)
      if let blame = why.blame { w.add(.verdictCause, blame.rawValue) }
    }
    if let fragment = message.fragment { w.add("reported", fragment) }
    if let replaces = message.replaces { w.add("replaces", redactor.text(replaces)) }
    if let reason = message.reason { w.add("reason_header", redactor.text(reason)) }
    if let who { w.add(.by, who) }
    if let outcome { w.add(.outcome, outcome.rawValue) }
    if let offered { w.add(.offered, offered) }
    if areCredentialsRefused { w.add(.credentialsRefused, true) }
    if let unanswered { w.add(.unanswered, unanswered) }
    if let senders = call?.senders(of: .audio) { w.add(.soundFrom, senders) }
    if phonesRang > 1 {
      w.add(.phonesRang, phonesRang)
      if !message.contactHost.isEmpty { w.add(.answeredAt, redactor.text(message.contactHost)) }
    }
    if let media = call?.media.kinds {
      for kind in MediaKind.allCases { w.add(raw: kind.rawValue, "\(media.contains(kind))") }
      if media.contains(.video), let senders = call?.senders(of: .video) { w.add(.pictureFrom, senders) }
    }
    w.add(.cseq, message.sequence)
    if transmission > 1 { w.add("transmission", transmission) }
    if isPassedOn { w.add(.passedOn, true) }
    return w.text
  }

  /// Adds a description as it was sent, without passwords and keys: once, though several hosts pass it on.
  func add(
    descriptionOf message: SIPMessage, _ body: Octets, by end: Int, to call: inout SIPCall, _ timeNs: Int64
  ) {
    let number = String(message.sequence.prefix { $0 != " " })
    let others = call.described[number] ?? []
    guard !others.contains(end), call.described.count < SIPCall.mostDescribed,
      let text = SIPBody.text(message, body)
    else { return }
    call.described[number] = others.union([end])
    var w = ArgumentWriter()
    if let who = call.name(of: end) { w.add(.by, who) }
    w.add(.type, others.isEmpty ? "offer" : "answer")
    w.add(.cseq, message.sequence)
    w.add(.sdp, redactor.text(text))
    call.path.add(note: .description, at: timeNs, end: end, args: w.text)
  }

  /// Adds who hung up. If the caller is unknown, each end gets whether it was this end.
  func addEnd(_ message: SIPMessage, _ call: SIPCall, by end: Int, _ timeNs: Int64) {
    // The status of a response to a BYE that was not captured is not that of the call.
    var bye = message
    bye.status = nil
    func addEvent(_ who: String?, at place: Int?) {
      call.path.add(
        .callEnded, raw(message), at: timeNs, end: place,
        args: arguments(
          bye, by: who, isTransferred: call.referral?.isDone == true,
          broken: call.brokenCall(seenBy: end, at: timeNs)))
    }
    if let name = call.name(of: end) { return addEvent(name, at: nil) }
    addEvent("local", at: end)
    addEvent("remote", at: 1 - end)
  }

  /// Adds for each end who holds the call from now on.
  func addHold(_ message: SIPMessage, _ call: SIPCall, _ timeNs: Int64) {
    for end in [call.callerEnd, 1 - call.callerEnd] {
      call.path.add(
        call.media.event(for: end), raw(message), at: timeNs, end: end, args: arguments(message))
    }
  }

  /// Adds for each end which negotiated media stop or resume.
  func addMediaChanges(_ message: SIPMessage, _ call: inout SIPCall, _ timeNs: Int64) {
    for change in call.changesOfMedia() {
      var w = ArgumentWriter()
      w.add(.kind, change.kind.rawValue)
      w.add(.cseq, message.sequence)
      call.path.add(
        change.isTaken ? .mediaTakenAway : .mediaGivenBack, raw(message), at: timeNs, end: change.end,
        args: w.text)
    }
  }

  func addTransfer(_ message: SIPMessage, _ call: SIPCall, _ timeNs: Int64) {
    guard let referral = call.referral else { return }
    var w = ArgumentWriter()
    if let who = call.name(of: referral.end) { w.add(.by, who) }
    w.add("target", redactor.text(referral.target))
    if referral.replaces { w.add(raw: "replaces", "true") }
    call.path.add(.callTransferred, raw(message), at: timeNs, args: w.text)
  }

  func add(_ refusal: SIPCall.Refusal, as event: EventName, of call: SIPCall) {
    call.path.add(
      event, raw(refusal.message), at: refusal.timeNs,
      args: arguments(
        refusal.message, by: call.whoRefused(refusal),
        outcome: event == .callFailed ? refusal.outcome : nil,
        cancelReason: refusal.cancelReason, offered: refusal.isOfDescription ? call.offered : nil,
        areCredentialsRefused: event == .callFailed && refusal.isOfCredentials,
        unanswered: event == .callFailed ? call.asked.hosts.last { !$0.isHeard }?.words : nil))
  }
}
