import CallModel
import Testing

@Suite("Where a call ends in a capture that goes on")
struct EndOfCallTests {
  typealias C = CaptureBuilder

  /// Three calls of ten seconds, each hung up, eight seconds of nothing after each.
  private func threeCalls(portStep: Int, ssrcStep: Int) throws -> Recorder {
    var b = C()
    for call in 0..<3 {
      let start = 20_000 * Double(call)
      let port = (40_000 + portStep * call, 50_000 + portStep * call)
      func at(_ ms: Double, _ first: String, _ cseq: String, body: String = "", back: Bool = false) {
        b.addUDP(
          CallBuilder.sip(first, cseq, body: body, call: "call-\(call)"), atMs: start + ms, from: 5060,
          to: 5060,
          back: back)
      }
      at(0, "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: CallBuilder.sdp("192.0.2.10", port.0))
      at(100, "SIP/2.0 180 Ringing", "1 INVITE", back: true)
      at(
        1000, "SIP/2.0 200 OK", "1 INVITE", body: CallBuilder.sdp("198.51.100.20", port.1), back: true)
      at(1050, "ACK sip:bob@example.org SIP/2.0", "1 ACK")
      for n in 0..<500 {
        for back in [false, true] {
          let rtp = C.rtp(
            type: 98, sequence: 1000 * call + n, timestamp: 960 * n,
            ssrc: 7 + (back ? 1 : 0) + ssrcStep * call,
            payload: 60)
          b.addUDP(rtp, atMs: start + 1060 + 20 * Double(n), from: port.0, to: port.1, back: back)
        }
      }
      at(11_100, "BYE sip:bob@example.org SIP/2.0", "2 BYE")
      at(11_150, "SIP/2.0 200 OK", "2 BYE", back: true)
    }
    return try Recorder.read(b.pcap(), name: "caller.pcap")
  }

  @Test(
    "calls that follow one another are calls of their own, whatever they share, and end when they end",
    arguments: [(2, 10), (0, 10), (0, 0)])
  func calls(portStep: Int, ssrcStep: Int) throws {
    let read = try threeCalls(portStep: portStep, ssrcStep: ssrcStep)
    #expect(read.connections.count == 3)
    let calls = read.connections.values.compactMap { $0.identities.first { $0.kind == .sip }?.value }
    #expect(Set(calls) == ["call-0@example.org", "call-1@example.org", "call-2@example.org"])
    #expect(Dictionary(grouping: read.connectionOfStream.values) { $0 }.values.map(\.count) == [2, 2, 2])
    #expect(read.totals.values.allSatisfy { $0.packets == 500 && $0.lost == 0 && ($0.restarts ?? 0) == 0 })
    for samples in read.samples.values {
      let last = try #require(samples.last)
      #expect(try #require(last[.concealedSamples]) < 0.02 * 480_000)
    }
  }

  /// A call that A hangs up at ten seconds; each end goes on sending for so long. The last sample of either's sound, ms of the call.
  private func trailed(_ trailMs: [Double], isAnswered: Bool) throws -> [Double] {
    var call = TalkBuilder()
    for byB in [false, true] { call.talk(from: 1060, to: 10_000 + trailMs[byB ? 1 : 0], byB: byB) }
    call.request(10_000, "BYE", 2)
    if isAnswered { call.answer(10_020, "200 OK", "2 BYE") }
    let read = try call.read()
    let start = Double(call.builder.startUs) / 1000
    return try [7, 8].map { (ssrc: UInt32) in
      let (stream, _) = try #require(read.facts.first { $0.value.ssrc == ssrc })
      return try #require(read.samples[stream]?.last?.timeMs) - start
    }
  }

  @Test("who has not noticed that the other hung up is heard by nobody", arguments: [true, false])
  func trailing(isAnswered: Bool) throws {
    for trail in [0, 500, 1500, 8000, 40_000.0] {
      let last = try trailed([0, trail], isAnswered: isAnswered)
      #expect(last.allSatisfy { (9900...10_000).contains($0) }, "\(trail): \(last)")
    }
    let both = try trailed([8000, 8000], isAnswered: isAnswered)
    #expect(both.allSatisfy { $0 > 17_900 }, "whatever was said, it goes on: \(both)")
  }

  @Test(
    "another stream in the place of the first ends it: early media is not missed once the call is answered")
  func earlyMedia() throws {
    var b = CallBuilder.sipCall()
    for n in 0..<51 {
      let early = C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 8, payload: 60)
      b.addUDP(early, atMs: 1000 + 20 * Double(n), back: true)
    }
    for n in 0..<50 {
      let answered = C.rtp(type: 98, sequence: n + 400, timestamp: 960 * n, ssrc: 9, payload: 60)
      b.addUDP(answered, atMs: 3100 + 20 * Double(n), back: true)
    }
    b.frames.sort { $0.timeUs < $1.timeUs }
    let read = try Recorder.read(b.pcap(), name: "caller.pcap")
    let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 8 })
    let last = try #require(read.samples[stream]?.last)
    // Before the answer at 3,000 ms nobody has to send, and at 3,100 ms the other voice begins.
    let missed = try #require(last[.concealedSamples]) / 48
    #expect(missed < 200, "\(missed) ms")
  }

  @Test("what stops with its whole path is over, what stops alone is missed, and a gap in all is an outage")
  func silence() throws {
    func missed(_ sends: (Int, Bool) -> Bool) throws -> Double {
      var b = C()
      for n in 0..<1500 {
        for back in [false, true] where sends(n, back) {
          let rtp = C.rtp(sequence: n, timestamp: 160 * n, ssrc: back ? 2 : 1)
          b.addUDP(rtp, atMs: 20 * Double(n), back: back)
        }
        // Another call goes on to the end.
        let other = C.rtp(sequence: n, timestamp: 160 * n, ssrc: 3)
        b.addUDP(other, atMs: 20 * Double(n) + 1, from: 41_000, to: 51_000)
      }
      let read = try Recorder.read(b.pcap())
      let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 2 })
      return try #require(read.samples[stream]?.last?[.concealedSamples]) / 8
    }
    #expect(try missed { n, _ in n < 500 } < 150)
    #expect((18_000...20_100).contains(try missed { n, back in n < 500 || !back }))
    #expect((3800...4300).contains(try missed { n, _ in n < 500 || n >= 700 }))
  }

  @Test("a BYE names and ends the call that began before the capture", arguments: [false, true])
  func begunBefore(hasTwoCalls: Bool) throws {
    var b = C()
    for n in 0..<200 {
      for back in [false, true] {
        let rtp = C.rtp(sequence: n, timestamp: 160 * n, ssrc: back ? 2 : 1)
        b.addUDP(rtp, atMs: 20 * Double(n), back: back)
        guard hasTwoCalls else { continue }
        let other = C.rtp(sequence: n, timestamp: 160 * n, ssrc: back ? 4 : 3)
        b.addUDP(other, atMs: 20 * Double(n), from: 40_010, to: 50_010, back: back)
      }
    }
    b.addUDP(
      CallBuilder.sip("BYE sip:bob@example.org SIP/2.0", "7 BYE", toTag: "2"), atMs: 4010, from: 5060,
      to: 5060)
    let read = try Recorder.read(b.pcap())
    let named = read.connections.filter { $0.value.identities.contains(Identity(.sip, "call-1@example.org")) }
    // Of two calls nobody knows which one it ends.
    let withMedia = named.keys.filter { read.connectionOfStream.values.contains($0) }
    #expect(withMedia.count == (hasTwoCalls ? 0 : 2))
    #expect(named.count == 2)
    let events = read.events.filter { $0.event.group == .call }
    #expect(Set(events.map(\.event)) == [.callEstablished, .callEnded])
    #expect(events.allSatisfy { ($0.timeMs == nil) == ($0.event == .callEstablished) })
    #expect(Set(events.compactMap { $0.argument("by") }) == ["local", "remote"], "nobody knows who called")
  }

  /// Three voices of a conference that a server sends; the first is silent from 4 s on, to 8 s or for good.
  private func conference(returns: Bool) throws -> (made: Double, silent: Double, all: Double) {
    var b = CallBuilder.webRTC()
    for n in 0..<600 {
      for voice in 0..<3 where voice > 0 || n < 200 || returns && n >= 400 {
        let rtp = C.rtp(
          type: 111, sequence: 100 * voice + n, timestamp: 960 * n, ssrc: 0x1000_0000 + voice, payload: 80)
        b.addUDP(rtp, atMs: 1400 + 20 * Double(n) + Double(voice))
      }
    }
    b.frames.sort { $0.timeUs < $1.timeUs }
    let read = try Recorder.read(b.pcap(), name: "callee.pcap")
    let voice = try #require(read.facts.first { $0.value.ssrc == 0x1000_0000 }?.key)
    let last = try #require(read.samples[voice]?.last)
    return (
      try #require(last[.concealedSamples]), try #require(last[.silentConcealedSamples]),
      try #require(last[.totalSamples])
    )
  }

  @Test("who leaves a conference is not missed while others are heard the same way")
  func left() throws {
    let (made, _, all) = try conference(returns: false)
    #expect(made < 0.01 * all, "\(made) of \(all)")
  }

  @Test("who comes again after numbers that did not come was missed")
  func cameAgain() throws {
    let (made, _, all) = try conference(returns: true)
    #expect(made > 0.3 * all, "\(made) of \(all)")
  }

  @Test("two packets of SSRC 0 at the end are no stream: browsers probe with it")
  func probesAtTheEnd() throws {
    var b = CallBuilder.webRTC()
    for n in 0..<2 {
      b.addUDP(C.rtp(type: 101, sequence: n, timestamp: 0, ssrc: 0, payload: 200), atMs: 7500 + Double(n))
    }
    #expect(try Recorder.read(b.pcap()).facts.values.allSatisfy { $0.ssrc != 0 })
  }
}
