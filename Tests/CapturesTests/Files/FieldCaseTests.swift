import CallModel
import Testing

@Suite("Captures from the field, made anew")
struct FieldCaseTests {
  typealias C = CaptureBuilder

  @Test("application data of DTLS alone is no call, and that is said")
  func dataOfDTLS() throws {
    var b = C()
    for n in 0..<5 {
      var record: [UInt8] = [23, 0xFE, 0xFD, 0, 1, 0, 0, 0, 0, 0, UInt8(n), 0, 40]
      record += [UInt8](repeating: 7, count: 40)
      b.addUDP(record, atMs: 20 * Double(n), back: n % 2 == 1)
    }
    let read = try Recorder.read(b.pcap())
    #expect(read.connections.isEmpty)
    #expect(read.notes.contains { $0.hasPrefix("no call in 5 packets") }, "\(read.notes)")
  }

  /// Packets of one stream, 20 ms apart, from A to a port of a host.
  private func voice(_ b: inout C, ssrc: Int, first: Int, _ times: Range<Int>, to host: [UInt8], port: Int) {
    for n in times {
      let rtp = C.rtp(type: 120, sequence: first + n, timestamp: 320 * n, ssrc: ssrc, payload: 60)
      b.add(
        b.ip(C.udp(rtp, from: 40_000, to: port), proto: 17, to: host),
        atMs: 20 * Double(n) + Double(first % 7))
    }
  }

  @Test("a stream that begins where others went on from a relay to the direct way is of their call")
  func relayToDirect() throws {
    var b = C()
    let (relay, peer): ([UInt8], [UInt8]) = ([203, 0, 113, 9], [198, 51, 100, 20])
    voice(&b, ssrc: 0x5EC0_1234, first: 100, 0..<300, to: relay, port: 3478)
    voice(&b, ssrc: 0x5EC0_1234, first: 100, 300..<600, to: peer, port: 51_000)
    voice(&b, ssrc: 0x7BDF_4321, first: 900, 320..<600, to: peer, port: 51_000)
    b.frames.sort { $0.timeUs < $1.timeUs }
    let read = try Recorder.read(b.pcap())
    #expect(Set(read.facts.values.compactMap(\.ssrc)) == [0x5EC0_1234, 0x7BDF_4321])
    #expect(Set(read.connectionOfStream.values).count == 1, "\(read.connectionOfStream)")
  }

  /// INVITE, 407, and another INVITE so long after, which is refused.
  private func challenged(waitingMs wait: Double) throws -> Recorder {
    var b = C()
    func at(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      b.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back)
    }
    func via(_ branch: String) -> String { "Via: SIP/2.0/UDP 192.0.2.10;branch=z9hG4bK\(branch)\r\n" }
    let invite = "INVITE sip:bob@example.org SIP/2.0"
    at(0, CallBuilder.sip(invite, "1 INVITE", extra: via("a")))
    at(
      150,
      CallBuilder.sip("SIP/2.0 407 Proxy Authentication Required", "1 INVITE", extra: via("a"), toTag: "x"),
      back: true)
    at(160, CallBuilder.sip("ACK sip:bob@example.org SIP/2.0", "1 ACK", extra: via("a"), toTag: "x"))
    at(160 + wait, CallBuilder.sip(invite, "2 INVITE", extra: via("b")))
    at(
      360 + wait, CallBuilder.sip("SIP/2.0 403 Forbidden", "2 INVITE", extra: via("b"), toTag: "y"),
      back: true)
    return try Recorder.read(b.pcap(), name: "caller.pcap")
  }

  @Test("a person's wait for credentials is no part of the setup, a program's is", arguments: [50_000.0, 30])
  func credentials(waitingMs: Double) throws {
    let read = try challenged(waitingMs: waitingMs)
    let sent = read.events.filter { $0.event == .callRequestSent }
    let first = try #require(sent.first)
    #expect(sent.count == 1)
    #expect(first.argument("cseq") == (waitingMs > 2000 ? "2 INVITE" : "1 INVITE"))
    #expect(first.argument("waited_for_credentials_ms") == (waitingMs > 2000 ? "50010" : nil))
  }
}
