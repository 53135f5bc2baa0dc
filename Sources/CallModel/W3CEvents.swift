/// What a raw PeerConnection event means, whoever wrote it down.
///
/// One mapping for every spelling: callbacks (`oniceconnectionstatechange`), event types (`iceconnectionstatechange`), the camel case of
/// older webrtc-internals (`iceConnectionStateChange`), API calls with `OnSuccess`, `Success`, `OnFailure`, `OnError`. The value may be
/// JSON text, bare text or the pseudo-JSON of older dumps. Reference: W3C WebRTC 1.0; setup time, section "W3C PeerConnection events".
public enum W3CEvents {
  /// One meaning of a raw event.
  public struct Meaning: Sendable, Equatable {
    /// Canonical name with its group.
    public var event: String
    /// Facts to be kept beside it: `state`, `type` (of a description), `kind`, `candidate_type`, `protocol`, `policy`.
    public var facts: [Fact]
  }

  /// One named fact of an event.
  public struct Fact: Sendable, Equatable {
    public var name: String
    public var value: String
  }

  /// The canonical events of a raw one, in the order in which they hold; empty if the name is none of W3C's.
  ///
  /// One raw event can mean two: a connection that is connected has finished DTLS, and the call is established.
  /// - Parameters:
  ///   - raw: the name as written.
  ///   - value: the value or arguments as text (`"connected"`, `connected`, `{"type":"offer",…}`, `type: offer, sdp: …`), empty if none.
  public static func meanings(of raw: String, value: String) -> [Meaning] {
    let name = W3CName.normal(raw)
    return stateMeanings(name, value) ?? descriptionMeanings(name, value) ?? mediaMeanings(name, value) ?? []
  }

  // Connection states: the value decides.
  private static func stateMeanings(_ name: String, _ value: String) -> [Meaning]? {
    switch name {
    case "iceconnectionstatechange":
      let state = W3CValue.word(value)
      return [.init(iceEvents[state] ?? "ice.state", "state", state)]
    case "legacyiceconnectionstatechange":
      return [.init("ice.legacy-state", "state", W3CValue.word(value))]
    case "connectionstatechange":
      let state = W3CValue.word(value)
      return (connectionEvents[state] ?? ["call.connection-state"]).map { .init($0, "state", state) }
    case "icegatheringstatechange":
      let state = W3CValue.word(value)
      return [.init(gatheringEvents[state] ?? "ice.gathering-state", "state", state)]
    case "dtlsstatechange":
      let state = W3CValue.word(value)
      return [.init(dtlsEvents[state] ?? "dtls.state", "state", state)]
    case "signalingstatechange":
      return [.init("sdp.signaling-state", "state", W3CValue.word(value))]
    default: return nil
    }
  }

  // Offers, answers and candidates.
  private static func descriptionMeanings(_ name: String, _ value: String) -> [Meaning]? {
    switch name {
    case "setlocaldescription": return [.init("sdp.local-setting", "type", W3CValue.descriptionType(value))]
    case "setlocaldescription+": return [.init("sdp.local-set")]
    case "setremotedescription":
      let type = W3CValue.descriptionType(value)
      return [.init(remoteEvents[type] ?? "sdp.remote-setting", "type", type)]
    case "setremotedescription+": return [.init("sdp.remote-set")]
    case "candidate", "addicecandidate":
      let event = name == "candidate" ? "ice.candidate" : "ice.remote-candidate"
      guard let type = W3CValue.candidateType(value) else {
        return [.init(name == "candidate" && W3CValue.isEmptyCandidate(value) ? "ice.candidates-end" : event)]
      }
      return [
        .init(
          event: event,
          facts: Fact.list(("candidate_type", type), ("protocol", W3CValue.candidateProtocol(value))))
      ]
    case "icecandidateerror":
      return [.init(event: "ice.candidate-error", facts: CandidateErrorText.facts(of: value))]
    case "create":
      let policy = value.contains("relay") ? W3CValue.member("iceTransportPolicy", value) : nil
      return [
        .init(
          event: "call.created",
          facts: Fact.list(
            ("policy", policy), ("turn", value.contains("turn:") || value.contains("turns:") ? "true" : nil)))
      ]
    default:
      return plainEvents[name].map { [.init($0)] }
    }
  }

  // Tracks and what came through them.
  private static func mediaMeanings(_ name: String, _ value: String) -> [Meaning]? {
    guard let event = trackEvents[name] else { return nil }
    return [.init(event: event, facts: Fact.list(("kind", W3CValue.kind(value))))]
  }
}

extension W3CEvents.Meaning {
  init(_ event: String) { self.init(event: event, facts: []) }
  init(_ event: String, _ fact: String, _ value: String) {
    self.init(event: event, facts: W3CEvents.Fact.list((fact, value.isEmpty ? nil : value)))
  }
}

extension W3CEvents.Fact {
  static func list(_ facts: (String, String?)...) -> [W3CEvents.Fact] {
    facts.compactMap { name, value in value.map { .init(name: name, value: $0) } }
  }
}
