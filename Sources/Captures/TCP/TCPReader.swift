/// Takes packets and messages out of TCP: TURN, framed RTP, RTSP interleaving, SIP, SIP over WebSocket.
struct TCPReader {
  /// What came out.
  enum Found {
    /// A packet as it would travel over UDP.
    case packet(Octets)
    case sip(SIPMessage, body: Octets)
  }

  /// Reads what is whole in a direction.
  static func read(_ side: inout TCPConversation.Side, _ found: (Found) -> Void) {
    if side.stream.hasHole {
      if side.framing != .webSocket { side.framing = .unknown }
      side.message = []
      side.stream.resynchronised()
    }
    var framing = side.framing
    var message = side.message
    var wasted = side.wasted
    side.stream.take { all in
      var at = 0
      while at < all.count {
        let b = all.from(at)
        if framing == .unknown {
          guard let told = tell(b) else { break }
          framing = told
        }
        let used = step(&framing, b, &message, found)
        if used == 0 { break }
        if framing == .other {
          at = all.count
          break
        }
        at += used
      }
      if at == 0 && all.count > TCPConversation.patience {
        wasted += all.count
        return all.count
      }
      return at
    }
    if wasted > TCPConversation.patience { framing = .other }
    side.framing = framing
    side.message = message
    side.wasted = wasted
  }

  /// The framing by the first bytes; nil where more are needed.
  private static func tell(_ b: Octets) -> TCPFraming? {
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
    return .other
  }

  /// Takes one message; answers the bytes used, 0 where it is not whole yet.
  private static func step(
    _ framing: inout TCPFraming, _ b: Octets, _ message: inout [UInt8], _ found: (Found) -> Void
  ) -> Int {
    switch framing {
    case .unknown, .other: return b.count
    case .turn: return turn(&framing, b, found)
    case .framed:
      let length = Int(b.short(0))
      guard b.count >= 2 + length, b.count >= 2 else { return 0 }
      if length > 0 { found(.packet(b.from(2).first(length))) }
      return 2 + length
    case .interleaved:
      if b.byte(0) == 0x24 {
        let length = Int(b.short(2))
        guard b.count >= 4 + length else { return 0 }
        found(.packet(b.from(4).first(length)))
        return 4 + length
      }
      guard let head = headEnd(b) else { return b.count > 16_384 ? b.count : 0 }
      let total = head + bodyLength(b.first(head))
      return b.count >= total ? total : 0
    case .sip:
      if b.byte(0) == 13 || b.byte(0) == 10 { return 1 }  // keep-alive (RFC 5626)
      guard let head = headEnd(b) else { return b.count > 32_768 ? lost(&framing, b) : 0 }
      guard let sip = SIPMessage(b) else { return lost(&framing, b) }
      let total = head + min(max(0, sip.contentLength ?? 0), 1 << 17)
      guard b.count >= total else { return 0 }
      found(.sip(sip, body: b.first(total).from(head)))
      return total
    case .http:
      guard let head = headEnd(b) else { return b.count > 16_384 ? lost(&framing, b) : 0 }
      guard b.first(head).text().lowercased().contains("upgrade: websocket") else { return lost(&framing, b) }
      framing = .webSocket
      return head
    case .webSocket: return WebSocket.step(b, &message, found)
    }
  }

  private static func lost(_ framing: inout TCPFraming, _ b: Octets) -> Int {
    framing = .other
    return b.count
  }

  private static func turn(_ framing: inout TCPFraming, _ b: Octets, _ found: (Found) -> Void) -> Int {
    guard b.count >= 4 else { return 0 }
    let length: Int
    if b.byte(0) < 4 {
      length = 20 + Int(b.short(2))
      if b.count >= 8 && !STUNMessage.isLikely(b) { return lost(&framing, b) }
    } else if b.byte(0) & 0xF0 == 0x40 {
      length = 4 + (Int(b.short(2)) + 3) & ~3
    } else {
      return lost(&framing, b)
    }
    guard b.count >= length else { return 0 }
    found(.packet(b.first(length)))
    return length
  }

  /// Where the head of a text message ends, the empty line included.
  private static func headEnd(_ b: Octets) -> Int? {
    let limit = min(b.count, 32_768)
    var i = 0
    while i + 3 < limit {
      if b.byte(i) == 13 && b.byte(i + 1) == 10 && b.byte(i + 2) == 13 && b.byte(i + 3) == 10 { return i + 4 }
      i += 1
    }
    return nil
  }

  private static func bodyLength(_ head: Octets) -> Int {
    for line in head.text().split(whereSeparator: \.isNewline)
    where line.lowercased().hasPrefix("content-length:") {
      let digits = line.drop { !$0.isNumber }.prefix { $0.isNumber }
      return min(Int(digits) ?? 0, 1 << 17)
    }
    return 0
  }
}
