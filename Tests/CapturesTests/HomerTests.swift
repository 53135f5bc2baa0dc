import CallModel
import Testing

@testable import Captures

@Suite("SIP that a capture agent copied (HEP)")
struct HomerTests {
  private typealias C = CaptureBuilder

  private func chunk(_ type: Int, _ value: [UInt8], vendor: Int = 0) -> [UInt8] {
    C.be16(vendor) + C.be16(type) + C.be16(6 + value.count) + value
  }

  /// A message from A to B, or back, as a collector gets it.
  private func copy(_ message: [UInt8], back: Bool, version: UInt8, type: UInt8 = 1) -> [UInt8] {
    let (from, to) = back ? (C.b, C.a) : (C.a, C.b)
    if version < 3 {
      let time: [UInt8] = version == 2 ? [UInt8](repeating: 7, count: 12) : []
      return [version, UInt8(16 + time.count), 2, 17] + C.be16(5060) + C.be16(5060) + from + to + time
        + message
    }
    let chunks =
      chunk(1, [2]) + chunk(2, [17]) + chunk(3, from) + chunk(4, to) + chunk(7, C.be16(5060))
      + chunk(8, C.be16(5060)) + chunk(11, [type]) + chunk(32, [1, 2, 3], vendor: 9) + chunk(15, message)
    return Array("HEP3".utf8) + C.be16(6 + chunks.count) + chunks
  }

  /// A call that stands for a minute, copied by an agent on a third host, and seen itself as well.
  private func call(version: UInt8, type: UInt8 = 1, alsoDirect: Bool = false) throws -> Recorder {
    var b = C()
    func send(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      if alsoDirect { b.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back) }
      let datagram = C.udp(copy(message, back: back, version: version, type: type), from: 40_000, to: 9060)
      b.add(b.ip(datagram, proto: 17, from: [10, 0, 0, 5], to: [10, 0, 0, 9]), atMs: ms + 8)
    }
    send(0, CallBuilder.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE"))
    send(900, CallBuilder.sip("SIP/2.0 200 OK", "1 INVITE", toTag: "2"), back: true)
    send(950, CallBuilder.sip("ACK sip:bob@example.org SIP/2.0", "1 ACK", toTag: "2"))
    send(60_000, CallBuilder.sip("BYE sip:bob@example.org SIP/2.0", "2 BYE", toTag: "2"))
    return try Recorder.read(b.pcap())
  }

  @Test("it is a call between the hosts that it passed between", arguments: [1, 2, 3] as [UInt8])
  func versions(version: UInt8) throws {
    let read = try call(version: version)
    #expect(read.events.filter { $0.event == "call.ended" }.count == 2)
    let addresses = Set(
      read.connections.values.flatMap { $0.identities.filter { $0.kind == .addressLocal }.map(\.value) })
    #expect(addresses == ["192.0.2.10:5060", "198.51.100.20:5060"])
  }

  @Test("what was captured itself as well was not sent again")
  func twice() throws {
    let read = try call(version: 3, alsoDirect: true)
    #expect(read.events.allSatisfy { $0.anomaly == nil })
    #expect(read.events.filter { $0.event == "call.established" }.count == 2)
  }

  @Test("documents about a call are none of its packets, and lengths that lie are no HEP")
  func others() throws {
    #expect(try call(version: 3, type: 100).events.isEmpty)
    var b = C()
    for length in [0, 5, 6, 65_535] {
      let datagram: [UInt8] = Array("HEP3".utf8) + C.be16(26) + C.be16(0) + C.be16(15) + C.be16(length)
      b.addUDP(datagram + [UInt8](repeating: 9, count: 14), atMs: 1, to: 9060)
    }
    #expect(try Recorder.read(b.pcap()).events.isEmpty)
  }
}
