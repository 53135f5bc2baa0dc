import Bytes
import CallModel
import Packets

/// What a session description (RFC 8866) says of where media is received, and as what.
public struct SDP {
  /// One m= section.
  public struct Media {
    public var kind: String
    public var port: UInt16
    public var address: Address?
    public var formats: [UInt8: PayloadFormat] = [:]
    /// Every payload type that it names, also those that it says no more of.
    var types: Set<UInt8> = []
    /// A digest of the keys that it gives (RFC 4568), to tell whether they changed; 0 where it gives none.
    var keys: UInt64 = 0
    var direction = ""
    /// The port that reports are sent to, and the host where it is another (RFC 3605); nil where nothing is said.
    var rtcp: (port: UInt16, address: Address?)?
    /// Whether it passes on the port of another section (RFC 8843 section 6), its own being 0.
    var isBundleOnly = false
    /// Whether it is wanted, or accepted, at all.
    var takesPart: Bool { port != 0 || isBundleOnly }

    /// Where reports on what is received here are sent to: the next port where nothing is said (RFC 3550 section 11).
    public func rtcpEndpoint(at host: Address) -> Endpoint {
      Endpoint(address: rtcp?.address ?? address ?? host, port: rtcp?.port ?? port &+ 1)
    }
    /// Whether it is sent in the clear: the profile is none of SRTP, and no keys are offered.
    var isClear = false
    /// How much sound a packet is to hold that is sent to it (`ptime`), and at most (`maxptime`), ms (RFC 8866 6.4).
    var packetTimeMs: Int?
    var longestPacketMs: Int?
  }

  public private(set) var media: [Media] = []
  /// Whether a line of it says who may send sound; of a description that was cut nothing else does.
  public var tellsDirectionOfSound: Bool {
    media.first { $0.kind == "audio" }.map { !$0.direction.isEmpty || !$0.takesPart } ?? false
  }
  public private(set) var fingerprint: String?
  public private(set) var ufrag: String?
  private var address: Address?
  /// Direction of all media that have none of their own.
  private var direction = ""

  /// Most sections and formats read.
  private static let most = 64

  /// Reads a description; nil where it has no media.
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

/// Where a SIP message has its session description: alone, or as a part beside others (RFC 5621: SIP-I, emergency calls).
public enum SIPBody {
  /// The description, nil where there is none.
  public static func description(_ message: SIPMessage, _ captured: Octets) -> SDP? {
    let body = isCut(message, captured) ? wholeLines(of: captured) : captured
    if message.contentType.contains("multipart") { return part(of: body).flatMap { SDP($0) } }
    return message.contentType.contains("sdp") || message.contentType.isEmpty ? SDP(body) : nil
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

  /// What comes before the line that the snaplen cut: half of an address or a port would be another.
  private static func wholeLines(of body: Octets) -> Octets {
    var end = body.count
    while end > 0 && body.byte(end - 1) != 10 { end -= 1 }
    return body.first(end)
  }

  /// Bytes of a body that are looked through.
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

  /// Where lines begin.
  private static func lines(of body: Octets) -> some Sequence<Int> {
    (0..<body.count).lazy.filter { $0 == 0 || body.byte($0 - 1) == 10 }
  }
}
