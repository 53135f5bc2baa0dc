/// The tables behind `W3CEvents`, by normalised name or by state.
extension W3CEvents {
  static let iceEvents = [
    "new": "ice.new", "checking": "ice.checking", "connected": "ice.connected", "completed": "ice.connected",
    "disconnected": "ice.disconnected", "failed": "ice.failed", "closed": "ice.closed",
  ]

  // `connecting` comes with ICE `checking`, before DTLS: connecting → connected is ICE and DTLS together.
  static let connectionEvents = [
    "new": ["ice.new"], "connecting": ["ice.connecting"],
    "connected": ["dtls.connected", "call.established"],
    "disconnected": ["network.lost"], "failed": ["call.failed"], "closed": ["call.ended"],
  ]

  static let gatheringEvents = [
    "new": "ice.gathering-new", "gathering": "ice.gathering-started", "complete": "ice.gathering-complete",
  ]

  static let dtlsEvents = [
    "new": "dtls.new", "connecting": "dtls.started", "connected": "dtls.connected", "closed": "dtls.closed",
    "failed": "dtls.failed",
  ]

  static let remoteEvents = [
    "offer": "sdp.offer-received", "answer": "sdp.answer-received",
    "pranswer": "sdp.provisional-answer-received",
    "rollback": "sdp.rollback",
  ]

  static let plainEvents = [
    "createoffer": "sdp.offer-requested", "createoffer+": "sdp.offer-created", "createoffer-": "sdp.failed",
    "createanswer": "sdp.answer-requested", "createanswer+": "sdp.answer-created",
    "createanswer-": "sdp.failed",
    "setlocaldescription-": "sdp.failed", "setremotedescription-": "sdp.failed",
    "negotiationneeded": "sdp.negotiation-needed",
    "addicecandidate+": "ice.remote-candidate-added", "addicecandidate-": "ice.remote-candidate-failed",
    "selectedcandidatepairchange": "ice.pair-changed",
    "restartice": "ice.restarted",
    "getusermedia": "media.local-requested", "getusermedia+": "media.local-acquired",
    "getusermedia-": "media.local-failed",
    "getdisplaymedia": "media.display-requested", "getdisplaymedia+": "media.display-acquired",
    "getdisplaymedia-": "media.display-failed",
    "hangup": "call.ended", "close": "call.ended",
    "createdatachannel": "session.data-channel-created", "datachannel": "session.data-channel-opened",
    "setconfiguration": "session.configured", "rtcconfiguration": "session.configured",
    "constraints": "session.configured",
  ]

  static let trackEvents = [
    "track": "media.remote-stream", "addstream+": "media.remote-stream",
    "trackunmute": "media.first-packet", "unmute": "media.first-packet",
    "trackmute": "media.remote-muted", "mute": "media.remote-muted",
    "trackended": "media.remote-ended", "ended": "media.remote-ended",
    "firstframerendered": "media.first-frame", "firstframe": "media.first-frame",
    "firstaudio": "media.first-audio",
    "addtrack": "media.track-added", "addtrack+": "media.track-added", "addstream": "media.track-added",
    "removetrack": "media.track-removed", "removestream": "media.track-removed",
    "addtransceiver": "media.transceiver-changed", "addtransceiver+": "media.transceiver-changed",
    "transceiveradded": "media.transceiver-changed", "transceivermodified": "media.transceiver-changed",
    "setparameters": "media.sender-changed", "replacetrack": "media.sender-changed",
  ]
}

/// Brings the spellings of a name together: lower case, no `on` in front, `+` for success and `-` for failure behind.
enum W3CName {
  static func normal(_ raw: String) -> String {
    var name = raw.lowercased()[...]
    if let dot = name.lastIndex(of: ".") { name = name[name.index(after: dot)...] }
    // `onaddstream` is the event of a remote stream, `addStream` the call that adds a local one.
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
