/// A TCP connection for tests: A sends, B acknowledges, and some segments are not captured.
struct ConnectionBuilder {
  typealias C = CaptureBuilder

  var builder = C()
  /// Numbers of A's segments, counted from 0, that the capture misses.
  var missing: Set<Int> = []
  /// Whether B's acknowledgements are in the capture.
  var acknowledges = true
  var port = 5060
  private var sequences = [1000, 9000]
  private var segments = 0

  /// Bytes in segments of at most so many.
  mutating func send(_ bytes: [UInt8], atMs: Double, byB: Bool = false, mss: Int = 1400, flags: UInt8 = 0x18)
  {
    for start in stride(from: 0, to: max(1, bytes.count), by: mss) {
      let piece = Array(bytes[start..<min(bytes.count, start + mss)])
      let isMissing = !byB && missing.contains(segments)
      if !byB { segments += 1 }
      if !isMissing { add(piece, byB: byB, atMs, flags) }
      // A SYN takes a number of its own.
      sequences[byB ? 1 : 0] += piece.count + (flags & 2 != 0 ? 1 : 0)
      if acknowledges { add([], byB: !byB, atMs + 0.1, 0x10) }
    }
  }

  private mutating func add(_ bytes: [UInt8], byB: Bool, _ atMs: Double, _ flags: UInt8) {
    let number = acknowledges ? sequences[byB ? 0 : 1] : 0
    let segment = C.tcp(
      bytes, from: byB ? port : 40_100, to: byB ? 40_100 : port, sequence: sequences[byB ? 1 : 0],
      acknowledged: number, flags: acknowledges ? flags : flags & ~0x10)
    builder.add(
      builder.ip(segment, proto: 6, from: byB ? C.b : C.a, to: byB ? C.a : C.b), atMs: atMs)
  }

  /// A call of so many seconds over the connection: INVITE, 180, 200, ACK, BYE.
  mutating func call(_ name: String, atMs start: Double, seconds: Double) {
    func message(_ first: String, _ sequence: String, tag: String = "2") -> [UInt8] {
      CallBuilder.sip(first, sequence, call: name, toTag: tag)
    }
    send(message("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", tag: ""), atMs: start)
    send(message("SIP/2.0 180 Ringing", "1 INVITE"), atMs: start + 100, byB: true)
    send(message("SIP/2.0 200 OK", "1 INVITE"), atMs: start + 2000, byB: true)
    send(message("ACK sip:bob@example.org SIP/2.0", "1 ACK"), atMs: start + 2030)
    send(message("BYE sip:bob@example.org SIP/2.0", "2 BYE"), atMs: start + 2030 + 1000 * seconds)
  }
}
