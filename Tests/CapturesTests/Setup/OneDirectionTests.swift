import CallModel
import Testing

@Suite("A PeerConnection of which one direction was captured")
struct OneDirectionTests {
  private typealias B = CallBuilder

  /// A call that maintains consent and ends with an alert of A, as seen in both directions.
  private func call() -> CaptureBuilder {
    var call = B.webRTC()
    for n in 0..<3 {
      let (ms, id) = (1500 + 2500 * Double(n), UInt8(10 + 2 * n))
      call.addUDP(B.check(id: id, username: "bbbb:aaaa", controlling: true), atMs: ms)
      call.addUDP(B.stun(0x0101, id: id), atMs: ms + 80, back: true)
      call.addUDP(B.check(id: id + 1, username: "aaaa:bbbb", controlling: false), atMs: ms + 90, back: true)
      call.addUDP(B.stun(0x0101, id: id + 1), atMs: ms + 91)
    }
    for n in 300..<600 {
      call.addUDP(
        CaptureBuilder.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 1, payload: 80),
        atMs: 1360 + 20 * Double(n))
      call.addUDP(
        CaptureBuilder.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 2, payload: 80),
        atMs: 1365 + 20 * Double(n), back: true)
    }
    let alert = [21, 0xFE, 0xFD, 0, 1, 0, 0, 0, 0, 0, 9, 0, 26] + [UInt8](repeating: 7, count: 26)
    call.addUDP(alert, atMs: 13_400)
    call.addUDP(alert, atMs: 13_420, back: true)
    call.frames.sort { $0.timeUs < $1.timeUs }
    return call
  }

  private func isFromA(_ frame: CaptureBuilder.Frame) -> Bool {
    Array(frame.bytes[26..<30]) == CaptureBuilder.a
  }

  private let failures: Set<EventName> = [.iceFailed, .iceDisconnected, .dtlsFailed, .callFailed]

  @Test("nothing is concluded from answers that are not in it", arguments: [true, false])
  func neitherFailsNorBreaks(fromA: Bool) throws {
    var half = call()
    half.frames.removeAll { isFromA($0) != fromA }
    let events = try Recorder.read(half.pcap(), name: "tap.pcap").events
    #expect(events.filter { failures.contains($0.event) }.isEmpty, "\(events.map(\.event))")
    for event in [EventName.iceConnected, .dtlsConnected] {
      #expect(events.contains { $0.event == event && $0.timeMs == nil }, "when is not known")
    }
    #expect(events.contains { $0.event == .callEnded })
    #expect(events.contains { $0.raw == "capture.one-direction" })
  }

  @Test("both directions show how it came up, and that it was hung up")
  func both() throws {
    let events = try Recorder.read(call().pcap(), name: "tap.pcap").events
    #expect(events.filter { failures.contains($0.event) }.isEmpty)
    #expect(events.contains { $0.event == .dtlsConnected } && events.contains { $0.event == .callEnded })
    #expect(!events.contains { $0.raw == "capture.one-direction" })
  }

  @Test("checks of an end that neither answers nor sends are unanswered, and ICE failed")
  func neverAnswered() throws {
    var alone = CaptureBuilder()
    for n in 0..<30 {
      alone.addUDP(
        B.check(id: UInt8(10 + n), username: "bbbb:aaaa", controlling: true), atMs: 500 * Double(n))
    }
    let events = try Recorder.read(alone.pcap(), name: "tap.pcap").events
    #expect(events.contains { $0.event == .iceFailed } && !events.contains { $0.event == .iceConnected })
  }
}
