import Bytes
import CallModel
import Testing

@testable import Captures

@Suite("What a sender reports of sound that does not come")
struct SenderReportTests {
  typealias C = CaptureBuilder

  /// A sender report in the clear with the count of its packets, and a block on A's sound.
  private func report(_ ssrc: Int, sent: Int) -> [UInt8] {
    var report: [UInt8] = [0x81, 200]
    report += C.be16(12)
    for word in [ssrc, 1, 2, 3, sent, 0, 7, 0, 0, 0, 0, 0] { report += C.be32(word) }
    return report
  }

  /// A call in which B is heard up to a moment, and reports every five seconds how much it sent.
  private func call(heardUntil end: Double, sent: (Double) -> Int) throws -> Recorder {
    var call = TalkBuilder()
    call.talk(from: 1060, to: 40_000, byB: false)
    if end > 1060 { call.talk(from: 1060, to: end, byB: true) }
    for ms in stride(from: 5000.0, through: 40_000, by: 5000) {
      call.builder.addUDP(report(8, sent: sent(ms)), atMs: ms, from: 40_001, to: 50_001, back: true)
    }
    call.request(40_000, "BYE", 2)
    return try call.read()
  }

  /// How many packets B has sent by a moment of its talk, which began at 1060 ms.
  private func talked(by ms: Double) -> Int {
    let lasted: Double = ms - 1060
    return Int(lasted / 20)
  }

  private func firstEvent(_ read: Recorder, _ what: String) -> EventRecord? {
    read.events.first { $0.raw == what }
  }

  @Test("what it counts after the last packet that came was lost")
  func lostAtEnd() throws {
    let read = try call(heardUntil: 30_010) { talked(by: $0) }
    let event = try #require(firstEvent(read, "capture.sent-after"))
    let packets = try #require(event.argument("sent_packets").flatMap { Int($0) })
    #expect((470...520).contains(packets), "\(packets)")
    #expect(firstEvent(read, "capture.unheard") == nil)
  }

  @Test("what it does not count was not sent")
  func notSent() throws {
    let read = try call(heardUntil: 30_010) { talked(by: min($0, 30_010)) }
    let packets = try #require(
      firstEvent(read, "capture.sent-after")?.argument("sent_packets").flatMap { Int($0) })
    #expect(packets < 5, "\(packets)")
  }

  @Test("of a stream that never came its count is the proof", arguments: [1900, 0])
  func neverCame(sent: Int) throws {
    let read = try call(heardUntil: 0) { _ in sent }
    let event = try #require(firstEvent(read, "capture.unheard"))
    #expect(event.argument("sent_packets") == "\(sent)")
  }

  @Test(
    "a report without a block is known by the port that is described for reports",
    arguments: ["", "a=rtcp:40007\r\n"])
  func withoutBlock(described: String) throws {
    var call = TalkBuilder()
    call.builder.frames = []
    call.request(0, "INVITE", 1, body: CallBuilder.sdp("192.0.2.10", 40_000) + described, toTag: "")
    call.answer(1000, "200 OK", "1 INVITE", body: CallBuilder.sdp("198.51.100.20", 50_000))
    call.request(1050, "ACK", 1)
    call.talk(from: 1060, to: 40_000, byB: false)
    for ms in stride(from: 5000.0, through: 40_000, by: 5000) {
      var report: [UInt8] = [0x80, 200] + C.be16(6)
      for word in [8, 1, 2, 3, Int(ms / 20), 0] { report += C.be32(word) }
      call.builder.addUDP(report, atMs: ms, from: described.isEmpty ? 40_001 : 40_007, to: 60_001, back: true)
    }
    call.request(40_000, "BYE", 2)
    let event = try #require(firstEvent(try call.read(), "capture.unheard"))
    #expect(event.argument("sent_packets") == "2000")
  }

  @Test(
    "in a file that begins during the call, only what its count grows by was sent", arguments: [0, 50])
  func cutIntoFiles(aSecond: Int) throws {
    var call = TalkBuilder()
    call.builder.frames = []
    call.talk(from: 1060, to: 40_000, byB: false)
    for ms in stride(from: 5000.0, through: 40_000, by: 5000) {
      let sent = 399 + aSecond * Int(ms / 1000)
      call.builder.addUDP(report(8, sent: sent), atMs: ms, from: 40_001, to: 50_001, back: true)
    }
    call.request(40_000, "BYE", 2)
    let event = try #require(firstEvent(try call.read(), "capture.unheard"))
    #expect(event.argument("sent_packets") == "\(35 * aSecond)")
  }

  @Test("sound that comes to the end has nothing to prove")
  func wellHeard() throws {
    let read = try call(heardUntil: 40_000) { talked(by: $0) }
    #expect(firstEvent(read, "capture.sent-after") == nil && firstEvent(read, "capture.unheard") == nil)
  }
}

@Suite("Which end captured")
struct LocalEndTests {
  typealias C = CaptureBuilder

  /// A SIP call in which packets of A and of B have so much left to live.
  private func locals(_ a: UInt8, _ b: UInt8, name: String, local: String? = nil) throws -> [String] {
    var call = TalkBuilder()
    for byB in [false, true] { call.talk(from: 1060, to: 6000, byB: byB) }
    call.builder.frames.sort { $0.timeUs < $1.timeUs }
    for i in call.builder.frames.indices {
      // Ethernet takes 14 bytes, and the address of the sender begins 12 later.
      call.builder.frames[i].bytes[14 + 8] = call.builder.frames[i].bytes[14 + 12] == 192 ? a : b
    }
    let recorder = Recorder()
    var options = ReaderOptions(fileName: name)
    options.localAddress = local
    try CaptureReader.read(.pcap, from: MemoryBytes(call.builder.pcap()), into: recorder, options: options)
    return recorder.connections.values.map { $0.direction?.rawValue ?? "" }
  }

  @Test("time to live tells it against a file's name")
  func hops() throws {
    #expect(try locals(56, 64, name: "caller.pcap") == ["incoming"])
    #expect(try locals(128, 116, name: "callee.pcap") == ["outgoing"])
    #expect(try locals(60, 60, name: "caller.pcap").count == 2, "between the two")
    #expect(try locals(64, 64, name: "caller.pcap") == ["outgoing"], "the name, where nothing else tells")
  }

  @Test("the user's word comes first")
  func eachReport() throws {
    #expect(try locals(64, 56, name: "x.pcap", local: "198.51.100.20") == ["incoming"])
    #expect(
      try locals(64, 56, name: "x.pcap", local: "203.0.113.9") == ["outgoing"],
      "of another host it says nothing")
  }
}
