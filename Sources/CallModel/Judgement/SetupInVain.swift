extension Sequence<EventRecord> {
  /// Whether this end made an offer and never set an answer, according to a log that has the descriptions of
  /// this end.
  ///
  /// Checks of the far end may still arrive: it has received the offer and set an answer.
  public var isOfferUnanswered: Bool {
    var hasOffered = false
    var hasOwnDescription = false
    for event in self {
      switch event.event {
      case "sdp.offer-created", "sdp.offer-sent": hasOffered = true
      case "sdp.local-set": hasOwnDescription = true
      case "sdp.local-setting":
        hasOwnDescription = true
        if event.argument("type") == "offer" { hasOffered = true }
      case "sdp.signaling-state":
        guard let state = event.argument("state"), state != "closed" else { continue }
        if state == "have-local-offer" {
          hasOwnDescription = true
        } else if hasOffered {
          return false
        }
      case "sdp.offer-received", "sdp.answer-received", "sdp.provisional-answer-received",
        "sdp.remote-setting", "sdp.remote-set", "sdp.answer-created", "sdp.answer-sent":
        return false
      default: break
      }
    }
    return hasOffered && hasOwnDescription
  }

  /// Whether gathering ended without any candidate of this end, according to a log that has candidates.
  public var isWithoutCandidates: Bool {
    var isOver = false
    var isComplete = false
    var hasErrors = false
    for event in self {
      switch event.event {
      case "ice.candidates-end": isOver = true
      case "ice.gathering-complete": isComplete = true
      case "ice.candidate-error": hasErrors = true
      // An end that checks pairs must have had candidates, even if the log leaves them out.
      case "ice.candidate", "ice.checking", "ice.connecting", "ice.connected", "dtls.connected",
        "call.established":
        return false
      default: break
      }
    }
    return isOver || (isComplete && hasErrors)
  }

  /// Errors of TURN servers if no relay candidate was gathered; without duplicates.
  public var turnErrors: [ICEServerError] {
    guard !contains(where: { $0.event == "ice.candidate" && $0.argument("candidate_type") == "relay" })
    else { return [] }
    var seen: Set<String> = []
    return compactMap { $0.event == "ice.candidate-error" ? ICEServerError($0) : nil }
      .filter { $0.isOfTURN && seen.insert($0.words).inserted }
  }
}

/// Why a STUN or TURN server gave no candidate (W3C webrtc-pc, RTCPeerConnectionIceErrorEvent).
public struct ICEServerError: Sendable, Equatable {
  public var url: String
  /// The error code of the server (RFC 8489 14.8), or 701 if it could not be reached.
  public var code: Int
  public var text: String?
  public var timeMs: Double?

  /// The error of an event; nil if the event has no URL or no code.
  public init?(_ event: EventRecord) {
    guard let url = event.argument("url"), !url.isEmpty,
      let code = ["error_code", "errorCode"].lazy.compactMap({ event.argument($0) }).first.flatMap(Int.init)
    else { return nil }
    (self.url, self.code, timeMs) = (url, code, event.timeMs)
    text = ["error_text", "errorText"].lazy.compactMap { event.argument($0) }.first
    while text?.hasSuffix(".") == true { text?.removeLast() }
    if text?.isEmpty == true { text = nil }
  }

  /// Whether the server was used as a relay (RFC 7065).
  public var isOfTURN: Bool { url.hasPrefix("turn:") || url.hasPrefix("turns:") }

  /// Whether the server answered with an error.
  public var isRefusal: Bool { (300..<700).contains(code) }

  /// `the TURN server turn:198.51.100.9 refused (401 Unauthorized)`.
  public var words: String {
    let answer = [String(code), text].compactMap { $0 }.joined(separator: " ")
    return "the TURN server \(url) \(isRefusal ? "refused" : "was not reached") (\(answer))"
  }
}
