import CallModel
import Testing

@Suite("SIP calls that end in another way")
struct SIPEndingTests {
  private typealias C = CaptureBuilder
  private typealias S = CallBuilder

  /// A call from A to B that stands from the third second on.
  private func call(media: String = S.sdp("198.51.100.20", 50_000)) -> C {
    var b = C()
    signal(&b, 0, S.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: S.sdp("192.0.2.10", 40_000)))
    signal(&b, 2900, S.sip("SIP/2.0 200 OK", "1 INVITE", body: media, toTag: "2"), back: true)
    signal(&b, 3000, S.sip("ACK sip:bob@example.org SIP/2.0", "1 ACK", toTag: "2"))
    return b
  }

  private func signal(_ b: inout C, _ ms: Double, _ message: [UInt8], back: Bool = false) {
    b.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back)
  }

  private func addVoice(_ b: inout C, fromMs: Double, count: Int) {
    for n in 0..<count {
      b.addUDP(
        C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 7, payload: 60),
        atMs: fromMs + 20 * Double(n))
    }
  }

  @Test("an INVITE that nobody answers has failed when it was sent for the last time, and arrived nowhere")
  func unanswered() throws {
    func read(untilMs: Double, hears: Bool = false) throws -> Recorder {
      var b = C()
      for ms in [0.0, 500, 1500, 3500, 7500, 15_500, 31_500] where ms < untilMs {
        signal(&b, ms, S.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE"))
      }
      if hears { signal(&b, 600, S.sip("SIP/2.0 100 Trying", "1 INVITE"), back: true) }
      signal(&b, untilMs, S.sip("OPTIONS sip:carol@example.org SIP/2.0", "1 OPTIONS", call: "other"))
      return try Recorder.read(b.pcap())
    }
    let failed = try #require(try read(untilMs: 40_000).events.first { $0.event == .callFailed })
    #expect(failed.timeMs == 1_700_000_032_000)
    #expect(failed.argument("outcome") == "no-answer", "\(failed.args)")
    #expect(try !read(untilMs: 40_000).events.contains { $0.event == .callIncoming })
    #expect(try !read(untilMs: 30_000).events.contains { $0.event == .callFailed }, "it still waits")
    #expect(
      try !read(untilMs: 40_000, hears: true).events.contains { $0.event == .callFailed },
      "somebody is at work on it")
  }

  @Test(
    "who hangs up because the call is broken says so",
    arguments: [
      (
        #"SIP;cause=408;text="Session timer expired, no refresh""#, "408", "Session timer expired, no refresh"
      ),
      ("Q.850 ;cause=102", nil, "Q.850 cause 102"),
      (#"Q.850;cause=16;text="Normal call clearing""#, nil, nil),
      (#"RELEASE_CAUSE ;cause=3 ;text="Media bearer loss""#, nil, "Media bearer loss"),
      (#"RELEASE_CAUSE ;cause=1 ;text="User ends call""#, nil, nil),
      (#"FreeSWITCH;cause=604;text="MEDIA_TIMEOUT""#, nil, "MEDIA_TIMEOUT"),
      (#"FreeSWITCH;cause=804;text="MEDIA_TIMEOUT""#, nil, "MEDIA_TIMEOUT"),
      // Newer versions write their own causes as those of SIP; older ones under the profile's user name, whatever that is.
      (#"SIP;cause=804;text="MEDIA_TIMEOUT""#, nil, "MEDIA_TIMEOUT"),
      (#"pbx;cause=604;text="MEDIA_TIMEOUT""#, nil, "MEDIA_TIMEOUT"), ("SIP;cause=804", nil, "SIP cause 804"),
      (#"SIP;cause=503;text="MANAGER_REQUEST""#, nil, nil),
      (#"SIP;cause=802;text="ALLOTTED_TIMEOUT""#, nil, nil),
      (#"Q.850;cause=34;text="NORMAL_CIRCUIT_CONGESTION""#, nil, "NORMAL_CIRCUIT_CONGESTION"),
      (#"Q.850;cause=88;text="INCOMPATIBLE_DESTINATION""#, nil, "INCOMPATIBLE_DESTINATION"),
      (#"Q.850;cause=31;text="NORMAL_UNSPECIFIED""#, nil, nil), ("Q.850;cause=127", nil, nil),
      (#"FAILURE_CAUSE ;cause=1 ;text="Media bearer or QoS lost""#, nil, "Media bearer or QoS lost"),
      (#"Preemption ;cause=1 ;text="UA Preemption""#, nil, "UA Preemption"),
      (#"Acme;text="a \"b; c\"";x=1, Q.850;cause=38;text="away""#, nil, #"a b; c"#),
      ("Acme;cause=27", nil, nil), ("FreeSWITCH;cause=38", nil, nil),
      (#"FreeSWITCH;cause=800;text="BLIND_TRANSFER""#, nil, nil),
      ("SIP;cause=200;text=\"User hung up\"", nil, nil), ("SIP;cause=99999999999999999999", nil, nil),
    ] as [(String, String?, String?)])
  func broken(header: String, code: String?, reason: String?) throws {
    var b = call()
    signal(
      &b, 9000, S.sip("BYE sip:bob@example.org SIP/2.0", "2 BYE", extra: "Reason: \(header)\r\n", toTag: "2"))
    let end = try #require(try Recorder.read(b.pcap()).events.first { $0.event == .callEnded })
    #expect(end.argument("code") == code && end.argument("reason") == reason, "\(end.args)")
    #expect(end.argument("outcome") == (reason == nil ? nil : "dropped"))
  }

  @Test(
    "what broke it is to blame, where its cause says so",
    arguments: [
      ("Q.850;cause=38", "server"), ("Q.850;cause=102", "signalling"),
      (#"FreeSWITCH;cause=609;text="GATEWAY_DOWN""#, "server"), ("RELEASE_CAUSE;cause=5", "signalling"),
      (#"SIP;cause=804;text="MEDIA_TIMEOUT""#, nil), ("RELEASE_CAUSE;cause=3", nil), ("Q.850;cause=16", nil),
    ] as [(String, String?)])
  func blame(header: String, cause: String?) throws {
    var b = call()
    signal(
      &b, 9000, S.sip("BYE sip:bob@example.org SIP/2.0", "2 BYE", extra: "Reason: \(header)\r\n", toTag: "2"))
    let end = try #require(try Recorder.read(b.pcap()).events.first { $0.event == .callEnded })
    #expect(end.argument("verdict_cause") == cause, "\(end.args)")
  }

  @Test("fax is counted and named, and is no stranger among the datagrams")
  func fax() throws {
    var b = call()
    addVoice(&b, fromMs: 3100, count: 250)
    let image =
      "v=0\r\no=- 1 2 IN IP4 ADDRESS\r\ns=-\r\nc=IN IP4 ADDRESS\r\nt=0 0\r\nm=image PORT udptl t38\r\n"
    func described(_ address: String, _ port: Int) -> String {
      image.replacing("ADDRESS", with: address).replacing("PORT", with: "\(port)")
    }
    signal(
      &b, 8200,
      S.sip(
        "INVITE sip:alice@example.org SIP/2.0", "7 INVITE", body: described("198.51.100.20", 50_000),
        toTag: "1"),
      back: true)
    signal(&b, 8300, S.sip("SIP/2.0 200 OK", "7 INVITE", body: described("192.0.2.10", 40_000), toTag: "1"))
    signal(&b, 8400, S.sip("ACK sip:alice@example.org SIP/2.0", "7 ACK", toTag: "1"), back: true)
    for n in 0..<300 {
      b.addUDP(C.be16(n) + [6, 1, 2, 3, 4, 5, 6, 0, 0], atMs: 8500 + 20 * Double(n))
      b.addUDP(C.be16(n) + [1, 0, 0, 0, 0], atMs: 8510 + 20 * Double(n), back: true)
    }
    let read = try Recorder.read(b.pcap())
    let fax = try #require(read.events.first { $0.note == .fax })
    #expect(fax[.fromCaller] == 300 && fax[.fromCallee] == 300 && fax.timeMs == 1_700_000_008_500)
    #expect(
      read.notes.contains { $0.hasPrefix("600 datagrams of fax (T.38) over 6 s are not read") },
      "\(read.notes)")
    #expect(read.streams.first?.totals.lost == 0)
  }

  @Test("SIP without a call is named where there is nothing else")
  func registrations() throws {
    var b = C()
    signal(&b, 0, S.sip("REGISTER sip:example.org SIP/2.0", "1 REGISTER"))
    signal(&b, 10, S.sip("SIP/2.0 401 Unauthorized", "1 REGISTER"), back: true)
    signal(&b, 20, S.sip("REGISTER sip:example.org SIP/2.0", "2 REGISTER"))
    signal(&b, 30, S.sip("SIP/2.0 403 Forbidden", "2 REGISTER"), back: true)
    signal(&b, 40, S.sip("OPTIONS sip:example.org SIP/2.0", "3 OPTIONS"))
    let notes = try Recorder.read(b.pcap()).notes
    #expect(
      notes.contains { $0.hasSuffix("SIP without a call: 2 REGISTER, 1 OPTIONS, 1 REGISTER refused (403)") },
      "\(notes)")
  }

  @Test("an ACK in the transaction of its INVITE acknowledges a refusal, though that was not captured")
  func acknowledgedRefusal() throws {
    func established(branch: String) throws -> [Double?] {
      var b = C()
      func send(_ ms: Double, _ start: String, _ cseq: String, _ branch: String) {
        let via = "Via: SIP/2.0/UDP 192.0.2.10;branch=\(branch)\r\n"
        let message = S.sip(
          start + " sip:bob@example.org SIP/2.0", cseq, extra: via, toTag: cseq == "1 INVITE" ? "" : "2")
        signal(&b, ms, message)
      }
      send(0, "INVITE", "1 INVITE", "z9hG4bK1")
      send(10, "ACK", "1 ACK", branch)
      send(3000, "ACK", "2 ACK", "z9hG4bK3")
      return try Recorder.read(b.pcap()).events.filter { $0.event == .callEstablished }.map(\.timeMs)
    }
    #expect(try established(branch: "z9hG4bK1") == [1_700_000_003_000, 1_700_000_003_000])
    #expect(try established(branch: "z9hG4bK2") == [1_700_000_000_010, 1_700_000_000_010])
  }
}
