import CallModel
import Testing

@Suite("How the call came up")
struct SetupTests {
  private func named(_ read: Recorder, _ name: EventName) -> [EventRecord] {
    read.events.filter { $0.event == name }
  }

  @Test("ICE, DTLS and first media are milestones, and a ClientHello sent again is named")
  func webRTC() throws {
    let builder = CallBuilder.webRTC()
    let read = try Recorder.read(builder.pcap(), name: "caller.pcap")
    let start = Double(builder.startUs) / 1000
    func ms(_ name: EventName) throws -> Double { try #require(named(read, name).first?.timeMs) - start }
    #expect(abs(try ms(.iceChecking) - 0) < 0.01)
    #expect(abs(try ms(.iceConnected) - 80) < 0.01)
    #expect(abs(try ms(.dtlsStarted) - 190) < 0.01)
    #expect(abs(try ms(.dtlsRetransmitted) - 1190) < 0.01)
    #expect(abs(try ms(.dtlsConnected) - 1351) < 0.01)
    #expect(abs(try ms(.mediaFirstPacket) - 1365) < 0.01)
    #expect(named(read, .dtlsConnected).first?.args.contains("\"retransmissions\":1") == true)
    #expect(named(read, .iceConnected).first?.args.contains("\"nominated_after_ms\":180.000") == true)
  }

  @Test(
    "a flight that came each time, and was not answered yet, was not lost", arguments: ["caller", "callee"])
  func patience(end: String) throws {
    var b = CallBuilder.webRTC()
    // Sent again after 50 ms; the answer to both comes later than that.
    b.frames = b.frames.enumerated().filter { $0.offset != 7 }.map(\.element)
    b.addUDP(CallBuilder.dtls(1, record: 1), atMs: 240)
    if end == "callee" {
      // Whoever captures answers at once.
      b = CaptureBuilder()
      b.addUDP(CallBuilder.check(id: 1, username: "bbbb:aaaa", controlling: true), atMs: 0)
      b.addUDP(CallBuilder.stun(0x0101, id: 1), atMs: 0.2, back: true)
      b.addUDP(CallBuilder.dtls(1, record: 0), atMs: 190)
      b.addUDP(CallBuilder.dtls(1, record: 1), atMs: 240)
      b.addUDP(CallBuilder.dtls(2), atMs: 300, back: true)
    }
    b.frames.sort { $0.timeUs < $1.timeUs }
    let again = named(try Recorder.read(b.pcap(), name: "\(end).pcap"), .dtlsRetransmitted)
    #expect(again.count == 1 && again.first?.argument("waited_ms") == "50")
    #expect(again.first?.argument("lost") == (end == "callee" ? "no" : nil))
  }

  @Test("a flight of which a part never came was lost, whoever has not answered")
  func missingPart() throws {
    /// One of two pieces of a ClientHello of 1400 bytes.
    func piece(_ offset: Int, _ size: Int, record: Int) -> [UInt8] {
      let body: [UInt8] =
        [1, 0] + CaptureBuilder.be16(1400) + [0, 0, 0] + CaptureBuilder.be16(offset) + [0]
        + CaptureBuilder.be16(size) + [UInt8](repeating: 9, count: size)
      return [22, 0xFE, 0xFD, 0, 0, 0, 0] + CaptureBuilder.be32(record) + CaptureBuilder.be16(body.count)
        + body
    }
    func again(without lost: Set<Int>) throws -> [EventRecord] {
      var b = CaptureBuilder()
      b.addUDP(CallBuilder.check(id: 1, username: "bbbb:aaaa", controlling: true), atMs: 0)
      b.addUDP(CallBuilder.stun(0x0101, id: 1), atMs: 0.2, back: true)
      for (n, ms) in [100.0, 150, 250].enumerated() {
        if !lost.contains(2 * n) { b.addUDP(piece(0, 1200, record: 2 * n), atMs: ms) }
        if !lost.contains(2 * n + 1) { b.addUDP(piece(1200, 200, record: 2 * n + 1), atMs: ms + 0.1) }
      }
      return named(try Recorder.read(b.pcap(), name: "callee.pcap"), .dtlsRetransmitted)
    }
    let whole = try again(without: [])
    #expect(whole.map { $0.argument("lost") } == ["no", "no"])
    let large = try again(without: [0, 2, 4])
    #expect(large.map { $0.argument("lost") } == ["yes", "yes"])
    #expect(
      large.map { $0.argument("missing") }
        == Array(repeating: "bytes 0 to 1199 of 1400 of the ClientHello", count: 2))
    #expect(large.first?.argument("missing_bytes") == "1200")
    #expect(large.map { $0.argument("waited_ms") } == ["50", "100"])
    // What was lost of the first flight came with the second.
    let once = try again(without: [0])
    #expect(once.map { $0.argument("lost") } == ["yes", "no"])
    #expect(once.first?.argument("waited_ms") == "50")
  }

  @Test("the end that answers at once is the local one: streams flow in and out as it sees them")
  func localSide() throws {
    let read = try Recorder.read(CallBuilder.webRTC().pcap(), name: "caller.pcap")
    #expect(read.connections.count == 1)
    let connection = try #require(read.connections.values.first)
    #expect(connection.endpoint == "caller" && connection.direction == .outgoing)
    #expect(
      connection.identities.isSuperset(of: [
        Identity(.ufragLocal, "aaaa"), Identity(.ufragRemote, "bbbb"), Identity(.ssrcOut, "1"),
        Identity(.ssrcIn, "2"),
        Identity(.addressLocal, "192.0.2.10:40000"),
      ]))
    for (facts, _) in read.streams { #expect(facts.direction == (facts.ssrc == 1 ? .outbound : .inbound)) }
  }

  @Test("answers to connectivity checks give the round trip; one of an id sent twice gives none")
  func roundTrips() throws {
    let read = try Recorder.read(CallBuilder.webRTC().pcap(), name: "caller.pcap")
    #expect(read.transports.values.flatMap { $0 }.map(\.rttMs) == [80, 80])
  }

  @Test("after an ICE restart, checks on the old pair still belong to the end that sends them")
  func restart() throws {
    var b = CallBuilder.webRTC()
    b.frames = Array(b.frames.prefix(6))
    b.addUDP(CallBuilder.check(id: 10, username: "dddd:cccc", controlling: true), atMs: 5000)
    b.addUDP(CallBuilder.stun(0x0101, id: 10), atMs: 5080, back: true)
    b.addUDP(CallBuilder.check(id: 11, username: "bbbb:aaaa", controlling: true), atMs: 5100)
    let read = try Recorder.read(b.pcap(), name: "caller.pcap")
    let connection = try #require(read.connections.values.first)
    #expect(read.connections.count == 1 && connection.direction == .outgoing)
    func named(_ kind: IdentityKind) -> [String] {
      connection.identities.filter { $0.kind == kind }.map(\.value)
    }
    #expect(named(.addressLocal) == ["192.0.2.10:40000"] && named(.addressRemote) == ["198.51.100.20:50000"])
    #expect(Set(named(.ufragLocal)) == ["aaaa", "cccc"] && Set(named(.ufragRemote)) == ["bbbb", "dddd"])
  }

  @Test("in the middle of a path a round trip needs both of its halves", arguments: [false, true])
  func halves(isLite: Bool) throws {
    var b = CaptureBuilder()
    func check(_ id: UInt8, atMs ms: Double, takesMs: Double, back: Bool = false) {
      let username = back ? "aaaa:bbbb" : "bbbb:aaaa"
      b.addUDP(CallBuilder.check(id: id, username: username, controlling: !back), atMs: ms, back: back)
      b.addUDP(CallBuilder.stun(0x0101, id: id), atMs: ms + takesMs, back: !back)
    }
    check(1, atMs: 0, takesMs: 50)
    if !isLite { check(2, atMs: 100, takesMs: 30, back: true) }
    check(3, atMs: 200, takesMs: 50)
    let read = try Recorder.read(b.pcap())
    #expect(read.connections.count == 2)
    #expect(read.transports.values.flatMap { $0 }.map(\.rttMs) == (isLite ? [] : [80, 80]))
    #expect(read.notes.contains { $0.contains("one half of their round trip") } == isLite)
  }

  @Test("seen from the middle there are two ends, and each stream belongs to its receiver")
  func midPath() throws {
    var builder = CaptureBuilder()
    for n in 0..<100 {
      builder.addUDP(CaptureBuilder.rtp(sequence: n, timestamp: 160 * n, ssrc: 1), atMs: 20 * Double(n))
      builder.addUDP(
        CaptureBuilder.rtp(sequence: n, timestamp: 160 * n, ssrc: 2), atMs: 20 * Double(n) + 3, back: true)
    }
    let read = try Recorder.read(builder.pcap())
    #expect(read.connections.count == 2)
    #expect(read.streams.allSatisfy { $0.facts.direction == .inbound })
    #expect(Set(read.connectionOfStream.values).count == 2)
  }

  @Test("a SIP call: events of both ends, payload types from SDP, reasons")
  func sip() throws {
    let read = try Recorder.read(CallBuilder.sipCall().pcap(), name: "callee.pcap")
    let names = read.events.map(\.event).filter { $0.group == .call }
    #expect(names == [.callIncoming, .callAlerting, .callAnswered, .callEstablished, .callEnded])
    #expect(read.events.contains { $0.anomaly == "sent again" && $0.raw == "SIP INVITE" })
    #expect(named(read, .callEnded).first?.args.contains("cause=16") == true)
    let stream = try #require(read.streams.first)
    #expect(
      stream.facts.codec == "opus" && stream.facts.clockRate == 48_000 && stream.facts.direction == .inbound)
    #expect(stream.facts.clockRateGuessed == false)
    let callee = try #require(read.connections.values.first { $0.endpoint == "callee" })
    #expect(callee.identities.contains(Identity(.sip, "call-1@example.org")))
    #expect(callee.direction == .incoming)
  }

  @Test(
    "an INVITE that must come again is one call, and a refusal that is acknowledged is none",
    arguments: [
      "401 Unauthorized", "407 Proxy Authentication Required", "422 Session Interval Too Small",
      "488 Not Acceptable Here",
      "486 Busy Here",
    ])
  func challenge(answer: String) throws {
    var b = CaptureBuilder()
    func at(_ ms: Double, _ first: String, _ cseq: String, body: String = "", back: Bool = false) {
      b.addUDP(CallBuilder.sip(first, cseq, body: body), atMs: ms, from: 5060, to: 5060, back: back)
    }
    let isRefusal = answer.hasPrefix("486")
    let offer = CallBuilder.sdp("192.0.2.10", 40_000)
    at(0, "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: offer)
    at(50, "SIP/2.0 \(answer)", "1 INVITE", back: true)
    at(60, "ACK sip:bob@example.org SIP/2.0", "1 ACK")
    if !isRefusal {
      at(100, "INVITE sip:bob@example.org SIP/2.0", "2 INVITE", body: offer)
      at(900, "SIP/2.0 180 Ringing", "2 INVITE", back: true)
      at(5000, "SIP/2.0 200 OK", "2 INVITE", body: CallBuilder.sdp("198.51.100.20", 50_000), back: true)
      at(5050, "ACK sip:bob@example.org SIP/2.0", "2 ACK")
      at(9000, "INVITE sip:bob@example.org SIP/2.0", "3 INVITE", body: offer)
      at(9900, "BYE sip:bob@example.org SIP/2.0", "4 BYE")
    }
    let read = try Recorder.read(b.pcap(), name: "caller.pcap")
    let events = read.events.filter { $0.event.group == .call }
    #expect(
      events.map(\.event)
        == (isRefusal
          ? [.callRequestSent, .callFailed]
          : [
            .callRequestSent, .callRinging, .callAnswered, .callEstablished, .callUpdated, .callEnded,
          ]))
    #expect(events.contains { $0.args.contains("\"outcome\":\"busy\"") } == isRefusal)
    let first = try #require(events.first?.timeMs)
    let established = events.first { $0.event == .callEstablished }?.timeMs
    #expect(established.map { ($0 - first).rounded() } == (isRefusal ? nil : 5050))
  }

  @Test(
    "who is asked for credentials and never comes again has failed, if the capture goes on for long enough")
  func neverAgain() throws {
    for goesOnMs in [20_000.0, 40_000] {
      var b = CaptureBuilder()
      func at(_ ms: Double, _ first: String, _ cseq: String, call: String, back: Bool = false) {
        b.addUDP(CallBuilder.sip(first, cseq, call: call), atMs: ms, from: 5060, to: 5060, back: back)
      }
      at(0, "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", call: "call-1")
      at(50, "SIP/2.0 401 Unauthorized", "1 INVITE", call: "call-1", back: true)
      at(60, "ACK sip:bob@example.org SIP/2.0", "1 ACK", call: "call-1")
      at(goesOnMs, "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", call: "call-2")
      let read = try Recorder.read(b.pcap(), name: "caller.pcap")
      #expect(
        named(read, .callFailed).map(\.raw) == (goesOnMs < 32_000 ? [] : ["SIP 401 Unauthorized (INVITE)"]))
    }
  }

  /// A call that is cancelled while it rings, and what follows; the events that say how it went.
  private func cancelled(_ following: (String, String, Bool)...) throws -> [EventRecord] {
    var b = CaptureBuilder()
    func at(_ ms: Double, _ first: String, _ cseq: String, back: Bool = false) {
      b.addUDP(CallBuilder.sip(first, cseq), atMs: ms, from: 5060, to: 5060, back: back)
    }
    at(0, "INVITE sip:bob@example.org SIP/2.0", "1 INVITE")
    at(100, "SIP/2.0 180 Ringing", "1 INVITE", back: true)
    at(5000, "CANCEL sip:bob@example.org SIP/2.0", "1 CANCEL")
    for (n, (first, cseq, back)) in following.enumerated() {
      at(5050 + 50 * Double(n), first, cseq, back: back)
    }
    let read = try Recorder.read(b.pcap(), name: "caller.pcap")
    return read.events.filter { $0.event.group == .call }
  }

  @Test("a call that its caller cancels is cancelled, whether or not the answer to it was captured")
  func cancel() throws {
    let ack = ("ACK sip:bob@example.org SIP/2.0", "1 ACK", false)
    let alone = try cancelled()
    #expect(alone.map(\.event) == [.callRequestSent, .callRinging, .callFailed])
    #expect(alone.last?.args.contains("\"by\":\"caller\",\"outcome\":\"cancelled\"") == true)
    #expect(try cancelled(("SIP/2.0 200 OK", "1 CANCEL", true)).last?.raw == "SIP CANCEL")
    #expect(try cancelled(ack).map(\.event) == alone.map(\.event), "it acknowledges what was not captured")
    let final = try cancelled(("SIP/2.0 487 Request Terminated", "1 INVITE", true), ack)
    #expect(final.map(\.raw).last == "SIP 487 Request Terminated (INVITE)" && final.count == 3)
  }

  @Test("a call that was taken up before the CANCEL arrived goes on")
  func cancelledTooLate() throws {
    let answer = ("SIP/2.0 200 OK", "1 INVITE", true)
    let ack = ("ACK sip:bob@example.org SIP/2.0", "1 ACK", false)
    let bye = ("BYE sip:bob@example.org SIP/2.0", "2 BYE", false)
    let whole: [EventName] = [.callRequestSent, .callRinging, .callAnswered, .callEstablished, .callEnded]
    #expect(try cancelled(answer, ack, bye).map(\.event) == whole)
    #expect(try cancelled(bye).map(\.event) == [.callRequestSent, .callRinging, .callEnded])
    let busy = try cancelled(("SIP/2.0 486 Busy Here", "1 INVITE", true))
    #expect(busy.last?.args.contains("\"outcome\":\"busy\"") == true && busy.count == 3)
  }

  @Test("a capture of signalling alone says that it knows nothing of media")
  func signallingAlone() throws {
    func notes(_ frames: [CaptureBuilder.Frame]) throws -> Bool {
      var b = CaptureBuilder()
      b.frames = frames
      return try Recorder.read(b.pcap()).notes.contains { $0.contains("no RTP at all") }
    }
    let frames = CallBuilder.sipCall().frames
    #expect(try notes(frames.prefix(6) + frames.suffix(1)))
    // The handshake for its keys would have been followed by media here.
    #expect(try !notes(frames.prefix(6) + CallBuilder.webRTC().frames.prefix(11) + frames.suffix(1)))
    #expect(try !notes(frames))
  }

  @Test("SIP over TCP in odd pieces, and over WebSocket with a mask")
  func sipOverStreams() throws {
    let invite = CallBuilder.sip(
      "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: CallBuilder.sdp("192.0.2.10", 40_000))
    let request = Array("GET / HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: sip\r\n\r\n".utf8)
    let mask: [UInt8] = [1, 2, 3, 4]
    let frame =
      [0x81, 0x80 | 126] + CaptureBuilder.be16(invite.count) + mask
      + invite.enumerated().map { $0.element ^ mask[$0.offset & 3] }
    for bytes in [invite, request + frame] {
      var builder = CaptureBuilder()
      for (n, start) in stride(from: 0, to: bytes.count, by: 97).enumerated() {
        let piece = Array(bytes[start..<min(bytes.count, start + 97)])
        builder.add(
          builder.ip(CaptureBuilder.tcp(piece, from: 40_100, to: 5060, sequence: 1 + start), proto: 6),
          atMs: Double(n))
      }
      let read = try Recorder.read(builder.pcap())
      #expect(read.events.map(\.event).contains(.callRequestSent))
    }
  }
}
