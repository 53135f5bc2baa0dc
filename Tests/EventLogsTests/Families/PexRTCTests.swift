import CallModel
import Testing

@Suite("What PexRTC prints to a browser's console")
struct PexRTCTests {
  private static let answer = #"{call_uuid: 'c-1', sdp: 'v=0\r\ns=-\r\n'}"#
  private static let ring: [(ms: Int, line: String)] = [
    (
      100,
      "PexRTC.sendRequest request_token {display_name: 'Zoe'} POST https://vc/api/client/v2/conferences/meet/request_token"
    ),
    (
      1000,
      "PexRTC.sendRequest participants/u-1/calls {call_type: 'WEBRTC', sdp: 'v=0'} POST https://vc/x/participants/u-1/calls"
    ),
    (1050, "Ice Gathering State gathering"),
    (1051, "Gathered ICE candidate candidate:1 1 udp 2113937151 10.0.0.5 50000 typ host generation 0"),
    (1200, "Ice Gathering State complete"), (1300, "Received answer \(answer)"),
    (1340, "Remote description active"),
    (
      1350,
      "PexRTC.sendRequest participants/u-1/calls/c-1/ack null POST https://vc/x/participants/u-1/calls/c-1/ack"
    ),
    (1360, "Ice Connection State checking"),
  ]

  private func story(_ more: [(ms: Int, line: String)]) throws -> Story {
    let lines = (Self.ring + more).map { ms, line in
      let seconds = ms % 60000 / 1000
      let millis = ms % 1000
      let stamp =
        "2026-11-20T10:00:" + (seconds < 10 ? "0" : "") + "\(seconds)."
        + String(repeating: "0", count: 3 - "\(millis)".count) + "\(millis)Z"
      return "\(stamp) pexrtc.js:3210 \(line)\n"
    }
    return try Story(.sdkText, lines.joined())
  }

  @Test("what PexRTC prints of a call by itself: request, answer, ack, ICE, the end")
  func console() throws {
    let ended =
      #"call_disconnected {call_uuid: 'c-1', reason: 'Conference terminated by a Host participant'}"#
    let story = try story([
      (1410, "Ice Connection State connected"), (1420, "ackReceived MediaStream {id: 'a1'}"), (41000, ended),
    ])
    #expect(story.attempt?.outcome == .completed)
    #expect(story.attempt?.direction == .outgoing)
    #expect(story.lasted(.signalling) == 300)
    #expect(story.lasted(.gathering) == 150)
    #expect(story.lasted(.negotiation) == 40)
    #expect(story.lasted(.ice) == 50)
    #expect(story.attempt?.setupWallMs == 1250)
    #expect(story.events(.iceCandidate).first?.argument("candidate_type") == "host")
    #expect(story.log.identities.contains(Identity(.session, "c-1")))
  }

  @Test(
    "a hang-up here ends the call; a call whose ICE never connected has failed, though it was acknowledged")
  func ends() throws {
    let local = try story([
      (1410, "Ice Connection State connected"), (41000, "Sending disconnect"),
      (
        41001,
        "PexRTC.sendRequest participants/u-1/calls/c-1/disconnect {} POST https://vc/x/participants/u-1/calls/c-1/disconnect"
      ),
    ])
    #expect(local.attempt?.outcome == .completed)
    #expect(local.events(.callEnded).first?.argument("by") == "local")
    let failed = try story([(16400, "Ice Connection State failed"), (16420, "onError Call Failed: no media")])
    #expect(failed.attempt?.outcome == .failed)
    #expect(failed.attempt?.setupMs == nil)
  }

  @Test("requests are told by the ends of their paths")
  func requests() throws {
    let base = "POST https://vc.example.com/api/client/v2/conferences/meet.alice"
    let log = try read(
      .sdkText,
      [
        "\(base)/request_token 200", "\(base)/participants/u1/calls 200",
        "\(base)/participants/u1/calls/c1/ack?x=1 200", "\(base)/participants/u1/calls/c1/new_candidate 200",
        "\(base)/participants/u1/mute 200", "\(base)/participants/u1/calls/c1/disconnect 200",
        "\(base)/release_token 200",
      ].map { "2026-11-20T10:00:00Z app.js:1 \($0)\n" }.joined())
    #expect(
      log.names == [
        .tokenRequested, .sdpOfferSent, .callEstablished, .iceCandidate, .callMuted, .callEnded,
        .tokenReleased,
      ])
    #expect(log.records[2].argument("call_uuid") == "c1")
  }

  @Test("hold, the stream's problems and who threw it out stand in the console too")
  func streamInConsole() throws {
    let story = try story([
      (1410, "Ice Connection State connected"), (5000, "call_hold {setting: true}"),
      (9000, "call_hold {setting: false}"), (11000, "event source error Event {isTrusted: true}"),
      (11010, "reconnecting..."), (11300, "event source open"), (20000, "stage [{participant_uuid: 'u-1'}]"),
      (41000, #"disconnect {reason: "Conference terminated by a Host participant"}"#),
    ])
    #expect(story.events(.callHeld).first?.untilMs == story.events(.callResumed).first?.timeMs)
    #expect(
      story.events(.sessionReconnecting).first?.untilMs == story.events(.sessionConnected).first?.timeMs)
    #expect(story.events(.conferenceStage).count == 1)
    #expect(story.events(.callEnded).first?.argument("outcome") == "completed")
    #expect(story.attempt?.outcome == .completed)
  }

  @Test(
    "a plain word is an event only in a log of its SDK, and only before an object",
    arguments: ["onStatusChanged: RINGING", "makeCall meet.alice"])
  func plainWords(first: String) throws {
    let lines = [
      first, "will disconnect now", "disconnect (3)", "layout: [1]",
      #"disconnect {"reason":"Token expired"}"#,
    ]
    let log = try read(
      .sdkText, lines.enumerated().map { "2026-11-20T10:00:0\($0.offset)Z \($0.element)\n" }.joined())
    #expect(log.names.dropFirst() == (first.hasPrefix("make") ? [.callEnded] : []))
  }

  @Test("a server's stream alone does not tell whether a call was answered")
  func streamAlone() throws {
    let story = try Story(
      .sdkText,
      [
        "PexRTC.sendRequest request_token", "participant_sync_begin",
        "call_disconnected {reason: 'Conference terminated by a Host participant'}",
      ].enumerated().map { "2026-11-20T10:00:0\($0.offset)Z pexrtc.js:3210 \($0.element)\n" }.joined())
    #expect(story.attempt?.outcome == .unknown)
  }
}
