/// Finds where the next frame or message begins in the bytes that follow a hole.
enum FrameSearch {
  /// Frames in a row that leave no doubt.
  private static let enough = 3
  private static let longest = 8192

  /// Bytes to the first boundary; nil where there is none yet.
  static func start(of framing: TCPFraming, in b: Octets) -> Int? {
    switch framing {
    case .sip:
      return (0..<b.count).first { ($0 == 0 || b.byte($0 - 1) == 10) && SIPMessage.isLikely(b.from($0)) }
    // A message is a segment more often than not, and its frames say little.
    case .webSocket: return WebSocket.holdsSIP(b) ? 0 : nil
    case .turn, .framed, .interleaved: return (0..<b.count).first { begins(framing, b.from($0)) }
    case .unknown, .http, .other: return 0
    }
  }

  /// Whether a frame begins here: one that nothing else looks like, several in a row, or what ends where the segment ends.
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

  /// Bytes of the frame that begins here; nil where none does.
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

  /// Whether a packet of a call may begin so (RFC 7983).
  private static func isPacket(_ b: Octets) -> Bool {
    STUNMessage.isLikely(b) || b.byte(0) & 0xC0 == 0x80 || DTLSWatch.isLikely(b)
  }
}
