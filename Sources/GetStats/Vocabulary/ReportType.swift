import Bytes

/// What a report is about, in whatever dialect it says so.
enum ReportType: UInt8, CaseIterable {
  case inbound, outbound, remoteInbound, remoteOutbound
  /// `media-playout`: the audio device behind all inbound audio streams.
  case playout
  /// `media-source`: the microphone, camera or screen behind outbound streams.
  case source
  case codec, transport, pair, localCandidate, remoteCandidate, certificate
  /// Obsolete `track` reports (Chrome before M116, Safari), which held frames, levels and concealment.
  case track
  /// goog-* reports of before the standard, and Chrome's bandwidth estimate among them.
  case googReceive, googSend, googPair, googComponent, googBandwidth, googCertificate
  /// Nothing that a column holds: `peer-connection`, `data-channel`, `stream` and the like.
  case passedOver
  /// A type that is in no table.
  case unknown

  /// The type by its name; goog `ssrc` reports tell their direction by the end of their id.
  init(name: UnsafeBufferPointer<UInt8>, id: UnsafeBufferPointer<UInt8>) {
    switch String(decoding: name, as: UTF8.self) {
    case "inbound-rtp", "inboundrtp": self = .inbound
    case "outbound-rtp", "outboundrtp": self = .outbound
    case "remote-inbound-rtp": self = .remoteInbound
    case "remote-outbound-rtp": self = .remoteOutbound
    case "media-playout": self = .playout
    case "media-source": self = .source
    case "codec": self = .codec
    case "transport": self = .transport
    case "candidate-pair", "candidatepair": self = .pair
    case "local-candidate", "localcandidate": self = .localCandidate
    case "remote-candidate", "remotecandidate": self = .remoteCandidate
    case "certificate": self = .certificate
    case "track": self = .track
    case "ssrc": self = id.hasSuffix("_send") ? .googSend : .googReceive
    case "googCandidatePair": self = .googPair
    case "googComponent": self = .googComponent
    case "VideoBwe": self = .googBandwidth
    case "googCertificate": self = .googCertificate
    case "peer-connection", "data-channel", "datachannel", "stream", "csrc", "sender",
      "receiver",
      "transceiver", "sctp-transport", "googTrack", "googLibjingleSession", "googComponentStats",
      "ice-server",
      "kind", "session":
      self = .passedOver
    default: self = .unknown
    }
  }

  /// Whether an object that stands alone is a report by the name of its type: words such as `session` and `stream` occur in
  /// any log.
  static func names(_ type: JSONText, id: JSONText) -> Bool {
    switch ReportType(name: type.bytes, id: id.bytes) {
    case .unknown: false
    case .passedOver: type.bytes.contains(UInt8(ascii: "-"))
    default: true
    }
  }

  /// A stream of RTP whose samples are stored.
  var isStream: Bool {
    switch self {
    case .inbound, .outbound, .googReceive, .googSend: true
    default: false
    }
  }

  /// What a member without a column is kept behind, in the stream's sample or its path's: nil where it is not kept, nothing where it is of
  /// the stream's own report.
  var keptBehind: String? {
    switch self {
    case .inbound, .outbound, .googReceive, .googSend: ""
    case .remoteInbound: "remote-inbound-rtp."
    case .remoteOutbound: "remote-outbound-rtp."
    case .playout: "media-playout."
    case .source: "media-source."
    case .track: "track."
    case .transport, .googComponent: "transport."
    case .pair, .googPair: "candidate-pair."
    default: nil
    }
  }

  /// A report without which nothing is known of the path.
  var isOfPath: Bool {
    switch self {
    case .transport, .pair, .googPair, .googComponent, .googBandwidth: true
    default: false
    }
  }

  /// A report whose members are of no use but for those in a table.
  var isPassedOver: Bool { self == .passedOver || self == .source }

  /// Whether it is of before the standard.
  var isGoog: Bool {
    switch self {
    case .googReceive, .googSend, .googPair, .googComponent, .googBandwidth, .googCertificate: true
    default: false
    }
  }

  /// Whether the stream is received here.
  var isInbound: Bool { self == .inbound || self == .googReceive }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the bytes end in an ASCII word.
  func hasSuffix(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard count >= length else { return false }
    return (0..<length).allSatisfy { self[count - length + $0] == word.utf8Start[$0] }
  }
}
