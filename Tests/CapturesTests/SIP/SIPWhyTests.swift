import CallModel
import Testing

@Suite("Why a SIP call ended, where more than its status says so")
struct SIPWhyTests {
  private typealias S = CallBuilder

  private func refused(_ status: String, _ why: String) throws -> EventRecord {
    var b = CaptureBuilder()
    b.addUDP(S.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE"), atMs: 0, from: 5060, to: 5060)
    b.addUDP(
      S.sip("SIP/2.0 \(status)", "1 INVITE", extra: why, toTag: "2"), atMs: 900, from: 5060, to: 5060,
      back: true)
    return try #require(try Recorder.read(b.pcap()).events.first { $0.event == .callFailed })
  }

  @Test(
    "a cause of Q.850 says what a vague status does not",
    arguments: [
      ("480 Temporarily Unavailable", "Reason: Q.850;cause=19\r\n", "no-answer"),
      ("480 Temporarily Unavailable", "Reason: SIP;cause=480\r\nReason: Q.850;cause=17\r\n", "busy"),
      (
        "500 Server Error", "X-Asterisk-HangupCause: Rejected\r\nX-Asterisk-HangupCauseCode: 21\r\n",
        "rejected"
      ),
      ("603 Decline", "Reason: Q.850;cause=19\r\n", "rejected"),
      ("607 Unwanted", "", "rejected"),
      ("480 Temporarily Unavailable", "Reason: Q.850;cause=41\r\n", "failed"),
    ])
  func refusal(status: String, why: String, outcome: String) throws {
    #expect(try refused(status, why).argument("outcome") == outcome)
  }

  @Test("who is not available after it rang did not answer", arguments: [true, false])
  func rang(_ rang: Bool) throws {
    func outcome(_ why: String) throws -> String? {
      var b = CaptureBuilder()
      b.addUDP(S.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE"), atMs: 0, from: 5060, to: 5060)
      let first = rang ? "SIP/2.0 180 Ringing" : "SIP/2.0 100 Trying"
      b.addUDP(S.sip(first, "1 INVITE", toTag: "2"), atMs: 500, from: 5060, to: 5060, back: true)
      b.addUDP(
        S.sip("SIP/2.0 480 Temporarily Unavailable", "1 INVITE", extra: why, toTag: "2"), atMs: 30_000,
        from: 5060, to: 5060, back: true)
      return try Recorder.read(b.pcap()).events.first { $0.event == .callFailed }?.argument("outcome")
    }
    #expect(try outcome("") == (rang ? "no-answer" : "failed"))
    #expect(try outcome("Reason: Q.850;cause=41\r\n") == "failed")
  }

  @Test("what was taken up elsewhere is cancelled with these words")
  func elsewhere() throws {
    var b = CaptureBuilder()
    func send(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      b.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back)
    }
    send(0, S.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE"))
    send(
      900,
      S.sip(
        "CANCEL sip:bob@example.org SIP/2.0", "1 CANCEL",
        extra: "Reason: SIP;cause=200;text=\"Call completed elsewhere\"\r\n"))
    send(910, S.sip("SIP/2.0 487 Request Terminated", "1 INVITE", toTag: "2"), back: true)
    let failed = try #require(try Recorder.read(b.pcap()).events.first { $0.event == .callFailed })
    #expect(failed.argument("outcome") == "cancelled")
    #expect(failed.argument("reason") == "Call completed elsewhere")
  }

  @Test("who hangs up as nobody acknowledged the answer drops the call", arguments: [true, false])
  func unacknowledged(answersAgain: Bool) throws {
    var call = TalkBuilder()
    for ms in [1500.0, 2500, 4500, 8500, 12_500, 16_500, 20_500, 24_500, 28_500, 32_500] where answersAgain {
      call.answer(ms, "200 OK", "1 INVITE", body: S.sdp("198.51.100.20", 50_000))
    }
    call.request(33_000, "BYE", 1, byB: true)
    let ended = try #require(try call.read().events.first { $0.event == .callEnded })
    #expect(ended.argument("outcome") == (answersAgain ? "dropped" : nil))
  }

  @Test("sound before the answer that stops is not missed; after it, it is", arguments: [true, false])
  func earlyMedia(comesBack: Bool) throws {
    var call = TalkBuilder()
    call.builder.frames = []
    call.request(0, "INVITE", 1, body: S.sdp("192.0.2.10", 40_000), toTag: "")
    call.answer(100, "183 Session Progress", "1 INVITE", body: S.sdp("198.51.100.20", 50_000))
    call.talk(from: 120, to: 2000, byB: true)
    call.answer(6000, "200 OK", "1 INVITE")
    call.request(6050, "ACK", 1)
    call.talk(from: 6100, to: 10_000, byB: false)
    if comesBack { call.talk(from: 6200, to: 10_000, byB: true) }
    call.request(10_000, "BYE", 2)
    let missed = try missed(call)
    #expect(comesBack ? missed < 100 : (3800...4100).contains(missed), "\(missed) ms")
  }

  @Test(
    "a party that is being transferred is not missed, unless the transfer fails", arguments: [true, false])
  func transfer(fails: Bool) throws {
    var call = TalkBuilder()
    call.talk(from: 1060, to: 6000, byB: true)
    call.talk(from: 1060, to: 9500, byB: false)
    call.request(6000, "REFER", 2, extra: "Refer-To: <sip:carol@example.org>\r\n")
    call.answer(6010, "202 Accepted", "2 REFER")
    if fails {
      call.request(
        6100, "NOTIFY", 2, body: "SIP/2.0 486 Busy Here\r\n", content: "message/sipfrag", byB: true)
    }
    call.request(9500, "BYE", 3)
    let missed = try missed(call)
    #expect(fails ? (3300...3600).contains(missed) : missed < 100, "\(missed) ms")
  }

  /// Sound of B that was concealed, ms.
  private func missed(_ call: TalkBuilder) throws -> Double {
    let read = try call.read()
    let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 8 })
    return try #require(read.samples[stream]?.last?[.concealedSamples]) / 48
  }

  @Test("a fragment that a user agent copied into its answer is that of the caller alone")
  func copiedFragment() throws {
    var call = TalkBuilder()
    call.builder.frames = []
    let ice = "a=ice-ufrag:abcd\r\na=fingerprint:sha-256 AA:BB\r\n"
    call.request(0, "INVITE", 1, body: S.sdp("192.0.2.10", 40_000) + ice, toTag: "")
    call.answer(1000, "200 OK", "1 INVITE", body: S.sdp("198.51.100.20", 50_000) + ice)
    call.request(1050, "ACK", 1)
    call.talk(from: 1060, to: 2000, byB: true)
    call.talk(from: 1060, to: 2000, byB: false)
    let own = try call.read(at: "neither").connections.values.map { connection in
      connection.identities.filter { $0.kind == .ufragLocal || $0.kind == .fingerprintLocal }.count
    }
    #expect(own.sorted() == [0, 2])
  }
}
