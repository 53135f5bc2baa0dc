import CallModel
import Testing

/// A host that answers media with the ICMP error for a port that nobody listens at (RFC 792, RFC 4443).
@Suite("Media sent to a closed port")
struct ClosedPortTests {
  typealias C = CaptureBuilder

  /// A call of a browser of which one end closes its port at 4 s, while the other sends on until 9 s and is told so each time.
  private func call(closedByB: Bool, isV6: Bool, reopens: Bool = false) throws -> (
    read: Recorder, startMs: Double
  ) {
    var b = CallBuilder.webRTC()
    b.linkType = 101
    b.frames = b.frames.prefix(11).map {
      var frame = $0
      frame.bytes.removeFirst(14)
      return frame
    }
    for n in 0..<450 {
      let ms = 1400 + 20 * Double(n)
      for byB in [false, true] {
        let isCloser = byB == closedByB
        let isGone = ms > 4000 && !(reopens && ms > 6000)
        if isCloser && isGone { continue }
        let rtp = C.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: byB ? 2 : 1, payload: 80)
        b.addUDP(rtp, atMs: ms, back: byB)
        guard !isCloser, isGone else { continue }
        let sent = try #require(b.frames.last).bytes
        let (closer, other) = closedByB ? (C.b, C.a) : (C.a, C.b)
        b.add(b.ip([3, 3, 0, 0, 0, 0, 0, 0] + sent, proto: 1, from: closer, to: other), atMs: ms + 1)
      }
    }
    b.addUDP(
      [21, 0xFE, 0xFD, 0, 1, 0, 0, 0, 0, 0, 9, 0, 20] + [UInt8](repeating: 3, count: 20), atMs: 10_400,
      back: !closedByB)
    if isV6 { b.frames = b.frames.map(Self.v6) }
    return (try Recorder.read(b.pcap(), name: "caller.pcap"), Double(b.startUs) / 1000)
  }

  /// The same packet by IPv6, quoted ones included.
  private static func v6(_ frame: C.Frame) -> C.Frame {
    var frame = frame
    frame.bytes = packet(frame.bytes)
    frame.wireLength = frame.bytes.count
    return frame
  }

  private static func packet(_ v4: [UInt8]) -> [UInt8] {
    func address(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 8) + bytes
    }
    var (next, body) = (v4[9], Array(v4[20...]))
    if next == 1 { (next, body) = (58, [1, 4, 0, 0, 0, 0, 0, 0] + packet(Array(body[8...]))) }
    return [0x60, 0, 0, 0] + C.be16(body.count) + [next, 64] + address(v4[12..<16]) + address(v4[16..<20])
      + body
  }

  /// When the last sample of what the closed end was sent is taken, ms of the call.
  private func heardUntil(_ call: (read: Recorder, startMs: Double), closedByB: Bool) throws -> Double {
    let ssrc: UInt32 = closedByB ? 1 : 2
    let key = try #require(call.read.facts.first { $0.value.ssrc == ssrc }?.key)
    return try #require(call.read.samples[key]?.last?.timeMs) - call.startMs
  }

  @Test(
    "is heard by nobody from then on, whichever end closed it", arguments: [true, false], [true, false])
  func closed(closedByB: Bool, isV6: Bool) throws {
    let call = try call(closedByB: closedByB, isV6: isV6)
    // The host answers: the network works.
    #expect(!call.read.events.contains { $0.event == .networkUnavailable })
    #expect(call.read.streams.count == 2)
    let until = try heardUntil(call, closedByB: closedByB)
    #expect((3900...4100).contains(until), "\(until)")
    // Who closed it went away without a word, long before the other hung up.
    #expect(call.read.events.contains { $0.event == .iceDisconnected })
  }

  @Test("is heard again once that end sends again")
  func reopened() throws {
    let call = try call(closedByB: true, isV6: false, reopens: true)
    #expect(try heardUntil(call, closedByB: true) > 9900)
    #expect(!call.read.events.contains { $0.event == .iceDisconnected })
  }
}
