import CallModel
import Testing

@testable import Captures

@Suite("Events of a capture name the frame they rest on")
struct FrameNumberTests {
  private typealias C = CaptureBuilder
  private typealias S = CallBuilder

  @Test("an answer, a hang-up and the first packet of a stream stand in their own frames, amid running media")
  func numbers() throws {
    var b = C()
    func signal(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      b.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back)
    }
    signal(0, S.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: S.sdp("192.0.2.10", 40_000)))
    signal(
      2900, S.sip("SIP/2.0 200 OK", "1 INVITE", body: S.sdp("198.51.100.20", 50_000), toTag: "2"), back: true)
    signal(3000, S.sip("ACK sip:bob@example.org SIP/2.0", "1 ACK", toTag: "2"))
    for n in 0..<100 {
      b.addUDP(
        C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 7, payload: 60), atMs: 3100 + 20 * Double(n))
    }
    signal(6000, S.sip("BYE sip:bob@example.org SIP/2.0", "2 BYE", toTag: "2"))
    let events = try Recorder.read(b.pcap()).events
    func frames(_ name: EventName) -> Set<Int?> { Set(events.filter { $0.event == name }.map(\.line)) }
    #expect(frames(.callAnswered) == [2], "\(events.map { ($0.event, $0.line) })")
    #expect(frames(.mediaFirstPacket) == [4])
    #expect(frames(.callEnded) == [104])
  }

  @Test("of a capture with more frames than are kept the first keep their numbers")
  func bounded() {
    let frames = FrameNumbers()
    for number in 1...FrameNumbers.most + 10 { frames.add(number, at: Int64(number) * 1000) }
    #expect(frames.number(at: 1000) == 1)
    #expect(frames.number(at: Int64(FrameNumbers.most + 5) * 1000) == nil)
    frames.add(7, at: 1000)
    #expect(frames.number(at: 1000) == 1, "of several at one instant the first counts")
  }
}
