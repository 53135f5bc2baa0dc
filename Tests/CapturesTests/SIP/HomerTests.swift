import CallModel
import Testing

@testable import Packets

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
    #expect(read.events.filter { $0.event == .callEnded }.count == 2)
    let addresses = Set(
      read.connections.values.flatMap { $0.identities.filter { $0.kind == .addressLocal }.map(\.value) })
    #expect(addresses == ["192.0.2.10:5060", "198.51.100.20:5060"])
  }

  @Test("what was captured itself as well was not sent again")
  func twice() throws {
    let read = try call(version: 3, alsoDirect: true)
    #expect(read.events.allSatisfy { $0.anomaly == nil })
    #expect(read.events.filter { $0.event == .callEstablished }.count == 2)
  }

  @Test(
    "RTCP that an agent wrote down as JSON is what the packet itself would be, numbers in quotes or not",
    arguments: [false, true])
  func writtenDown(quoted: Bool) throws {
    let number = { (value: Int) in quoted ? "\"\(value)\"" : "\(value)" }
    let json =
      """
      {"sender_information":{"ntp_timestamp_sec":\(number(3_900_000_000)),"ntp_timestamp_usec":\(number(500_000)),
      "rtp_timestamp":32000,"packets":200,"octets":32000},"ssrc":\(number(0x5566_7788)),"type":200,"report_count":1,
      "report_blocks":[{"source_ssrc":\(number(0x1122_3344)),"fraction_lost":26,"packets_lost":-2,"highest_seq_no":5000,
      "ia_jitter":80,"lsr":7,"dlsr":9}],"sdes_ssrc":1432778632,
      "report_blocks_xr":{"type":7,"id":\(number(0x1122_3344)),"fraction_lost":26,"fraction_discard":13,"burst_density":10,
      "gap_density":2,"burst_duration":40,"gap_duration":400,"round_trip_delay":150,"end_system_delay":60}}
      """
    let packet =
      [0x81, 200] + C.be16(12) + C.be32(0x5566_7788) + C.be32(3_900_000_000) + C.be32(0x8000_0000)
      + C.be32(32_000)
      + C.be32(200) + C.be32(32_000) + C.be32(0x1122_3344) + [26, 0xFF, 0xFF, 0xFE] + C.be32(5000)
      + C.be32(80)
      + C.be32(7) + C.be32(9) + [0x80, 207] + C.be16(10) + C.be32(0x5566_7788) + [7, 0] + C.be16(8)
      + C.be32(0x1122_3344) + [26, 13, 10, 2] + C.be16(40) + C.be16(400) + C.be16(150) + C.be16(60)
      + [UInt8](repeating: 127, count: 8) + [0, 0] + [UInt8](repeating: 0, count: 6)
    #expect(bytes(of: json) == packet)
  }

  @Test(
    "what is no such object is no packet",
    arguments: [
      "{", "{}", "[]", #"{"ssrc":1}"#, #"{"ssrc":"x","report_blocks":[{}]}"#,
      #"{"ssrc":1,"report_blocks":[1,"a",null]}"#,
      #"{"report_blocks":{}}"#,
    ])
  func noDocument(json: String) { #expect(bytes(of: json) == nil) }

  @Test("a document of too many blocks, or of numbers that no packet can hold, does no harm")
  func hostileDocument() {
    let blocks = [String](repeating: #"{"source_ssrc":1e300,"packets_lost":-1e300,"lsr":-5}"#, count: 500)
    let packet = bytes(of: #"{"ssrc":1e99,"report_blocks":["# + blocks.joined(separator: ",") + "]}")
    #expect(packet?.count == 8 + 31 * 24)
    #expect(packet.map { Array($0.prefix(2)) } == [0x80 | 31, 201])
  }

  private func bytes(of json: String) -> [UInt8]? {
    let document = RTCPDocument()
    return Array(json.utf8).withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let packet = document.packet(of: Octets(base, count: bytes.count))
      else {
        return nil
      }
      return (0..<packet.count).map { packet.byte($0) }
    }
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
