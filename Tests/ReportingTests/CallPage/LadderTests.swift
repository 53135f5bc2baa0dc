import CallModel
import Testing

@testable import Rendering
@testable import CallViews

@Suite("The ladder of a call")
struct LadderTests {
  private func event(
    _ name: EventName, _ end: String, _ atMs: Double, raw: String? = nil, args: String = "{}"
  )
    -> AccountEvent
  {
    var event = SampleAccount.event(name, end: end, args: args)
    event.record.timeMs = SampleAccount.startMs + atMs
    event.record.raw = raw ?? name.rawValue
    return event
  }

  private func ladder(_ ends: [String], _ events: [AccountEvent]) -> Ladder {
    Ladder(
      SampleAccount.call("c", ends: ends.map { SampleAccount.end($0, []) }, findings: [], events: events))
  }

  @Test("draws a SIP message that a capture tells at both ends once, and answers the other way")
  func sip() {
    let ladder = ladder(
      ["caller", "callee"],
      [
        event(.callRequestSent, "caller", 0, raw: "SIP INVITE", args: #"{"cseq":"1 INVITE"}"#),
        event(.callIncoming, "callee", 0, raw: "SIP INVITE", args: #"{"cseq":"1 INVITE"}"#),
        event(
          .callRinging, "caller", 20, raw: "SIP 180 Ringing (INVITE)",
          args: #"{"code":180,"cseq":"1 INVITE"}"#),
        event(
          .callAlerting, "callee", 20, raw: "SIP 180 Ringing (INVITE)",
          args: #"{"code":180,"cseq":"1 INVITE"}"#),
        event(.callUpdated, "caller", 50, raw: "SIP INVITE", args: #"{"by":"callee","cseq":"7 INVITE"}"#),
        event(.callUpdated, "callee", 50, raw: "SIP INVITE", args: #"{"by":"callee","cseq":"7 INVITE"}"#),
        event(
          .unknown, "callee", 60, raw: "SIP 488 Not Acceptable Here (INVITE)",
          args: #"{"code":488,"cseq":"7 INVITE"}"#),
      ])
    #expect(
      ladder.rows.map(\.label) == [
        "INVITE", "180 Ringing (INVITE)", "INVITE", "488 Not Acceptable Here (INVITE)",
      ])
    #expect(ladder.rows.map(\.from) == [.end(0), .end(1), .end(1), .end(0)])
    #expect(ladder.rows.map(\.to) == [.end(1), .end(0), .end(0), .end(1)])
    #expect(ladder.rows.map(\.isFailure) == [false, false, false, true])
    #expect(!ladder.hasServer)
  }

  @Test("leads an offer from the end that made it to the one that received it, and tells how long that took")
  func offer() {
    let ladder = ladder(
      ["caller", "callee"],
      [
        event(.sdpLocalSetting, "caller", 0, args: #"{"type":"offer"}"#),
        event(.sdpOfferReceived, "callee", 35),
        event(.sdpLocalSetting, "callee", 50, args: #"{"type":"answer"}"#),
        event(.sdpAnswerReceived, "caller", 70),
      ])
    #expect(ladder.rows.map(\.label) == ["SDP offer", "SDP answer"])
    #expect(ladder.rows.map(\.from) == [.end(0), .end(1)])
    #expect(ladder.rows.map(\.tookMs) == [35, 20])
  }

  @Test("of one end has a server, to which it speaks and from which it hears")
  func oneEnd() {
    let ladder = ladder(
      ["me"],
      [
        event(.tokenRequested, "me", 0), event(.tokenGranted, "me", 80), event(.callDialing, "me", 90),
        event(.iceChecking, "me", 100), event(.iceFailed, "me", 900),
      ])
    #expect(ladder.rows.map(\.from) == [.end(0), .server, .end(0), .end(0), .end(0)])
    #expect(ladder.rows.map(\.to) == [.server, .end(0), .server, nil, nil])
    #expect(ladder.rows.last?.isFailure == true && ladder.hasServer)
  }

  @Test("of a conference is left to its list of participants")
  func conference() {
    #expect(ladder(["a", "b", "c", "d"], [event(.callDialing, "a", 0)]).rows.isEmpty)
  }

  @Test("of 200 messages stays small, and folds what is behind the fortieth")
  func long() throws {
    let events = (0..<200).map {
      event(
        .unknown, "caller", Double($0) * 100, raw: "SIP OPTIONS",
        args: "{\"by\":\"caller\",\"cseq\":\"\($0) OPTIONS\"}")
    }
    let account = SampleAccount.call(
      "c", ends: ["caller", "callee"].map { SampleAccount.end($0, []) }, findings: [], events: events)
    var html = HTML()
    PageLadder(account, .utc, zeroMs: SampleAccount.startMs).write(to: &html)
    let text = String(decoding: html.bytes, as: UTF8.self)
    #expect(text.contains("160 later") && html.bytes.count < 150_000)
    #expect(text.contains("#t=19.9"))
  }
}

@Suite("Session descriptions and candidates on a call's page")
struct DescriptionTests {
  private func described(_ event: EventName, _ end: String, _ type: String, _ sdp: String) -> AccountEvent {
    SampleAccount.event(event, end: end, args: "{\"type\":\"\(type)\",\"sdp\":\"\(sdp)\"}")
  }

  private func account(_ events: [AccountEvent]) -> CallAccount {
    SampleAccount.call("c", ends: [SampleAccount.end("caller", [])], findings: [], events: events)
  }

  @Test("each is held against the one before of its end and side; the session's version is no change")
  func changes() {
    let first = #"v=0\r\no=- 1 2 IN IP4 0.0.0.0\r\nm=audio 9 UDP 0\r\na=sendrecv\r\n"#
    let second = #"v=0\r\no=- 1 3 IN IP4 0.0.0.0\r\nm=audio 9 UDP 0\r\na=sendonly\r\n"#
    let all = PageDescriptions(
      account([
        described(.sdpLocalSetting, "caller", "offer", first),
        described(.sdpOfferReceived, "caller", "offer", second),
        described(.sdpLocalSetting, "caller", "offer", second),
        described(.sdpLocalSetting, "caller", "offer", second),
      ]), .utc
    ).all
    #expect(all.map(\.what) == ["local offer", "remote offer", "local offer"])
    #expect(all[1].changes == nil)
    #expect(all[2].changes?.added == ["a=sendonly"] && all[2].changes?.removed == ["a=sendrecv"])
  }

  @Test("a line that comes twice and then once is one that went")
  func counted() {
    let changes = PageDescriptions.changes(from: ["a=x", "a=x", "b"], to: ["a=x", "c"])
    #expect(changes.added == ["c"] && changes.removed == ["a=x", "b"])
  }

  @Test("an answer is held against the offer of the other side by what is agreed upon")
  func answer() {
    let offer =
      "v=0\r\no=- 1\r\na=group:BUNDLE 0 1\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111 0\r\na=mid:0\r\na=sendonly\r\na=ice-ufrag:a\r\n"
      + "a=extmap:3 urn:x\r\na=rtpmap:111 opus/48000/2\r\na=rtpmap:0 PCMU/8000\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\n"
    let answer =
      "v=0\r\no=- 2\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=recvonly\r\na=ice-ufrag:b\r\na=extmap:5 urn:x\r\n"
      + "a=rtpmap:111 opus/48000/2\r\na=ptime:20\r\nm=video 0 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\n"
    func event(_ name: EventName, _ text: String) -> AccountEvent {
      SampleAccount.event(
        name, end: "callee",
        args: "{\"sdp\":\"\(text.replacing("\r\n", with: "\\r\\n"))\"}")
    }
    let page = PageDescriptions(
      SampleAccount.call(
        ends: [SampleAccount.end("callee", [])],
        events: [event(.sdpOfferReceived, offer), event(.sdpAnswerSent, answer)]), .utc)
    #expect(page.all.map(\.what) == ["remote offer", "local answer"])
    #expect(page.all[0].answered == nil)
    #expect(
      page.all[1].answered?.differences == [
        .init(
          name: "audio (mid 0)", isRefused: false, added: ["a=ptime:20"], removed: ["a=rtpmap:0 PCMU/8000"]),
        .init(name: "video (mid 1)", isRefused: true, added: [], removed: []),
      ])
    #expect(
      page.all[1].answered?.words
        == "video (mid 1) refused, 1 line of the offer not taken, 1 of its own")
  }

  @Test("a pair is a row of what its statistics last told")
  func pairs() {
    let args =
      #"{"count":3,"candidate_pairs":[{"selected":true,"nominated":true,"state":"succeeded","local_type":"host","local":"10.0.0.1:5","#
      + #""remote_type":"relay","remote":"192.0.2.9:7","protocol":"udp","local_network":"wifi","requests_sent":3,"#
      + #""responses_received":2,"rtt_ms":25,"bytes_sent":900,"bytes_received":8000}]}"#
    let page = PageCandidates(
      SampleAccount.call(events: [SampleAccount.event(.mediaPathPairs, end: "caller", args: args)]), .utc)
    #expect(
      page.pairs.map(\.cells) == [
        [
          "caller", "host, wifi: 10.0.0.1:5", "relay: 192.0.2.9:7", "udp", "succeeded", "in use", "3", "2",
          CellText.unknown, "25 ms", "900 B sent, 8 kB received",
        ]
      ])
  }

  @Test("a candidate's parts are read by their places, and what is none is left out")
  func candidates() {
    let line = "candidate:1 1 udp 2122194687 192.0.2.2 46757 typ host generation 0"
    let read = CandidateLine(line)
    #expect(read?.address == "192.0.2.2:46757" && read?.type == "host" && read?.networkProtocol == "udp")
    #expect(CandidateLine("candidate:1 1 UDP 1 fd00::2 9 typ srflx")?.address == "[fd00::2]:9")
    #expect(CandidateLine("candidate:1 1 udp") == nil)
  }

  @Test("a candidate that packets went over is in use, also one that nobody announced")
  func used() {
    var end = SampleAccount.end("caller", [])
    end.path = [
      PathStep(
        fromMs: 0, localType: "prflx", remoteType: "host", local: "192.0.2.2:5", remote: "192.0.2.9:7",
        networkProtocol: "udp")
    ]
    let line = #"{"candidate":"candidate:1 1 udp 1 192.0.2.9 7 typ host"}"#
    let page = PageCandidates(
      SampleAccount.call(
        "c", ends: [end], findings: [],
        events: [SampleAccount.event(.iceRemoteCandidate, end: "caller", args: line)]), .utc)
    #expect(page.candidates.map(\.address) == ["192.0.2.9:7", "192.0.2.2:5"])
    #expect(page.candidates.map(\.isUsed) == [true, true])
  }
}
