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
  /// Nothing of ours.
  case other
}

/// Both directions of a TCP conversation.
final class TCPConversation {
  /// One direction with what is known of its framing.
  struct Side {
    var stream = TCPStream()
    var framing = TCPFraming.unknown
    /// Bytes looked at in vain.
    var wasted = 0
    /// WebSocket message being put together.
    var message: [UInt8] = []
  }

  var low = Side()
  var high = Side()

  /// Bytes of a direction after which nothing known is expected any more.
  static let patience = 16_384
}
