import CallModel
import Packets
import Signalling

/// Extracts packets and messages from TCP: TURN, framed RTP, interleaved RTSP, SIP, SIP over WebSocket.
struct TCPReader {
  /// A packet or message.
  enum Found {
    /// A packet as it would be sent over UDP, with its length on the wire if the snaplen truncated it.
    case packet(Octets, wireLength: Int)
    case sip(SIPMessage, body: Octets)
  }

  /// The number of bytes searched together for the first boundary after a gap.
  private static let maxSought = 16_384

  /// Reads everything that is complete in a direction.
  static func read(_ side: inout TCPConversation.Side, _ found: (Found) -> Void) {
    if side.stream.hasHole { resume(&side) }
    var state = State(side)
    side.stream.take { state.take($0, found) }
    if side.stream.isCut {
      side.stream.take { b in
        if !state.isSeeking { state.takeCut(b, found) }
        return 0
      }
      side.stream.skipCut()
    }
    if state.wasted > TCPConversation.patience { state.framing = .other }
    side.framing = state.framing
    side.isSeeking = state.isSeeking
    side.message = state.message
    (side.wasted, side.passing) = (state.wasted, state.passing)
    // Other traffic is not reassembled either.
    if state.framing == .other { side.stream = TCPStream() }
  }

  /// Continues after a gap.
  private static func resume(_ side: inout TCPConversation.Side) {
    side.stream.resynchronised()
    side.message = []
    // The answer to an upgrade may be in the gap, so the bytes that follow decide.
    if side.framing == .http { side.framing = .unknown }
    side.isSeeking = side.framing != .unknown
  }

  private static let longestSIPBody = Limit.sipBody.value

  /// The state of a direction while it is read.
  private struct State {
    var framing: TCPFraming
    var isSeeking: Bool
    var message: [UInt8]
    var wasted: Int
    var passing: Int

    init(_ side: TCPConversation.Side) {
      (framing, isSeeking, message, wasted) = (side.framing, side.isSeeking, side.message, side.wasted)
      passing = side.passing
    }

    mutating func take(_ all: Octets, _ found: (Found) -> Void) -> Int {
      var at = 0
      while at < all.count {
        let b = all.from(at)
        if passing > 0 {
          let passed = min(passing, b.count)
          passing -= passed
          at += passed
          continue
        }
        if isSeeking {
          guard let start = FrameSearch.start(of: framing, in: b) else {
            return framing == .webSocket || b.count > maxSought ? all.count : at
          }
          isSeeking = false
          at += start
          continue
        }
        if framing == .unknown {
          // Keep-alives before the first message (RFC 5626).
          if isLineEnd(b) {
            at += 1
            continue
          }
          guard let detected = TCPBeginnings.framing(ofStart: b) else { break }
          framing = detected
        }
        let used = step(b, found)
        if framing == .other { return all.count }
        if used == 0 && !isSeeking { break }
        at += used
      }
      if at == 0, all.count > (framing == .sip ? 2 * TCPReader.longestSIPBody : TCPConversation.patience) {
        wasted += all.count
        return all.count
      }
      return at
    }

    /// Takes one message; returns the number of bytes used, 0 if it is incomplete.
    private mutating func step(_ b: Octets, _ found: (Found) -> Void) -> Int {
      switch framing {
      case .unknown, .other: return b.count
      case .turn: return turn(b, found)
      case .framed:
        let length = Int(b.short(0))
        guard b.count >= 2 + length, b.count >= 2 else { return 0 }
        if length > 0 { found(.packet(b.from(2).first(length), wireLength: length)) }
        return 2 + length
      case .interleaved:
        if b.byte(0) == 0x24 {
          let length = Int(b.short(2))
          guard b.count >= 4 + length else { return 0 }
          found(.packet(b.from(4).first(length), wireLength: length))
          return 4 + length
        }
        guard let head = headEnd(b) else { return b.count > 16_384 ? b.count : 0 }
        let total = head + bodyLength(b.first(head))
        return b.count >= total ? total : 0
      case .sip:
        if isLineEnd(b) { return 1 }
        guard let head = headEnd(b) else { return b.count > 32_768 ? lost(b) : 0 }
        guard let sip = SIPMessage(b) else { return lost(b) }
        let length = max(0, sip.contentLength ?? 0)
        let total = head + min(length, TCPReader.longestSIPBody)
        guard b.count >= total else { return 0 }
        passing = length - min(length, TCPReader.longestSIPBody)
        found(.sip(sip, body: b.first(total).from(head)))
        return total
      case .http:
        guard let head = headEnd(b) else { return b.count > 16_384 ? lost(b) : 0 }
        guard b.first(head).text().lowercased().contains("upgrade: websocket") else { return lost(b) }
        framing = .webSocket
        return head
      case .webSocket: return WebSocket.step(b, &message, found)
      }
    }

    /// Takes the start of a message that was truncated by the snaplen.
    mutating func takeCut(_ b: Octets, _ found: (Found) -> Void) {
      switch framing {
      case .sip:
        guard let sip = SIPMessage(b, isCut: true) else { return }
        found(.sip(sip, body: b.from(sip.bodyAt)))
      case .turn, .framed, .interleaved:
        guard let whole = FrameSearch.length(framing, b) else { return }
        if framing == .turn, STUNMessage.isLikely(b) { return found(.packet(b, wireLength: whole)) }
        let head = framing == .framed ? 2 : 4
        let length = framing == .turn ? Int(b.short(2)) : whole - head
        found(.packet(b.from(head), wireLength: length))
      case .unknown, .http, .webSocket, .other: break
      }
    }

    private mutating func lost(_ b: Octets) -> Int {
      framing = .other
      return b.count
    }

    private mutating func turn(_ b: Octets, _ found: (Found) -> Void) -> Int {
      guard b.count >= 4 else { return 0 }
      let length: Int
      if b.byte(0) < 4 {
        length = 20 + Int(b.short(2))
        if b.count >= 8 && !STUNMessage.isLikely(b) { return lost(b) }
      } else if b.byte(0) & 0xF0 == 0x40 {
        length = 4 + (Int(b.short(2)) + 3) & ~3
      } else {
        return lost(b)
      }
      guard b.count >= length else { return 0 }
      found(.packet(b.first(length), wireLength: length))
      return length
    }
  }

  private static func isLineEnd(_ b: Octets) -> Bool { b.byte(0) == 13 || b.byte(0) == 10 }

  /// The end of the head of a text message, including the empty line.
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
