import Bytes

/// The type of a report, in all dialects.
enum ReportType: UInt8, CaseIterable {
  case inbound, outbound, remoteInbound, remoteOutbound
  /// `media-playout`: the audio device behind all inbound audio streams.
  case playout
  /// `media-source`: the microphone, camera or screen behind outbound streams.
  case source
  case codec, transport, pair, localCandidate, remoteCandidate, certificate
  /// Obsolete `track` reports (Chrome before M116, Safari), with frames, levels and concealment.
  case track
  /// Pre-standard goog-* reports, including Chrome's bandwidth estimate.
  case googReceive, googSend, googPair, googComponent, googBandwidth, googCertificate
  /// Without any column: `peer-connection`, `data-channel`, `stream` and the like.
  case passedOver
  /// A type that is in no table.
  case unknown

  /// The type by its name; the direction of goog `ssrc` reports is the suffix of their id.
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

  /// Whether a single object is a report judging by the name of its type alone: words such as `session` and `stream`
  /// occur in any log.
  static func names(_ type: JSONText, id: JSONText) -> Bool {
    switch ReportType(name: type.bytes, id: id.bytes) {
    case .unknown: false
    case .passedOver: type.bytes.contains(UInt8(ascii: "-"))
    default: true
    }
  }

  /// An RTP stream whose samples are stored.
  var isStream: Bool {
    switch self {
    case .inbound, .outbound, .googReceive, .googSend: true
    default: false
    }
  }

  /// The prefix of a member without a column, in the sample of the stream or path: nil if it is not kept, empty for the
  /// stream's own report.
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

  /// A report needed for the path.
  var isOfPath: Bool {
    switch self {
    case .transport, .pair, .googPair, .googComponent, .googBandwidth: true
    default: false
    }
  }

  /// A report of which only known members are used.
  var isPassedOver: Bool { self == .passedOver || self == .source }

  /// Whether it is a pre-standard type.
  var isGoog: Bool {
    switch self {
    case .googReceive, .googSend, .googPair, .googComponent, .googBandwidth, .googCertificate: true
    default: false
    }
  }

  /// Whether the stream is received by this end.
  var isInbound: Bool { self == .inbound || self == .googReceive }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the bytes end with an ASCII word.
  func hasSuffix(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard count >= length else { return false }
    return (0..<length).allSatisfy { self[count - length + $0] == word.utf8Start[$0] }
  }
}
