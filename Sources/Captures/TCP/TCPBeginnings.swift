/// Tells by the first bytes what travels in a direction of a TCP conversation.
enum TCPBeginnings {
  /// The framing of a direction that begins here; nil where more bytes are needed.
  static func framing(ofStart b: Octets) -> TCPFraming? {
    if SIPMessage.isLikely(b) { return .sip }
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
        || DTLSWatch.isLikely(inner) && inner.byte(0) < 32)
    {
      return .framed
    }
    return WebSocket.holdsSIP(b) ? .webSocket : .other
  }

  /// The framing of a direction of which the beginning is not known, where a segment of it leaves no doubt; nil for everything
  /// else. Asked for every segment of what is not ours: the first byte answers nearly always.
  static func framing(ofSegment b: Octets) -> TCPFraming? {
    switch b.byte(0) {
    case 0x41...0x5A where SIPMessage.isLikely(b): return .sip
    case 0x81, 0x82: return WebSocket.holdsSIP(b) ? .webSocket : nil
    case 0x40...0x4F: return FrameSearch.begins(.turn, b) ? .turn : nil
    case 0...0x1F:
      if FrameSearch.begins(.turn, b) { return .turn }
      return FrameSearch.begins(.framed, b) ? .framed : nil
    default: return nil
    }
  }
}
