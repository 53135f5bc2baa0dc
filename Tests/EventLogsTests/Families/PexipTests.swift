import CallModel
import EventLogs
import Testing

@Suite("Pexip's client API")
struct PexipTests {
  @Test("from the token to the first media")
  func setup() throws {
    let story = try Story(
      .runLog,
      runLog(
        "pexip",
        [
          #"0 request_token {"status":200,"token":"SE9TVEx0b2tlbl9vbmU","participant_uuid":"p1","expires":"120","url":"https://c/api?pin=2468"}"#,
          "120 events_connected", "150 participant_sync_begin", "151 participant_sync_end",
          #"300 calls {"sdp":"v=0\r\nm=video 9 UDP 96\r\nb=AS:576\r\nb=TIAS:512000\r\na=ice-ufrag:aa\r\n"}"#,
          #"900 calls_response {"sdp":"v=0\r\na=ice-ufrag:bb\r\n"}"#,
          "950 ack", "1100 firstFrameRendered", "60000 refresh_token", "90000 call_disconnect",
          "90001 release_token",
        ]))
    #expect(
      story.log.names == [
        .tokenRequested, .sessionConnected, .conferenceRosterSyncing, .conferenceRosterSynced,
        .sdpOfferSent, .sdpAnswerReceived, .callEstablished, .mediaFirstFrame, .tokenRefreshed, .callEnded,
        .tokenReleased,
      ])
    #expect(story.lasted(.signalling) == 600)
    #expect(story.attempt?.setupMs == 950)
    #expect(story.lasted(.firstFrame) == 150)
    #expect(story.attempt?.outcome == .completed)
    #expect(story.log.notes.isEmpty)
    let text = story.log.records.map(\.args).joined()
    #expect(!text.contains("SE9T") && !text.contains("2468"))
  }

  @Test("refused: a wrong PIN; and a TIAS in kilobits is flagged")
  func refused() throws {
    let story = try Story(
      .runLog, runLog("pexip", ["0 request_token", #"90 request_token_failed {"reason":"Invalid PIN"}"#]))
    #expect(story.attempt?.outcome == .rejected)
    let mixed = try Story(.runLog, runLog("pexip", [#"0 calls {"sdp":"v=0\r\nb=AS:576\r\nb=TIAS:576\r\n"}"#]))
    #expect(mixed.log.notes.first?.contains("TIAS") == true)
  }

  @Test(
    "setup begins where media were asked for, not where somebody came to chat; asked for at once, joining is part of it",
    arguments: [(60_000, 1000.0), (12_000, 13_000)])
  func escalated(offer: Int, setup: Double) throws {
    let story = try Story(
      .runLog,
      runLog(
        "pexip",
        [
          "0 request_token", "300 participant_sync_begin", "400 participant_sync_end",
          "5000 message_received",
          "\(offer) calls", "\(offer + 700) calls_response", "\(offer + 1000) ack", "90000 call_disconnect",
        ]))
    #expect(story.attempt?.setupMs == setup)
    #expect(story.attempt?.fromEvent == (setup == 1000 ? .sdpOfferSent : .tokenRequested))
    #expect(story.lasted(.signalling) == 700)
  }

  @Test("a call made to join without media begins when they are added, and so does what is gathered for it")
  func addedLater() throws {
    let story = try Story(
      .runLog,
      runLog(
        "pexip",
        [
          "0 makeCall", "10 request_token", "300 participant_sync_begin", "400 participant_sync_end",
          "60000 getUserMedia", "60500 getUserMediaOnSuccess", "60600 createOfferOnSuccess",
          #"61000 icegatheringstatechange {"value":"complete"}"#, "61100 calls", "61900 ack",
        ]))
    #expect(story.attempt?.setupWallMs == 1900)
    #expect(story.lasted(.gathering) == 400)
  }

  @Test("a call created while its end is still let into the room began with that")
  func createdOnTheWay() throws {
    let lines = ["0 request_token", "300 makeCall", "400 participant_sync_end", "700 calls", "1900 ack"]
    #expect(try Story(.runLog, runLog("pexip", lines)).attempt?.setupMs == 1900)
  }

  @Test(
    "whoever was let in and went on to media at once began with the token, however many lines its log has on the way",
    arguments: [
      [], ["3500 tryToEscalate"], ["3500 create", "3600 createOfferOnSuccess"], ["3500 makeCall"],
    ])
  func createdInside(lines: [String]) throws {
    let story = try Story(
      .runLog,
      runLog(
        "pexip",
        ["0 request_token", "1000 events_connected", "2000 participant_sync_end"] + lines
          + ["4000 calls", "4600 calls_response", "4800 ack"]))
    #expect(story.attempt?.setupMs == 4800)
    #expect(story.attempt?.fromEvent == .tokenRequested)
  }

  private static let joined = [
    #"0 request_token {"status":200,"participant_uuid":"p1"}"#, "400 calls", "900 calls_response", "1000 ack",
  ]

  @Test(
    "the server's word on the end of a call is its end",
    arguments: [
      ("disconnect", "Conference terminated by a Host participant", Outcome.completed),
      ("disconnect", "Timer expired awaiting token refresh", .dropped),
      ("call_disconnected", "Media process disconnected", .dropped),
    ])
  func disconnected(event: String, reason: String, outcome: Outcome) throws {
    let story = try Story(
      .runLog, runLog("pexip", Self.joined + [#"60000 \#(event) {"reason":"\#(reason)"}"#]))
    #expect(story.log.names.last == .callEnded)
    #expect(story.log.records.last?.argument("words") != nil)
    #expect(story.attempt?.outcome == outcome)
  }

  @Test("a stream alone tells what went wrong at the end")
  func streamAlone() throws {
    let stream = """
      2026-11-20T10:00:00Z event: presentation_start
      2026-11-20T10:00:00Z data: {}
      2026-11-20T10:00:00Z\u{20}
      2026-11-20T10:01:00Z event: call_disconnected
      2026-11-20T10:01:00Z data: {"call_uuid":"c1","reason":"Media process disconnected"}
      2026-11-20T10:01:00Z\u{20}

      """
    #expect(try Story(.sse, stream).attempt?.outcome == .dropped)
  }

  @Test("who gives the token back leaves, once, and a call after it is another")
  func released() throws {
    let left = try Story(.runLog, runLog("pexip", Self.joined + ["60000 release_token"]))
    #expect(left.log.names.suffix(2) == [.callEnded, .tokenReleased])
    #expect(left.attempt?.outcome == .completed)
    let text = [
      "makeCall a", "ack", "release_token", "makeCall b", "onDisconnect Token expired", "release_token",
    ]
    let two = try read(
      .sdkText, text.enumerated().map { "2026-11-20T10:0\($0.offset):00Z \($0.element)\n" }.joined())
    #expect(two.names.count { $0 == .callEnded } == 2)
    #expect(Set(two.events.map(\.connection)).count == 2)
    let refused = try Story(
      .runLog, runLog("pexip", Self.joined + [#"60000 release_token {"status":403}"#]))
    #expect(refused.attempt?.outcome == .unknown)
  }
}
