import CallModel
import Testing

@testable import Packets
@testable import Signalling

@Suite("A SIP call on hold")
struct HoldTests {
  /// Sound of B that was concealed, ms.
  private func missed(_ read: Recorder) throws -> Double {
    let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 8 })
    return try #require(read.samples[stream]?.last?[.concealedSamples]) / 48
  }

  private func holds(_ read: Recorder) -> [EventName] {
    read.events.map(\.event).filter { $0.isHold || $0 == .callResumed }
  }

  /// A call that A holds at six seconds; B sends nothing from then on.
  private func held(_ offer: String, _ reply: String) -> TalkBuilder {
    var call = TalkBuilder()
    call.talk(from: 1060, to: 6100, byB: true)
    call.talk(from: 1060, to: 16_000, byB: false)
    call.agree(6100, 2, offer: offer, answer: reply)
    return call
  }

  @Test(
    "what is not to be sent is not missed, and both ends know who holds",
    arguments: [("sendonly", "recvonly"), ("inactive", "inactive"), ("0.0.0.0", "recvonly")])
  func held(offer: String, reply: String) throws {
    var call = held(offer, reply)
    call.request(16_000, "BYE", 3)
    let read = try call.read()
    #expect(try missed(read) < 100)
    #expect(holds(read) == [.callHeld])
    let event = try #require(read.events.first { $0.event == .callHeld })
    #expect(event.timeMs == Double(call.builder.startUs) / 1000 + 6110)
    #expect(try holds(call.read(at: "callee")) == [.callRemotelyHeld])
  }

  @Test("sound goes on after it as if it had never stopped", arguments: [0.0, 10_000])
  func resumed(skippingMs: Double) throws {
    var call = held("sendonly", "recvonly")
    call.agree(16_100, 3, offer: "sendrecv", answer: "sendrecv")
    call.talk(from: 16_150, to: 20_000, byB: true, skippingMs: skippingMs)
    call.talk(from: 16_150, to: 20_000, byB: false)
    call.request(20_000, "BYE", 4)
    let read = try call.read()
    #expect(holds(read) == [.callHeld, .callResumed])
    #expect(try missed(read) < 200)
    let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 8 })
    let last = try #require(read.samples[stream]?.last)
    #expect((8500...9100).contains(try #require(last[.totalSamplesDurationMs])))
    #expect(try #require(last[.jitterBufferDelayMs]) / (try #require(last[.jitterBufferEmitted])) < 100)
    #expect(try #require(read.totals[stream]?.jitterMaxMs) < 10)
  }

  @Test("who does not come back after it is missed")
  func silentAfterwards() throws {
    var call = held("sendonly", "recvonly")
    call.agree(16_100, 3, offer: "sendrecv", answer: "sendrecv")
    call.talk(from: 16_150, to: 20_000, byB: false)
    call.request(20_000, "BYE", 4)
    #expect((3500...4000).contains(try missed(call.read())))
  }

  /// Sound of A, the holder, that was concealed for B, ms.
  private func missedOfHolder(_ call: TalkBuilder) throws -> Double {
    let read = try call.read()
    let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 7 })
    return try #require(read.samples[stream]?.last?[.concealedSamples]) / 48
  }

  /// A call that A holds at six seconds and takes up again at sixteen; from then on A sends, or does not.
  private func heldInSilence(_ offer: String, musicUntil end: Double = 6100, comesBack: Bool) -> TalkBuilder {
    var call = TalkBuilder()
    call.talk(from: 1060, to: 6100, byB: true)
    call.talk(from: 1060, to: end, byB: false)
    call.agree(6100, 2, offer: offer, answer: offer == "sendonly" ? "recvonly" : "inactive")
    call.agree(16_100, 3, offer: "sendrecv", answer: "sendrecv")
    call.talk(from: 16_150, to: 20_000, byB: true)
    if comesBack { call.talk(from: 16_150, to: 20_000, byB: false) }
    call.request(20_000, "BYE", 4)
    return call
  }

  @Test(
    "who holds may send music; where nothing comes instead, nothing is missed",
    arguments: ["sendonly", "inactive"])
  func holderInSilence(offer: String) throws {
    #expect(try missedOfHolder(heldInSilence(offer, comesBack: true)) < 100)
    #expect((3500...4000).contains(try missedOfHolder(heldInSilence(offer, comesBack: false))))
  }

  @Test("music on hold that breaks off is missed, and so is what is lost of it")
  func musicBreaksOff() throws {
    let broken = try missedOfHolder(heldInSilence("sendonly", musicUntil: 11_000, comesBack: true))
    #expect((4900...5300).contains(broken), "\(broken) ms")
  }

  @Test("who asks for a hold misses nothing while the answer is on its way, and is not missed")
  func slowAnswer() throws {
    var call = TalkBuilder()
    for byB in [true, false] { call.talk(from: 1060, to: 6100, byB: byB) }
    call.agree(6100, 2, offer: "sendonly", answer: "recvonly", afterMs: 2000)
    call.agree(16_100, 3, offer: "sendrecv", answer: "sendrecv", afterMs: 2000)
    for byB in [true, false] { call.talk(from: 18_400, to: 22_000, byB: byB) }
    call.request(22_000, "BYE", 4)
    #expect(try missed(call.read()) < 150)
    #expect(try missedOfHolder(call) < 150)
  }

  @Test("a hold that is refused is none")
  func refused() throws {
    var call = TalkBuilder()
    call.talk(from: 1060, to: 6100, byB: true)
    call.talk(from: 1060, to: 10_000, byB: false)
    call.request(6100, "INVITE", 2, body: TalkBuilder.sdp("sendonly", ofB: false))
    call.answer(6110, "488 Not Acceptable Here", "2 INVITE", body: TalkBuilder.sdp("recvonly", ofB: true))
    call.request(6120, "ACK", 2)
    call.request(10_000, "BYE", 3)
    let read = try call.read()
    #expect(holds(read) == [])
    #expect((3000...4000).contains(try missed(read)))
  }

  @Test("both ends hold, one after the other, and let go again")
  func both() throws {
    var call = held("sendonly", "recvonly")
    call.agree(9000, 5, offer: "inactive", answer: "inactive", byB: true)
    call.agree(11_000, 3, offer: "recvonly", answer: "sendonly")
    call.agree(13_000, 6, offer: "sendrecv", answer: "sendrecv", byB: true)
    #expect(
      try holds(call.read()) == [.callHeld, .callDoubleHeld, .callRemotelyHeld, .callResumed])
  }

  @Test("music that another host plays on hold takes the place of what its sender sent before")
  func music() throws {
    var call = TalkBuilder()
    call.talk(from: 1060, to: 6100, byB: true)
    call.talk(from: 1060, to: 16_000, byB: false)
    call.request(
      6100, "INVITE", 2, body: CallBuilder.sdp("203.0.113.9", 6000) + "a=sendonly\r\n", byB: true)
    call.answer(6110, "200 OK", "2 INVITE", body: TalkBuilder.sdp("recvonly", ofB: false), byA: true)
    call.request(6120, "ACK", 2, byB: true)
    for n in 0..<480 {
      let rtp = CaptureBuilder.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 9, payload: 60)
      let packet = call.builder.ip(
        CaptureBuilder.udp(rtp, from: 6000, to: 40_000), proto: 17, from: [203, 0, 113, 9],
        to: CaptureBuilder.a)
      call.builder.add(packet, atMs: 6220 + 20 * Double(n))
    }
    let read = try call.read()
    #expect(try missed(read) < 100)
    #expect(read.connections.count == 1)
  }

  @Test("who was never to be sent to is no one on hold")
  func oneWay() throws {
    var call = TalkBuilder()
    call.builder.frames = []
    call.request(0, "INVITE", 1, body: TalkBuilder.sdp("sendonly", ofB: false), toTag: "")
    call.answer(1000, "200 OK", "1 INVITE", body: TalkBuilder.sdp("recvonly", ofB: true))
    call.request(1050, "ACK", 1)
    call.talk(from: 1060, to: 6100, byB: false)
    call.agree(6100, 2, offer: "sendonly", answer: "recvonly")
    let read = try call.read()
    #expect(holds(read) == [])
    let established = try #require(read.events.first { $0.event == .callEstablished })
    #expect(established.args.contains("\"sound_from\":\"caller\""))
  }

  @Test("a direction above all media holds for each of them")
  func sessionLevel() throws {
    let text =
      "v=0\r\nc=IN IP4 192.0.2.10\r\na=sendonly\r\nm=audio 4000 RTP/AVP 0\r\n"
      + "m=video 4002 RTP/AVP 31\r\na=inactive\r\n"
    let sdp = Array(text.utf8).withUnsafeBytes { bytes in
      bytes.baseAddress.flatMap { SDP(Octets($0, count: bytes.count)) }
    }
    #expect(sdp?.media.map(\.direction) == ["sendonly", "inactive"])
  }
}
