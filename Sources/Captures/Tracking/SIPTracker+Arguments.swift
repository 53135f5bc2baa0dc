import CallModel
import Packets
import Signalling

/// How messages are represented as events.
extension SIPTracker {
  /// The raw name of the event for a message.
  func raw(_ message: SIPMessage) -> String {
    message.status.map { "SIP \($0) \(message.phrase) (\(message.method))" } ?? "SIP \(message.method)"
  }

  /// The arguments of the event for a message.
  func arguments(
    _ message: SIPMessage, by who: String? = nil, outcome: Outcome? = nil, transmission: Int = 1,
    isPassedOn: Bool = false, soundFrom senders: String? = nil, isTransferred: Bool = false,
    broken: SIPCall.BrokenCall? = nil, cancelReason: String? = nil, waitedNs: Int64? = nil
  ) -> String {
    var w = ArgumentWriter()
    if let waitedNs { w.add("waited_for_credentials_ms", Int(waitedNs / 1_000_000)) }
    if let status = message.status {
      w.add("code", status)
      w.add("reason", redactor.text(cancelReason.flatMap { SIPReason($0).text } ?? message.phrase))
    }
    let isPlain = !isTransferred && broken == nil
    if let broken, !isTransferred { broken.add(to: &w) }
    if isTransferred { w.add("reason", "transferred") }
    let why = message.reason.map { SIPReason($0) }
    if message.method == "BYE", message.status == nil, isPlain, let why, why.isFailure {
      if let code = why.sipCause { w.add("code", code) }
      w.add("reason", redactor.text(why.words))
      w.add("outcome", Outcome.dropped.rawValue)
    }
    if let fragment = message.fragment { w.add("reported", fragment) }
    if let replaces = message.replaces { w.add("replaces", redactor.text(replaces)) }
    if let reason = message.reason { w.add("reason_header", redactor.text(reason)) }
    if let who { w.add("by", who) }
    if let outcome { w.add("outcome", outcome.rawValue) }
    if let senders { w.add("sound_from", senders) }
    w.add("cseq", message.sequence)
    if transmission > 1 { w.add("transmission", transmission) }
    if isPassedOn { w.add(raw: "passed_on", "true") }
    return w.text
  }
}
