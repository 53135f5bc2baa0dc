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
      case .sdpOfferCreated, .sdpOfferSent: hasOffered = true
      case .sdpLocalSet: hasOwnDescription = true
      case .sdpLocalSetting:
        hasOwnDescription = true
        if event[.type] == "offer" { hasOffered = true }
      case .sdpSignalingState:
        guard let state = event[.state], state != "closed" else { continue }
        if state == "have-local-offer" {
          hasOwnDescription = true
        } else if hasOffered {
          return false
        }
      case .sdpOfferReceived, .sdpAnswerReceived, .sdpProvisionalAnswerReceived, .sdpRemoteSetting,
        .sdpRemoteSet, .sdpAnswerCreated, .sdpAnswerSent:
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
    var isRelayOnly = false
    for event in self {
      switch event.event {
      case .callCreated, .sessionConfigured: isRelayOnly = isRelayOnly || event[.policy] == "relay"
      case .iceCandidatesEnd: isOver = true
      case .iceGatheringComplete: isComplete = true
      case .iceCandidateError: hasErrors = true
      // An end that checks pairs must have had candidates, even if the log leaves them out.
      case .iceCandidate, .iceChecking, .iceConnecting, .iceConnected, .dtlsConnected, .callEstablished:
        return false
      default: break
      }
    }
    // A machine has addresses of its own; it has no relay if no TURN server gave one.
    return isOver || (isComplete && (hasErrors || isRelayOnly))
  }

  /// Whether the connection was given a TURN server.
  public var hasTURN: Bool {
    contains { ($0.event == .callCreated || $0.event == .sessionConfigured) && $0[.turn] == true }
  }

  /// Errors of TURN servers if no relay candidate was gathered; without duplicates.
  public var turnErrors: [ICEServerError] {
    guard !contains(where: { $0.event == .iceCandidate && $0[.candidateType] == "relay" })
    else { return [] }
    var seen: Set<String> = []
    return compactMap { $0.event == .iceCandidateError ? ICEServerError($0) : nil }
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
    guard let url = event[.url], !url.isEmpty,
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
