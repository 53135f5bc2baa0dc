import CallModel
import Testing

@testable import Captures

@Suite("What SDP says that a stream carries")
struct DescribedMediaTests {
  typealias C = CaptureBuilder

  @Test(
    "text and control are neither heard nor seen: nothing plays them",
    arguments: [("text", "t140/1000", 1), ("application", "H224/4800", 5)])
  func data(kind: String, map: String, ticks: Int) throws {
    var b = C()
    func sdp(_ address: String, _ port: Int) -> String {
      CallBuilder.sdp(address, port) + "m=\(kind) \(port + 2) RTP/AVP 100\r\na=rtpmap:100 \(map)\r\n"
    }
    b.addUDP(
      CallBuilder.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: sdp("192.0.2.10", 40_000)),
      atMs: 0, from: 5060, to: 5060)
    b.addUDP(
      CallBuilder.sip("SIP/2.0 200 OK", "1 INVITE", body: sdp("198.51.100.20", 50_000)), atMs: 10, from: 5060,
      to: 5060, back: true)
    for n in 0..<150 {
      let voice = C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 1, payload: 60)
      b.addUDP(voice, atMs: 20 + 20 * Double(n))
      guard n % 30 == 0 else { continue }
      let data = C.rtp(type: 100, sequence: n / 30, timestamp: 20 * ticks * n, ssrc: 2, payload: 2)
      b.addUDP(data, atMs: 21 + 20 * Double(n), from: 40_002, to: 50_002)
    }
    let read = try Recorder.read(b.pcap())
    let (stream, facts) = try #require(read.facts.first { $0.value.ssrc == 2 })
    #expect(facts.kind == nil && facts.codec == map.split(separator: "/").first.map(String.init))
    #expect(read.samples[stream] == nil)
    #expect(read.totals[stream]?.packets == 5)
    #expect(read.totals[stream]?.extra?.contains("\"role\":\"data\"") == true)
    #expect(read.facts.values.contains { $0.ssrc == 1 && $0.kind == .audio })
  }
}
