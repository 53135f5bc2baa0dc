/// WebSocket frames (RFC 6455) with SIP inside (RFC 7118).
enum WebSocket {
  private static let longest = 1 << 18

  /// Takes one frame; answers the bytes used, 0 where it is not whole yet.
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

  /// Whether a frame begins here that begins a SIP message, whole or not.
  static func holdsSIP(_ b: Octets) -> Bool {
    guard b.byte(0) == 0x81 || b.byte(0) == 0x82 else { return false }
    let isMasked = b.byte(1) & 0x80 != 0
    let short = Int(b.byte(1) & 0x7F)
    let extra = short == 126 ? 2 : short == 127 ? 8 : 0
    let length = extra == 0 ? short : extra == 2 ? Int(b.short(2)) : Int(clamping: b.long(2))
    // Nothing shorter is a SIP message.
    guard length >= 64, length <= longest else { return false }
    let key = b.from(2 + extra)
    let payload = isMasked ? key.from(4) : key
    let longestWord = 10
    let start = (0..<longestWord).map { payload.byte($0) ^ (isMasked ? key.byte($0 & 3) : 0) }
    return start.withUnsafeBytes { all in
      all.baseAddress.map { SIPMessage.isLikely(Octets($0, count: all.count)) } ?? false
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
