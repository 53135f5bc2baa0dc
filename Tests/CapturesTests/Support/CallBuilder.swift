/// The messages of a call's setup, for tests.
enum CallBuilder {
  typealias C = CaptureBuilder

  /// A STUN message with its attributes; `type` as on the wire.
  static func stun(_ type: Int, id: UInt8, _ attributes: [(Int, [UInt8])] = []) -> [UInt8] {
    var body: [UInt8] = []
    for (code, value) in attributes {
      body +=
        C.be16(code) + C.be16(value.count) + value + [UInt8](repeating: 0, count: (4 - value.count & 3) & 3)
    }
    return C.be16(type) + C.be16(body.count) + C.be32(0x2112_A442) + [UInt8](repeating: id, count: 12) + body
  }

  /// A connectivity check of an offerer, or of the other end.
  static func check(id: UInt8, username: String, controlling: Bool, nominate: Bool = false) -> [UInt8] {
    var attributes: [(Int, [UInt8])] = [
      (0x0006, Array(username.utf8)), (0x0024, [1, 2, 3, 4]),
      (controlling ? 0x802A : 0x8029, [0, 0, 0, 0, 0, 0, 0, 1]),
    ]
    if nominate { attributes.append((0x0025, [])) }
    return stun(0x0001, id: id, attributes)
  }

  /// A DTLS record: handshake messages in the clear (epoch 0) or hidden (epoch 1).
  static func dtls(_ handshake: UInt8, message: Int = 0, epoch: Int = 0, record: Int = 0, size: Int = 60)
    -> [UInt8]
  {
    let body: [UInt8] =
      [handshake, 0] + C.be16(size) + C.be16(message) + [0, 0, 0, 0] + C.be16(size)
      + [UInt8](repeating: 9, count: size)
    return [22, 0xFE, 0xFD] + C.be16(epoch) + C.be16(0) + C.be32(record) + C.be16(body.count) + body
  }

  static func sip(
    _ first: String, _ cseq: String, body: String = "", extra: String = "", call: String = "call-1",
    toTag: String = "", content: String = "application/sdp"
  ) -> [UInt8] {
    let type = body.isEmpty ? "" : "Content-Type: \(content)\r\n"
    return Array(
      """
      \(first)\r
      Call-ID: \(call)@example.org\r
      From: <sip:alice@example.org>;tag=1\r
      To: <sip:bob@example.org>\(toTag.isEmpty ? "" : ";tag=\(toTag)")\r
      CSeq: \(cseq)\r
      \(extra)\(type)Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """.utf8)
  }

  static func sdp(_ address: String, _ port: Int) -> String {
    "v=0\r\no=- 1 1 IN IP4 \(address)\r\ns=-\r\nc=IN IP4 \(address)\r\nt=0 0\r\nm=audio \(port) RTP/AVP 98\r\n"
      + "a=rtpmap:98 opus/48000/2\r\na=fmtp:98 useinbandfec=1\r\n"
  }

  /// A WebRTC call from A to B with one ClientHello lost, captured at A.
  static func webRTC() -> CaptureBuilder {
    var b = CaptureBuilder()
    b.addUDP(check(id: 1, username: "bbbb:aaaa", controlling: true), atMs: 0)
    b.addUDP(stun(0x0101, id: 1), atMs: 80, back: true)
    b.addUDP(check(id: 2, username: "aaaa:bbbb", controlling: false), atMs: 90, back: true)
    b.addUDP(stun(0x0101, id: 2), atMs: 90.3)
    b.addUDP(check(id: 3, username: "bbbb:aaaa", controlling: true, nominate: true), atMs: 100)
    b.addUDP(stun(0x0101, id: 3), atMs: 180, back: true)
    b.addUDP(dtls(1, record: 0), atMs: 190)
    b.addUDP(dtls(1, record: 1), atMs: 1190)
    b.addUDP(dtls(2) + dtls(11, message: 1) + dtls(14, message: 2), atMs: 1270, back: true)
    b.addUDP(dtls(16, message: 1) + dtls(20, message: 2, epoch: 1), atMs: 1271)
    b.addUDP(dtls(20, message: 3, epoch: 1), atMs: 1351, back: true)
    for n in 0..<300 {
      let ms = 1360 + 20 * Double(n)
      b.addUDP(C.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 1, payload: 80), atMs: ms)
      b.addUDP(
        C.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 2, payload: 80), atMs: ms + 5, back: true)
    }
    return b
  }

  /// A SIP call from A to B, its signalling beside its media.
  static func sipCall() -> CaptureBuilder {
    var b = CaptureBuilder()
    func at(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      b.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back)
    }
    at(0, sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: sdp("192.0.2.10", 40_000)))
    at(500, sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: sdp("192.0.2.10", 40_000)))
    at(520, sip("SIP/2.0 100 Trying", "1 INVITE"), back: true)
    at(700, sip("SIP/2.0 180 Ringing", "1 INVITE"), back: true)
    at(3000, sip("SIP/2.0 200 OK", "1 INVITE", body: sdp("198.51.100.20", 50_000)), back: true)
    at(3050, sip("ACK sip:bob@example.org SIP/2.0", "1 ACK"))
    for n in 0..<50 {
      b.addUDP(
        C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 7, payload: 60), atMs: 3060 + 20 * Double(n))
    }
    at(4200, sip("BYE sip:bob@example.org SIP/2.0", "2 BYE", extra: "Reason: Q.850;cause=16\r\n"))
    return b
  }
}
