import Packets
import Signalling

/// Finds the start of the next frame or message in the bytes after a gap.
enum FrameSearch {
  /// The number of consecutive frames that is sufficient evidence.
  private static let enough = 3
  private static let longest = 8192

  /// The number of bytes before the first boundary; nil if none has been found yet.
  static func start(of framing: TCPFraming, in b: Octets) -> Int? {
    switch framing {
    case .sip:
      return (0..<b.count).first { ($0 == 0 || b.byte($0 - 1) == 10) && SIPStart.isLikely(b.from($0)) }
    // A message usually fills a segment, and WebSocket frames alone are weak evidence.
    case .webSocket: return WebSocket.holdsSIP(b) ? 0 : nil
    case .turn, .framed, .interleaved: return (0..<b.count).first { begins(framing, b.from($0)) }
    case .unknown, .http, .other: return 0
    }
  }

  /// Whether a frame begins here: an unmistakable one, several in a row, or one that ends where the segment
  /// ends.
  static func begins(_ framing: TCPFraming, _ b: Octets) -> Bool {
    var at = 0
    for _ in 0..<enough {
      guard let length = length(framing, b.from(at)) else { return false }
      at += length
      if at == b.count { return true }
      if at > b.count { return false }
    }
    return true
  }

  /// The length in bytes of the frame that begins here; nil if there is none.
  static func length(_ framing: TCPFraming, _ b: Octets) -> Int? {
    switch framing {
    case .turn:
      if STUNMessage.isLikely(b) { return 20 + Int(b.short(2)) }
      let length = Int(b.short(2))
      guard b.byte(0) & 0xF0 == 0x40, length > 0, length <= longest, isPacket(b.from(4)) else { return nil }
      return 4 + (length + 3) & ~3
    case .framed:
      let length = Int(b.short(0))
      return length >= 12 && length <= longest && isPacket(b.from(2)) ? 2 + length : nil
    case .interleaved:
      let length = Int(b.short(2))
      return b.byte(0) == 0x24 && length >= 8 && length <= longest && b.byte(4) & 0xC0 == 0x80
        ? 4 + length : nil
    default: return nil
    }
  }

  /// Whether a packet of a call may begin like this (RFC 7983).
  private static func isPacket(_ b: Octets) -> Bool {
    STUNMessage.isLikely(b) || b.byte(0) & 0xC0 == 0x80 || DTLSTracker.isLikely(b)
  }
}

/// Identifies the protocol in one direction of a TCP conversation by its first bytes.
enum TCPBeginnings {
  /// The framing of a direction that begins here; nil if more bytes are needed.
  static func framing(ofStart b: Octets) -> TCPFraming? {
    if SIPStart.isLikely(b) { return .sip }
    if b.begins("GET ") || b.begins("HTTP/1.1 ") { return .http }
    if b.begins("RTSP/1.0 ") || b.begins("DESCRIBE ") || b.begins("SETUP ") || b.byte(0) == 0x24 {
      return .interleaved
    }
    if b.byte(0) == 0x16 && b.byte(1) == 3 { return .other }  // TLS
    guard b.count >= 12 else { return nil }
    if STUNMessage.isLikely(b) { return .turn }
    if b.byte(0) & 0xF0 == 0x40 && Int(b.short(2)) <= 2048
      && (STUNMessage.isLikely(b.from(4)) || b.byte(4) & 0xC0 == 0x80)
    {
      return .turn
    }
    let inner = b.from(2)
    let length = Int(b.short(0))
    if length >= 12 && length <= 8192
      && (STUNMessage.isLikely(inner) || inner.byte(0) & 0xC0 == 0x80 && inner.byte(1) & 0x7F != 0x7F
        || DTLSTracker.isLikely(inner) && inner.byte(0) < 32)
    {
      return .framed
    }
    return WebSocket.holdsSIP(b) ? .webSocket : .other
  }

  /// The framing of a direction whose start was not captured, if a segment of it is unmistakable; nil
  /// otherwise. This is called for every segment of unknown traffic; the first byte nearly always decides.
  static func framing(ofSegment b: Octets) -> TCPFraming? {
    switch b.byte(0) {
    case 0x41...0x5A where SIPStart.isLikely(b): return .sip
    case 0x81, 0x82: return WebSocket.holdsSIP(b) ? .webSocket : nil
    case 0x40...0x4F: return FrameSearch.begins(.turn, b) ? .turn : nil
    case 0...0x1F:
      if FrameSearch.begins(.turn, b) { return .turn }
      return FrameSearch.begins(.framed, b) ? .framed : nil
    default: return nil
    }
  }
}

/// The protocol in a TCP conversation, identified by its first bytes.
enum TCPFraming {
  case unknown
  /// STUN and ChannelData in sequence, padded to four bytes (RFC 8656 over TCP).
  case turn
  /// A two-byte length before each packet (RFC 4571, RFC 6544).
  case framed
  /// RTSP interleaved with '$' frames (RFC 7826 section 14).
  case interleaved
  case sip
  /// HTTP up to the upgrade, then WebSocket frames.
  case http
  case webSocket
  /// Other traffic, until a segment begins with a known protocol.
  case other

  /// Whether this framing carries media.
  var carriesMedia: Bool { self == .turn || self == .framed || self == .interleaved }

  /// Whether this framing carries call traffic.
  var carriesCalls: Bool {
    switch self {
    case .turn, .framed, .interleaved, .sip, .webSocket: true
    case .unknown, .http, .other: false
    }
  }
}

/// Both directions of a TCP conversation.
final class TCPConversation {
  /// One direction with what is known of its framing.
  struct Side {
    var stream: TCPStream
    var framing = TCPFraming.unknown
    /// Whether the next boundary has to be found, because bytes before it were missed.
    var isSeeking = false
    /// Bytes to be passed over: the rest of a SIP message that is too long.
    var passing = 0
    /// The number of bytes examined without success.
    var wasted = 0
    /// The WebSocket message being assembled.
    var message: [UInt8] = []
    /// The direction reported by the link layer.
    var direction = LinkDirection.unknown

    /// A direction that begins, with the sequence number of its first byte if known.
    init(startingAt first: UInt32? = nil) { stream = TCPStream(startingAt: first) }
  }

  var low = Side()
  var high = Side()
  /// Whether it is listed among the flows with waiting segments.
  var isAwaited = false

  /// The number of bytes of a direction after which a known protocol is no longer expected.
  static let patience = 16_384
}

/// WebSocket frames (RFC 6455) that carry SIP (RFC 7118).
enum WebSocket {
  private static let longest = 1 << 18

  /// Takes one frame; returns the number of bytes used, 0 if the frame is incomplete.
  static func step(_ b: Octets, _ message: inout [UInt8], _ found: (TCPReader.Found) -> Void) -> Int {
    guard b.count >= 2 else { return 0 }
    let isFinal = b.byte(0) & 0x80 != 0
    let opcode = b.byte(0) & 15
    let isMasked = b.byte(1) & 0x80 != 0
    var length = Int(b.byte(1) & 0x7F)
    var at = 2
    if length == 126 {
      length = Int(b.short(2))
      at = 4
    } else if length == 127 {
      guard b.count >= 10 else { return 0 }
      length = Int(clamping: b.long(2))
      at = 10
    }
    guard length <= longest else { return b.count }
    let mask = b.from(at)
    if isMasked { at += 4 }
    guard b.count >= at + length else { return 0 }
    if opcode <= 2 {
      let payload = b.from(at).first(length)
      if message.count + length > longest { message = [] }
      if isMasked {
        message.reserveCapacity(message.count + length)
        for i in 0..<length { message.append(payload.byte(i) ^ mask.byte(i & 3)) }
      } else {
        message += payload.copy()
      }
      if isFinal {
        deliver(message, found)
        message = []
      }
    }
    return at + length
  }

  /// Whether a frame begins here whose payload is the start of a SIP message.
  static func holdsSIP(_ b: Octets) -> Bool {
    guard b.byte(0) == 0x81 || b.byte(0) == 0x82 else { return false }
    let isMasked = b.byte(1) & 0x80 != 0
    let short = Int(b.byte(1) & 0x7F)
    let extra = short == 126 ? 2 : short == 127 ? 8 : 0
    let length = extra == 0 ? short : extra == 2 ? Int(b.short(2)) : Int(clamping: b.long(2))
    // A SIP message cannot be shorter.
    guard length >= 64, length <= longest else { return false }
    let key = b.from(2 + extra)
    let payload = isMasked ? key.from(4) : key
    let longestWord = 10
    let start = (0..<longestWord).map { payload.byte($0) ^ (isMasked ? key.byte($0 & 3) : 0) }
    return start.withUnsafeBytes { all in
      all.baseAddress.map { SIPStart.isLikely(Octets($0, count: all.count)) } ?? false
    }
  }

  private static func deliver(_ message: [UInt8], _ found: (TCPReader.Found) -> Void) {
    message.withUnsafeBytes { all in
      guard let base = all.baseAddress else { return }
      let b = Octets(base, count: all.count)
      if let sip = SIPMessage(b) { found(.sip(sip, body: b.from(sip.bodyAt))) }
    }
  }
}
