/// Maps raw PeerConnection events to canonical ones, for all sources.
///
/// One table covers all spellings: callbacks (`oniceconnectionstatechange`), event types (`iceconnectionstatechange`), the
/// camel case of older webrtc-internals (`iceConnectionStateChange`), API calls with `OnSuccess`, `Success`, `OnFailure`,
/// `OnError`. The value may be JSON text, bare text or the pseudo-JSON of older dumps. Reference: W3C WebRTC 1.0; setup
/// time, section "W3C PeerConnection events".
public enum W3CEvents {
  /// One canonical event of a raw event.
  public struct Meaning: Sendable, Equatable {
    public var event: EventName
    /// Arguments to keep: `state`, `type` (of a description), `kind`, `candidate_type`, `protocol`, `policy`.
    public var facts: [Fact]
  }

  /// One named argument of an event.
  public struct Fact: Sendable, Equatable {
    public var name: String
    public var value: String
  }

  /// The canonical events of a raw one, in order; empty if the name is not one of W3C's.
  ///
  /// One raw event can map to two: a connected connection has completed DTLS, and the call is established.
  /// - Parameters:
  ///   - raw: the name as written.
  ///   - value: the value or arguments as text (`"connected"`, `connected`, `{"type":"offer",…}`, `type: offer, sdp: …`), empty if none.
  public static func meanings(of raw: String, value: String) -> [Meaning] {
    let name = W3CName.normal(raw)
    return stateMeanings(name, value) ?? descriptionMeanings(name, value) ?? mediaMeanings(name, value) ?? []
  }

  // Connection states: the event depends on the value.
  private static func stateMeanings(_ name: String, _ value: String) -> [Meaning]? {
    switch name {
    case "iceconnectionstatechange":
      let state = W3CValue.word(value)
      return [.init(iceEvents[state] ?? .iceState, .state, state)]
    case "legacyiceconnectionstatechange":
      return [.init(.iceLegacyState, .state, W3CValue.word(value))]
    case "connectionstatechange":
      let state = W3CValue.word(value)
      return (connectionEvents[state] ?? [.callConnectionState]).map { .init($0, .state, state) }
    case "icegatheringstatechange":
      let state = W3CValue.word(value)
      return [.init(gatheringEvents[state] ?? .iceGatheringState, .state, state)]
    case "dtlsstatechange":
      let state = W3CValue.word(value)
      return [.init(dtlsEvents[state] ?? .dtlsState, .state, state)]
    case "signalingstatechange":
      return [.init(.sdpSignalingState, .state, W3CValue.word(value))]
    default: return nil
    }
  }

  // Offers, answers and candidates.
  private static func descriptionMeanings(_ name: String, _ value: String) -> [Meaning]? {
    switch name {
    case "setlocaldescription": return [.init(.sdpLocalSetting, .type, W3CValue.descriptionType(value))]
    case "setlocaldescription+": return [.init(.sdpLocalSet)]
    case "setremotedescription":
      let type = W3CValue.descriptionType(value)
      return [.init(remoteEvents[type] ?? .sdpRemoteSetting, .type, type)]
    case "setremotedescription+": return [.init(.sdpRemoteSet)]
    case "candidate", "addicecandidate":
      let event: EventName = name == "candidate" ? .iceCandidate : .iceRemoteCandidate
      guard let type = W3CValue.candidateType(value) else {
        return [.init(name == "candidate" && W3CValue.isEmptyCandidate(value) ? .iceCandidatesEnd : event)]
      }
      return [
        .init(
          event: event,
          facts: Fact.list(
            (EventArgument.candidateType.name, type),
            (EventArgument.networkProtocol.name, W3CValue.candidateProtocol(value))))
      ]
    case "icecandidateerror":
      return [.init(event: .iceCandidateError, facts: CandidateErrorText.facts(of: value))]
    case "create", "rtcconfiguration", "setconfiguration":
      let policy = value.contains("relay") ? W3CValue.member("iceTransportPolicy", value) : nil
      return [
        .init(
          event: name == "create" ? .callCreated : .sessionConfigured,
          facts: Fact.list(
            (EventArgument.policy.name, policy),
            (EventArgument.turn.name, value.contains("turn:") || value.contains("turns:") ? "true" : nil)))
      ]
    default:
      return plainEvents[name].map { [.init($0)] }
    }
  }

  // Tracks and their media.
  private static func mediaMeanings(_ name: String, _ value: String) -> [Meaning]? {
    guard let event = trackEvents[name] else { return nil }
    return [.init(event: event, facts: Fact.list((EventArgument.kind.name, W3CValue.kind(value))))]
  }
}

extension W3CEvents.Meaning {
  init(_ event: EventName) { self.init(event: event, facts: []) }
  init(_ event: EventName, _ fact: EventArgument<String>, _ value: String) {
    self.init(event: event, facts: W3CEvents.Fact.list((fact.name, value.isEmpty ? nil : value)))
  }
}

extension W3CEvents.Fact {
  static func list(_ facts: (String, String?)...) -> [W3CEvents.Fact] {
    facts.compactMap { name, value in value.map { .init(name: name, value: $0) } }
  }
}

/// The members of an RTCPeerConnectionIceErrorEvent as webrtc-internals prints them: `url: …`, `error_code:
/// 401`, one per line, or in one line separated by a comma and a space.
enum CandidateErrorText {
  /// The members of a candidate error, and the argument names they are stored under.
  private static let names = [
    "url": "url", "address": "address", "port": "port", "host_candidate": "host_candidate",
    "hostcandidate": "host_candidate", "error_text": "error_text", "errortext": "error_text",
    "error_code": "error_code", "errorcode": "error_code",
  ]
  /// Longest text parsed, bytes; server errors are shorter.
  private static let longest = 8192

  /// The members, without duplicates; empty if the text is JSON, whose members are named already, or has none
  /// of them.
  static func facts(of text: String) -> [W3CEvents.Fact] {
    guard text.utf8.count <= longest, text.first != "{", text.first != "[" else { return [] }
    var facts: [W3CEvents.Fact] = []
    for line in text.split(whereSeparator: { $0.isNewline }) {
      var isContinued = false
      for part in pieces(of: line) {
        if let (name, value) = member(part) {
          isContinued = true
          if !facts.contains(where: { $0.name == name }) { facts.append(.init(name: name, value: value)) }
        } else if isContinued, let last = facts.indices.last {
          // The text of an error may itself contain commas.
          facts[last].value += ", " + part
        }
      }
    }
    return facts.filter { !$0.value.isEmpty }
  }

  /// The parts of a line, separated by a comma and a space.
  private static func pieces(of line: Substring) -> [Substring] {
    var pieces: [Substring] = []
    var rest = line
    while let comma = rest.firstRange(of: ", ") {
      pieces.append(rest[..<comma.lowerBound])
      rest = rest[comma.upperBound...]
    }
    return pieces + [rest]
  }

  private static func member(_ part: Substring) -> (name: String, value: String)? {
    guard let colon = part.firstIndex(of: ":") else { return nil }
    let isEdge: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\"" }
    guard let name = names[part[..<colon].drop(while: isEdge).lowercased()] else { return nil }
    var value = part[part.index(after: colon)...].drop(while: isEdge)
    while let last = value.last, isEdge(last) { value.removeLast() }
    return (name, String(value))
  }
}

/// The tables behind `W3CEvents`, by normalised name or by state.
extension W3CEvents {
  static let iceEvents: [String: EventName] = [
    "new": .iceNew, "checking": .iceChecking, "connected": .iceConnected, "completed": .iceConnected,
    "disconnected": .iceDisconnected, "failed": .iceFailed, "closed": .iceClosed,
  ]

  // `connecting` comes with ICE `checking`, before DTLS: connecting → connected is ICE and DTLS together.
  static let connectionEvents: [String: [EventName]] = [
    "new": [.iceNew], "connecting": [.iceConnecting],
    "connected": [.dtlsConnected, .callEstablished],
    "disconnected": [.networkLost], "failed": [.callFailed], "closed": [.callEnded],
  ]

  static let gatheringEvents: [String: EventName] = [
    "new": .iceGatheringNew, "gathering": .iceGatheringStarted, "complete": .iceGatheringComplete,
  ]

  static let dtlsEvents: [String: EventName] = [
    "new": .dtlsNew, "connecting": .dtlsStarted, "connected": .dtlsConnected, "closed": .dtlsClosed,
    "failed": .dtlsFailed,
  ]

  static let remoteEvents: [String: EventName] = [
    "offer": .sdpOfferReceived, "answer": .sdpAnswerReceived,
    "pranswer": .sdpProvisionalAnswerReceived,
    "rollback": .sdpRollback,
  ]

  static let plainEvents: [String: EventName] = [
    "createoffer": .sdpOfferRequested, "createoffer+": .sdpOfferCreated, "createoffer-": .sdpFailed,
    "createanswer": .sdpAnswerRequested, "createanswer+": .sdpAnswerCreated,
    "createanswer-": .sdpFailed,
    "setlocaldescription-": .sdpFailed, "setremotedescription-": .sdpFailed,
    "negotiationneeded": .sdpNegotiationNeeded,
    "addicecandidate+": .iceRemoteCandidateAdded, "addicecandidate-": .iceRemoteCandidateFailed,
    "selectedcandidatepairchange": .icePairChanged,
    "restartice": .iceRestarted,
    "getusermedia": .mediaLocalRequested, "getusermedia+": .mediaLocalAcquired,
    "getusermedia-": .mediaLocalFailed,
    "getdisplaymedia": .mediaDisplayRequested, "getdisplaymedia+": .mediaDisplayAcquired,
    "getdisplaymedia-": .mediaDisplayFailed,
    "hangup": .callEnded, "close": .callEnded,
    "createdatachannel": .sessionDataChannelCreated, "datachannel": .sessionDataChannelOpened,
    "constraints": .sessionConfigured,
  ]

  static let trackEvents: [String: EventName] = [
    "track": .mediaRemoteStream, "addstream+": .mediaRemoteStream,
    "trackunmute": .mediaFirstPacket, "unmute": .mediaFirstPacket,
    "trackmute": .mediaRemoteMuted, "mute": .mediaRemoteMuted,
    "trackended": .mediaRemoteEnded, "ended": .mediaRemoteEnded,
    "firstframerendered": .mediaFirstFrame, "firstframe": .mediaFirstFrame,
    "firstaudio": .mediaFirstAudio,
    "addtrack": .mediaTrackAdded, "addtrack+": .mediaTrackAdded, "addstream": .mediaTrackAdded,
    "removetrack": .mediaTrackRemoved, "removestream": .mediaTrackRemoved,
    "addtransceiver": .mediaTransceiverChanged, "addtransceiver+": .mediaTransceiverChanged,
    "transceiveradded": .mediaTransceiverChanged, "transceivermodified": .mediaTransceiverChanged,
    "setparameters": .mediaSenderChanged, "replacetrack": .mediaSenderChanged,
    // What callqa-collect adds: a track that was switched off or on, and sound whose level is not that of what is heard.
    "trackdisabled": .callMuted, "trackenabled": .callUnmuted,
    "remotesoundmuted": .mediaPlayoutHidden, "remotesoundprocessed": .mediaPlayoutHidden,
    "remotesoundunmuted": .mediaPlayoutShown,
  ]
}

/// Normalises the spellings of a name: lower case, without the prefix `on`, with the suffix `+` for success
/// and `-` for failure.
enum W3CName {
  static func normal(_ raw: String) -> String {
    var name = raw.lowercased()[...]
    if let dot = name.lastIndex(of: ".") { name = name[name.index(after: dot)...] }
    // `onaddstream` is the event of a remote stream, `addStream` the API call that adds a local one.
    if name == "onaddstream" { return "addstream+" }
    if name.hasPrefix("on"), name.count > 4 { name = name.dropFirst(2) }
    for (ending, mark) in endings where name.hasSuffix(ending) && name.count > ending.count {
      return alias(String(name.dropLast(ending.count))) + mark
    }
    return alias(String(name))
  }

  private static let endings = [
    ("onsuccess", "+"), ("success", "+"), ("onfailure", "-"), ("failure", "-"), ("onerror", "-"),
    ("failed", "-"),
  ]

  private static func alias(_ name: String) -> String {
    switch name {
    case "icecandidate", "icecandidates": "candidate"
    case "connectionstatechanged", "peerconnectionstatechange": "connectionstatechange"
    case "iceconnectionstatechanged", "iceconnectionchange": "iceconnectionstatechange"
    case "icegatheringstatechanged", "icegatheringchange": "icegatheringstatechange"
    case "signalingstatechanged", "signalingchange": "signalingstatechange"
    case "renegotiationneeded": "negotiationneeded"
    case "createpeerconnection", "peerconnection": "create"
    default: name
    }
  }
}
