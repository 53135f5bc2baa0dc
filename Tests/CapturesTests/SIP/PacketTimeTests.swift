import CallModel
import Testing

@Suite("The packet time that SDP asks for is held against the packets")
struct PacketTimeTests {
  private typealias C = CaptureBuilder
  private typealias S = CallBuilder

  /// A call whose callee asks for `asked`, and is sent packets of G.711 with `lengthMs` of sound.
  private func finding(asked: String, lengthMs: Int) throws -> EventRecord? {
    var b = C()
    func signal(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      b.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back)
    }
    let lines = "m=audio %PORT RTP/AVP 0\r\n" + asked
    func sdp(_ address: String, _ port: Int) -> String {
      "v=0\r\no=- 1 1 IN IP4 \(address)\r\ns=-\r\nc=IN IP4 \(address)\r\nt=0 0\r\n"
        + lines.replacing("%PORT", with: "\(port)")
    }
    signal(0, S.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: sdp("192.0.2.10", 40_000)))
    signal(
      900, S.sip("SIP/2.0 200 OK", "1 INVITE", body: sdp("198.51.100.20", 50_000), toTag: "2"), back: true)
    signal(1000, S.sip("ACK sip:bob@example.org SIP/2.0", "1 ACK", toTag: "2"))
    for n in 0..<200 {
      b.addUDP(
        C.rtp(type: 0, sequence: n, timestamp: 8 * lengthMs * n, ssrc: 7, payload: 8 * lengthMs),
        atMs: 1100 + Double(lengthMs * n))
    }
    return try Recorder.read(b.pcap()).events.first { $0.raw == "capture.packet-time" }
  }

  @Test("packets as long as asked for, and where nothing was asked for, are nothing to tell of")
  func asAsked() throws {
    #expect(try finding(asked: "a=ptime:20\r\n", lengthMs: 20) == nil)
    #expect(try finding(asked: "", lengthMs: 60) == nil)
    #expect(try finding(asked: "a=ptime:abc\r\na=maxptime:-4\r\n", lengthMs: 60) == nil)
    #expect(try finding(asked: "a=maxptime:60\r\n", lengthMs: 60) == nil)
  }

  @Test("longer and shorter ones are reported with both figures")
  func notAsAsked() throws {
    let long = try #require(try finding(asked: "a=ptime:20\r\na=maxptime:40\r\n", lengthMs: 60))
    #expect(long.argument("packet_ms") == "60" && long.argument("agreed_ms") == "20")
    #expect(long.argument("longest_ms") == "40")
    #expect(try finding(asked: "a=ptime:60\r\n", lengthMs: 20)?.argument("packet_ms") == "20")
  }
}
