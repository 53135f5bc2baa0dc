/// What travels in a TCP conversation, told by its first bytes.
enum TCPFraming {
  case unknown
  /// STUN and ChannelData one after the other, padded to four bytes (RFC 8656 over TCP).
  case turn
  /// A length of two bytes before each packet (RFC 4571, RFC 6544).
  case framed
  /// RTSP with '$' frames between (RFC 7826 section 14).
  case interleaved
  case sip
  /// HTTP up to the upgrade, then WebSocket frames.
  case http
  case webSocket
  /// Nothing of ours, until a segment begins with something that is.
  case other

  /// Whether media travel so.
  var carriesMedia: Bool { self == .turn || self == .framed || self == .interleaved }

  /// Whether calls travel so.
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
    /// Whether the next boundary of its framing has to be found: bytes were missed before it.
    var isSeeking = false
    /// Bytes looked at in vain.
    var wasted = 0
    /// WebSocket message being put together.
    var message: [UInt8] = []
    /// What the link layer said of its direction.
    var direction = LinkDirection.unknown

    /// A direction that begins anew, with the number of its first byte where that is known.
    init(startingAt first: UInt32? = nil) { stream = TCPStream(startingAt: first) }
  }

  var low = Side()
  var high = Side()
  /// Whether it is among those of which segments wait.
  var isAwaited = false

  /// Bytes of a direction after which nothing known is expected any more.
  static let patience = 16_384
}
