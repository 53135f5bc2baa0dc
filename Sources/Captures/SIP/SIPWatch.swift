import Bytes
import CallModel

/// Follows SIP dialogues: who called whom, how it went, and where SDP sends the media.
final class SIPWatch {
  /// One call by its Call-ID.
  private struct Dialogue {
    var path: Path
    /// Signalling address of the caller, who sent the first INVITE.
    var caller: Endpoint
    /// The end of the path that is the caller.
    var callerEnd: Int
    /// Requests and responses seen, to count retransmissions.
    var seen: [String: Int] = [:]
    var isEstablished = false
    var isOver = false
    /// Addresses offered for fax.
    var faxOffers: Set<Endpoint> = []
    /// How the last INVITE was answered in the end; nil while it is not, or where the answer was not captured.
    var answer: Int?
    /// Whether the callee asked for another INVITE, for want of credentials or of a session's length that it takes.
    var isChallenged = false

    var isAccepted: Bool { answer.map { $0 < 300 } ?? false }
    var isRefused: Bool { answer.map { $0 >= 300 } ?? false }
  }

  /// Answers after which the caller goes on with another INVITE (RFC 3261 section 22, RFC 4028 section 6).
  private static let challenges: Set<Int> = [401, 407, 422]

  private let paths: PathBook
  private let ports: DescribedPorts
  private let redactor = Redactor()
  private var dialogues: [String: Dialogue] = [:]

  init(paths: PathBook, ports: DescribedPorts) {
    self.paths = paths
    self.ports = ports
  }

  /// Takes a message with its body.
  func take(
    _ message: SIPMessage, body: Octets, from source: Endpoint, to destination: Endpoint, at timeNs: Int64
  ) {
    let description = message.contentType.contains("sdp") || message.contentType.isEmpty ? SDP(body) : nil
    guard var dialogue = dialogues[message.callID] ?? begin(message, source, destination) else {
      // A call begun before the capture: its media can still be recognised.
      if let description { describe(description, fallback: source) }
      return
    }
    let key = "\(message.status ?? 0) \(message.sequence) \(message.method)"
    let sends = (dialogue.seen[key] ?? 0) + 1
    if dialogue.seen.count < 256 { dialogue.seen[key] = sends }
    let fromCaller = source == dialogue.caller || (message.status == nil) == (source == dialogue.caller)
    if let description {
      let end = source == dialogue.caller ? dialogue.callerEnd : 1 - dialogue.callerEnd
      place(description, source, end, &dialogue, timeNs)
      dialogue.path.describedNs = timeNs
    }
    if message.method == "INVITE", let status = message.status, status >= 200 { dialogue.answer = status }
    if message.method == "ACK" && dialogue.isAccepted && !dialogue.faxOffers.isEmpty {
      ports.beginFax(at: dialogue.faxOffers)
    }
    dialogue.path.lastNs = max(dialogue.path.lastNs, timeNs)
    if message.method == "INVITE" || message.method == "ACK" || message.method == "BYE"
      || message.method == "CANCEL"
    {
      note(message, &dialogue, sends: sends, fromCaller: fromCaller, source, timeNs)
    }
    dialogues[message.callID] = dialogue
  }

  private func begin(_ message: SIPMessage, _ source: Endpoint, _ destination: Endpoint) -> Dialogue? {
    guard message.method == "INVITE", let path = paths.make() else { return nil }
    let isRequest = message.status == nil
    path.call = message.callID
    path.ends.0.met(isRequest ? source : destination)
    path.ends.1.met(isRequest ? destination : source)
    path.ends.0.invited = true
    path.ends.1.invited = false
    path.ends.0.person = message.from.isEmpty ? nil : message.from
    path.ends.1.person = message.to.isEmpty ? nil : message.to
    return Dialogue(
      path: path, caller: isRequest ? source : destination, callerEnd: 0)
  }

  private func describe(_ description: SDP, fallback: Endpoint) {
    for media in description.media where media.port != 0 {
      let endpoint = Endpoint(address: media.address ?? fallback.address, port: media.port)
      ports.describe(endpoint, media.formats)
    }
  }

  /// Lets media of a description lead to the call's path.
  private func place(
    _ description: SDP, _ source: Endpoint, _ end: Int, _ dialogue: inout Dialogue, _ timeNs: Int64
  ) {
    describe(description, fallback: source)
    for media in description.media where media.port != 0 {
      let endpoint = Endpoint(address: media.address ?? source.address, port: media.port)
      paths.expect(endpoint, path: dialogue.path, end: end, at: timeNs)
      if media.kind == "image" && dialogue.faxOffers.count < 16 { dialogue.faxOffers.insert(endpoint) }
    }
    if let ufrag = description.ufrag { dialogue.path[end].ufrag = ufrag }
    if let fingerprint = description.fingerprint { dialogue.path[end].fingerprint = fingerprint }
  }

  private func note(
    _ message: SIPMessage, _ dialogue: inout Dialogue, sends: Int, fromCaller: Bool, _ source: Endpoint,
    _ timeNs: Int64
  ) {
    let end = source == dialogue.caller ? dialogue.callerEnd : 1 - dialogue.callerEnd
    if let agent = message.agent, dialogue.path[end].userAgent == nil { dialogue.path[end].userAgent = agent }
    guard sends == 1 else {
      dialogue.path.add(
        "unknown", raw(message), at: timeNs, args: arguments(message, sends), anomaly: "sent again")
      return
    }
    let name = event(message, &dialogue)
    if dialogue.isOver, dialogue.path.hungUpNs == nil { dialogue.path.hungUpNs = timeNs }
    if name == "call.request-sent" {
      dialogue.path.add(
        name, raw(message), at: timeNs, end: dialogue.callerEnd, args: arguments(message, sends))
      dialogue.path.add(
        "call.incoming", raw(message), at: timeNs, end: 1 - dialogue.callerEnd,
        args: arguments(message, sends))
      return
    }
    if name == "call.ringing" {
      dialogue.path.add(
        name, raw(message), at: timeNs, end: dialogue.callerEnd, args: arguments(message, sends))
      dialogue.path.add(
        "call.alerting", raw(message), at: timeNs, end: 1 - dialogue.callerEnd,
        args: arguments(message, sends))
      return
    }
    let outcome = name == "call.failed" ? message.status.map(Outcome.init(sipStatus:)) : nil
    dialogue.path.add(
      name, raw(message), at: timeNs,
      args: arguments(message, sends, by: end == dialogue.callerEnd, outcome: outcome))
  }

  /// The canonical name of what a message means.
  private func event(_ message: SIPMessage, _ dialogue: inout Dialogue) -> String {
    guard let status = message.status else {
      switch message.method {
      case "INVITE":
        dialogue.answer = nil
        // The same request once more, with what was asked for.
        if dialogue.isChallenged {
          dialogue.isChallenged = false
          return "unknown"
        }
        return dialogue.isEstablished ? "call.updated" : "call.request-sent"
      case "ACK":
        // Refusals are acknowledged as well.
        if dialogue.isEstablished || dialogue.isOver || dialogue.isRefused { return "unknown" }
        dialogue.isEstablished = true
        return "call.established"
      case "BYE":
        if dialogue.isOver { return "unknown" }
        dialogue.isOver = true
        return "call.ended"
      default: return "unknown"
      }
    }
    guard message.method == "INVITE", !dialogue.isEstablished, !dialogue.isOver else { return "unknown" }
    switch status {
    case 100: return "unknown"
    case 183: return "call.early-media"
    case 101...199: return "call.ringing"
    case 200...299: return "call.answered"
    case 300...399: return "unknown"
    case _ where Self.challenges.contains(status):
      dialogue.isChallenged = true
      return "unknown"
    default:
      dialogue.isOver = true
      return "call.failed"
    }
  }

  private func raw(_ message: SIPMessage) -> String {
    message.status.map { "SIP \($0) \(message.phrase) (\(message.method))" } ?? "SIP \(message.method)"
  }

  private func arguments(
    _ message: SIPMessage, _ sends: Int, by caller: Bool? = nil, outcome: Outcome? = nil
  ) -> String {
    var w = ArgumentWriter()
    if let status = message.status {
      w.add("code", status)
      w.add("reason", redactor.text(message.phrase))
    }
    if let reason = message.reason { w.add("reason_header", redactor.text(reason)) }
    if let caller { w.add("by", caller ? "caller" : "callee") }
    if let outcome { w.add("outcome", outcome.rawValue) }
    w.add("cseq", message.sequence)
    if sends > 1 { w.add("transmission", sends) }
    return w.text
  }
}
