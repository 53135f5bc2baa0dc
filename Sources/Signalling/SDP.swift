import Bytes
import CallModel
import Packets

/// The part of a session description (RFC 8866) that says where media are received, and in which formats.
public struct SDP {
  /// One m= section.
  public struct Media {
    public var kind: String
    public var port: UInt16
    public var address: Address?
    public var formats: [UInt8: PayloadFormat] = [:]
    /// All payload types listed, including those without further attributes.
    var types: Set<UInt8> = []
    /// A digest of the keys (RFC 4568), for detecting a change; 0 if there are none.
    var keys: UInt64 = 0
    var direction = ""
    /// The port for RTCP, and its host if that is different (RFC 3605); nil if not given.
    var rtcp: (port: UInt16, address: Address?)?
    /// Whether it uses the port of another section (RFC 8843 section 6), its own being 0.
    var isBundleOnly = false
    /// Whether it is offered or accepted at all.
    var takesPart: Bool { port != 0 || isBundleOnly }

    /// Where RTCP for the media received here is sent: the next port if none is given (RFC 3550 section 11).
    public func rtcpEndpoint(at host: Address) -> Endpoint {
      Endpoint(address: rtcp?.address ?? address ?? host, port: rtcp?.port ?? port &+ 1)
    }
    /// Whether it is not encrypted: the profile is not SRTP, and no keys are offered.
    var isClear = false
    /// The preferred (`ptime`) and maximum (`maxptime`) length of the packets to be received, ms (RFC 8866
    /// section 6.4).
    var packetTimeMs: Int?
    var longestPacketMs: Int?
  }

  public private(set) var media: [Media] = []
  /// Whether a line of it says who may send sound; of a description that was cut nothing else does.
  public var hasDirectionOfAudio: Bool {
    media.first { $0.kind == "audio" }.map { !$0.direction.isEmpty || !$0.takesPart } ?? false
  }
  public private(set) var fingerprint: String?
  public private(set) var ufrag: String?
  private var address: Address?
  /// The direction of all media without one of their own.
  private var direction = ""

  /// What it offers, for display: `audio: speex/32000, iLBC/8000; no video`; `no media` if nothing takes part.
  public var words: String {
    let parts = media.prefix(Self.mostNamed).map { section in
      let kind = section.kind.prefix(16)
      guard section.takesPart else { return "no \(kind)" }
      let codecs = section.types.sorted().compactMap { section.formats[$0] }.filter(\.isMedium)
        .map { "\($0.name.prefix(32))/\($0.clockRate)" }
      let rest = codecs.count > Self.mostNamed ? " …" : ""
      let way = section.direction == "inactive" ? " (inactive)" : ""
      return codecs.isEmpty
        ? kind + way
        : "\(kind)\(way): \(codecs.prefix(Self.mostNamed).joined(separator: ", "))\(rest)"
    }
    return parts.joined(separator: "; ")
  }
  private static let mostNamed = 8

  /// The maximum number of sections and formats.
  private static let most = 64

  /// Reads a description. Fails if it has no media.
  init?(_ b: Octets) {
    guard b.begins("v=0") else { return nil }
    for line in b.first(65_536).text().split(whereSeparator: \.isNewline) {
      guard line.utf8.count > 2, line.dropFirst().first == "=" else { continue }
      take(line.first ?? " ", line.dropFirst(2))
    }
    guard !media.isEmpty else { return nil }
    for i in media.indices where media[i].isClear {
      for type in media[i].formats.keys { media[i].formats[type]?.isClear = true }
    }
  }

  private mutating func take(_ type: Character, _ value: Substring) {
    switch type {
    case "c":
      guard let text = value.split(separator: " ").last, let parsed = Address(text: text) else { return }
      if media.isEmpty { address = parsed } else { media[media.count - 1].address = parsed }
    case "m":
      let words = value.split(separator: " ")
      guard words.count >= 3, media.count < Self.most else { return }
      let port = UInt16(words[1].prefix { $0 != "/" }) ?? 0
      var section = Media(
        kind: words[0].lowercased(), port: port, address: address, direction: direction,
        isClear: words[2].hasPrefix("RTP/AVP"))
      for word in words.dropFirst(3).prefix(Self.most) {
        if let type = UInt8(word), type < 128 {
          section.types.insert(type)
          section.formats[type] = PayloadFormat.assigned(type)
        }
      }
      media.append(section)
    case "a": attribute(value)
    default: break
    }
  }

  private mutating func attribute(_ value: Substring) {
    let parts = value.split(separator: ":", maxSplits: 1)
    guard let name = parts.first else { return }
    let rest = parts.count > 1 ? parts[1] : ""
    switch name {
    case "fingerprint": fingerprint = rest.split(separator: " ").last.map { $0.uppercased() }
    case "ice-ufrag": ufrag = String(rest)
    case "crypto":
      change {
        $0.isClear = false
        $0.keys = FNV1a.value(of: rest.utf8, from: $0.keys == 0 ? nil : $0.keys)
      }
    case "rtcp":
      let words = rest.split(separator: " ")
      if let port = words.first.flatMap({ UInt16($0) }), port != 0 {
        change { $0.rtcp = (port, words.count > 1 ? words.last.flatMap { Address(text: $0) } : nil) }
      }
    case "bundle-only": change { $0.isBundleOnly = true }
    case "zrtp-hash": change { $0.isClear = false }
    case "rtpmap": rtpmap(rest)
    case "fmtp": fmtp(rest)
    case "ptime": change { $0.packetTimeMs = Self.milliseconds(rest) }
    case "maxptime": change { $0.longestPacketMs = Self.milliseconds(rest) }
    case "sendrecv", "sendonly", "recvonly", "inactive":
      if media.isEmpty { direction = String(name) } else { change { $0.direction = String(name) } }
    default: break
    }
  }

  private static func milliseconds(_ text: Substring) -> Int? {
    Double(text).flatMap { (1...1000).contains($0) ? Int($0) : nil }
  }

  private mutating func change(_ body: (inout Media) -> Void) {
    if !media.isEmpty { body(&media[media.count - 1]) }
  }

  private mutating func rtpmap(_ rest: Substring) {
    let words = rest.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let type = UInt8(words[0]), type < 128 else { return }
    let parts = words[1].split(separator: "/")
    guard parts.count >= 2, let rate = Int(parts[1].prefix { $0.isNumber }), rate > 0, rate <= 1_000_000
    else { return }
    change {
      var format = PayloadFormat(String(parts[0]), rate, MediaKind(rawValue: $0.kind))
      if parts.count > 2 { format.channels = Int(parts[2].prefix { $0.isNumber }) }
      $0.formats[type] = format
    }
  }

  private mutating func fmtp(_ rest: Substring) {
    let words = rest.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let type = UInt8(words[0]) else { return }
    change { $0.formats[type]?.fmtp = String(words[1]) }
  }
}

/// Finds the session description in a SIP message: the only body, or one of several parts (RFC 5621: SIP-I,
/// emergency calls).
public enum SIPBody {
  /// The description; nil if there is none.
  public static func description(_ message: SIPMessage, _ captured: Octets) -> SDP? {
    bytes(message, captured).flatMap { SDP($0) }
  }

  /// The text of the description; nil if there is none, or it is longer than a packet.
  public static func text(_ message: SIPMessage, _ captured: Octets) -> String? {
    bytes(message, captured).flatMap { $0.begins("v=") && $0.count <= longest ? $0.text() : nil }
  }

  private static func bytes(_ message: SIPMessage, _ captured: Octets) -> Octets? {
    let body = isCut(message, captured) ? wholeLines(of: captured) : captured
    if message.contentType.contains("multipart") { return part(of: body) }
    return message.contentType.contains("sdp") || message.contentType.isEmpty ? body : nil
  }

  /// Whether the capture has only the beginning of a body, or of the message.
  public static func isCut(_ message: SIPMessage, _ captured: Octets) -> Bool {
    message.isCut || message.contentLength.map { captured.count < $0 } == true
  }

  /// Status of the message of which a NOTIFY carries a fragment (RFC 3420); nil where it carries none.
  public static func fragment(_ message: SIPMessage, _ body: Octets) -> Int? {
    guard message.method == "NOTIFY", message.contentType.hasPrefix("message/sipfrag"),
      body.begins("SIP/2.0 ")
    else { return nil }
    return Int(body.from(8).first(3).text())
  }

  /// The text before the line that the snaplen truncated, because a truncated address or port would be a
  /// different one.
  private static func wholeLines(of body: Octets) -> Octets {
    var end = body.count
    while end > 0 && body.byte(end - 1) != 10 { end -= 1 }
    return body.first(end)
  }

  /// The number of bytes of a body that are searched.
  private static let longest = 65_536

  /// The first part that begins like a description, up to the next boundary.
  private static func part(of body: Octets) -> Octets? {
    var start: Int?
    for line in lines(of: body.first(longest)) {
      if let start, body.byte(line) == UInt8(ascii: "-"), body.byte(line + 1) == UInt8(ascii: "-") {
        return body.from(start).first(line - start)
      }
      if start == nil, body.from(line).begins("v=0") { start = line }
    }
    return start.map { body.from($0) }
  }

  /// The offsets at which lines begin.
  private static func lines(of body: Octets) -> some Sequence<Int> {
    (0..<body.count).lazy.filter { $0 == 0 || body.byte($0 - 1) == 10 }
  }
}
