/// The name of a series in a webrtc-internals dump: a report's id, a dash, a member.
///
/// Members have no dash but ids may (`Conn-audio-1-0`), so the last dash separates them; series computed by Chrome are
/// named `id-[…]`, with any text in the brackets.
struct SeriesName {
  let id: ArraySlice<UInt8>
  let member: ArraySlice<UInt8>
  /// Whether Chrome computed the series from others.
  var isComputed: Bool { member.first == UInt8(ascii: "[") }

  /// Nil if there is no dash.
  init?(_ name: [UInt8]) {
    var dash: Int?
    for index in name.indices.dropLast() where name[index] == UInt8(ascii: "-") {
      dash = index
      if name[index + 1] == UInt8(ascii: "[") { break }
    }
    guard let dash else { return nil }
    id = name[..<dash]
    let member = name[(dash + 1)...]
    // Chrome marks members that no standard has: `freezeCount*`.
    self.member = member.last == UInt8(ascii: "*") && member.count > 1 ? member.dropLast() : member
  }
}

/// Types of reports in dumps without types (before M9x), by the form of their ids.
enum ReportIdWords {
  /// The type of a Chrome report by its id; nil if unknown.
  static func typeName(_ id: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: id, as: UTF8.self)
    if let long = longForms.first(where: { text.hasPrefix($0.0) }) { return long.1 }
    if text.hasPrefix("ssrc_") || text.hasPrefix("googTrack_") || text.hasPrefix("googCertificate_") {
      return text.hasPrefix("ssrc_") ? "ssrc" : String(text.prefix { $0 != "_" })
    }
    switch text {
    case "bweforvideo": return "VideoBwe"
    case "P": return "peer-connection"
    case "AP": return "media-playout"
    default: break
    }
    return shortForms.first { text.hasPrefix($0.0) && text.count > $0.0.count }?.1
  }

  /// Audio or video, if the id contains it (M86).
  static func kind(_ id: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: id.prefix(40), as: UTF8.self)
    guard text.hasPrefix("RTC") else { return nil }
    return text.contains("Audio") ? "audio" : text.contains("Video") ? "video" : nil
  }

  private static let longForms = [
    ("RTCInboundRTP", "inbound-rtp"), ("RTCOutboundRTP", "outbound-rtp"),
    ("RTCRemoteInboundRtp", "remote-inbound-rtp"), ("RTCRemoteOutboundRTP", "remote-outbound-rtp"),
    ("RTCRemoteInboundRTP", "remote-inbound-rtp"), ("RTCRemoteOutboundRtp", "remote-outbound-rtp"),
    ("RTCMediaStreamTrack", "track"), ("RTCMediaStream", "stream"), ("RTCCodec", "codec"),
    ("RTCTransport", "transport"), ("RTCIceCandidatePair", "candidate-pair"),
    ("RTCIceCandidate", "local-candidate"), ("RTCCertificate", "certificate"),
    ("RTCPeerConnection", "peer-connection"), ("RTCAudioSource", "media-source"),
    ("RTCVideoSource", "media-source"), ("RTCDataChannel", "data-channel"), ("Conn-", "googCandidatePair"),
    ("Channel-", "googComponent"), ("Cand-", "localcandidate"),
    ("googLibjingleSession", "googLibjingleSession"),
  ]

  private static let shortForms = [
    ("IT", "inbound-rtp"), ("OT", "outbound-rtp"), ("RIA", "remote-inbound-rtp"),
    ("RIV", "remote-inbound-rtp"),
    ("ROA", "remote-outbound-rtp"), ("ROV", "remote-outbound-rtp"), ("CP", "candidate-pair"),
    ("CF", "certificate"), ("CI", "codec"), ("CO", "codec"), ("SA", "media-source"), ("SV", "media-source"),
    ("DEPRECATED_T", "track"), ("T", "transport"), ("I", "local-candidate"), ("D", "data-channel"),
  ]
}
