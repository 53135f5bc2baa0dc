import CallModel
import Testing

@Suite("Kandy Link / SPiDR")
struct KandyTests {
  private func info(_ action: String, _ type: String, _ ms: Int) -> String {
    #"{"action":"\#(action)","type":"\#(type)","callId":"7E60","time":"\#(Int(scriptStart) + ms)"}"#
  }

  @Test("the objects of callAdditionalInfoChanged as they are, a list's bullet and all")
  func objects() throws {
    let lines = [
      info("callMetric", "callCreate", 0), info("iceTimeout", "iceNoRelay", 4000),
      info("callMetric", "o callRestSent", 4010),
      info("callMetric", "callRinging", 4500), info("callMetric", "callAnswerReceived", 9500),
      info("iceState", "iceConnected", 9900),
      info("ipChange", "ipChangeStarted", 20000), info("ipChange", "ipChangeEnded", 23000),
      info("iceState", "iceDisconnected", 24000),
    ]
    let story = try Story(.runLog, lines.joined(separator: "\n"))
    #expect(
      story.log.names == [
        .callCreated, .iceGatheringComplete, .callRequestSent, .callRinging, .callAnswered, .iceConnected,
        .networkChanged, .networkChanged, .iceDisconnected,
      ])
    #expect(story.lasted(.gathering) == 4000)
    #expect(story.attempt?.phases[1].cause == "ICE collection timed out without a relay candidate")
    #expect(story.lasted(.signalling) == 490)
    #expect(story.lasted(.ringing) == 5000)
    #expect(story.attempt?.postDialDelayMs == 4500)
    #expect(story.events(.networkChanged).first?.untilMs == scriptStart + 23000)
    #expect(story.log.identities.contains(.init(.call, "7E60")))
    #expect(story.log.records.allSatisfy { $0.sdk == "kandy-link" })
  }

  @Test("an incoming call: accepting it is where this end's setup begins")
  func incoming() throws {
    let story = try Story(
      .runLog,
      [
        info("callMetric", "incomingCall", 0), info("callMetric", "callCreate", 3000),
        info("callMetric", "callRestSent", 3200),
      ]
      .joined(separator: "\n") + "\n"
        + runLog("kandy-link", [#"4000 callStatusChanged {"state":"CALLSTATES_IN_CALL"}"#]).replacing(
          "c1", with: "7E60"))
    #expect(story.attempt?.direction == .incoming)
    #expect(story.lasted(.ringing) == 3000)
    #expect(story.attempt?.setupMs == 1000)
  }

  @Test("states in every spelling, hold on either side, an end with its code")
  func states() throws {
    let states = [
      "CALLSTATES_DIALING", ".ringing", "inCall", "ON_HOLD", "onDoubleHold", "CALLSTATES_REMOTELY_HELD",
      "IN_CALL",
    ]
    let story = try Story(
      .runLog,
      runLog(
        "kandy-link",
        states.enumerated().map { "\($0 * 1000) callStatusChanged {\"state\":\"\($1)\"}" }
          + [#"9000 callStatusChanged {"state":"ENDED","statusCode":"9901","reason":"Ended by local user"}"#])
    )
    #expect(
      story.log.names == [
        .callDialing, .callRinging, .callEstablished, .callHeld, .callDoubleHeld, .callRemotelyHeld,
        .callResumed, .callEnded,
      ])
    #expect(story.events(.callHeld).first?.untilMs == scriptStart + 5000)
    #expect(story.events(.callRemotelyHeld).first?.untilMs == scriptStart + 6000)
    #expect(story.log.records.last?.argument("words") == "this end ended the call")
    #expect(story.attempt?.outcome == .completed)
    #expect(story.anomalies.isEmpty)
  }

  @Test(
    "end codes before the call was established",
    arguments: [
      ("9900", Outcome.rejected), ("9901", .cancelled), ("9902", .rejected), ("9903", .noAnswer),
      ("9904", .cancelled),
      ("9906", .failed), ("9907", .cancelled), ("404", .failed), ("480", .failed), ("487", .noAnswer),
      ("603", .rejected),
      ("486", .busy), ("503", .failed),
    ])
  func codes(code: String, outcome: Outcome) throws {
    let story = try Story(
      .runLog,
      runLog(
        "kandy-link",
        [
          "0 callCreate", "10 callRestSent",
          #"900 callStatusChanged {"state":"ENDED","statusCode":\#(code)}"#,
        ]))
    #expect(story.attempt?.outcome == outcome)
    #expect(story.log.records.last?.argument("words")?.isEmpty == false)
    #expect(story.state(.ice) == .absent)
  }

  @Test(
    "an end code without a name, behind the state or behind a word that says what it is",
    arguments: [
      ("callStatusChanged: ENDED (603 Decline)", "603", Outcome.rejected),
      ("callStatusChanged: ENDED 486 Busy Here", "486", .busy),
      ("call status changed: ENDED - 404 - Not Found", "404", .failed),
      ("callStatusChanged: ended, 9900, Reason not provided", "9900", .rejected),
      ("callStatusChanged ENDED statusCode 404 reason Not Found", "404", .failed),
      ("CALLSTATES_ENDED (487 Request Terminated)", "487", .noAnswer),
      ("callStatusChanged: ENDED", nil, .unknown),
      ("callStatusChanged: ENDED after 486 s", nil, .unknown),
      ("callStatusChanged: ENDED 486 s", nil, .unknown),
      ("callStatusChanged: 603 ENDED", nil, .unknown),
    ] as [(String, String?, Outcome)])
  func codesAmongWords(line: String, code: String?, outcome: Outcome) throws {
    let story = try Story(
      .sdkText,
      """
      2026-11-20T10:00:00.000Z callStatusChanged: CALLSTATES_DIALING
      2026-11-20T10:00:01.000Z callStatusChanged: CALLSTATES_RINGING
      2026-11-20T10:00:09.000Z \(line)

      """)
    #expect(story.log.names.last == .callEnded)
    #expect(story.log.records.last?.argument("code") == code)
    #expect(story.attempt?.outcome == outcome)
  }

  @Test("appendix B: what may not follow is an anomaly, what is merely ignored is none")
  func transitions() throws {
    func anomalies(_ states: String...) throws -> [String] {
      try Story(
        .runLog,
        runLog("kandy-link", states.enumerated().map { "\($0) callStatusChanged {\"state\":\"\($1)\"}" })
      ).anomalies
    }
    #expect(try anomalies("INITIAL", "DIALING", "SESSION_PROGRESS", "RINGING", "IN_CALL", "ENDED").isEmpty)
    #expect(
      try anomalies(
        "INITIAL", "RINGING", "ANSWERING", "IN_CALL", "REMOTELY_HELD", "ON_DOUBLE_HOLD", "ON_HOLD", "IN_CALL"
      ).isEmpty)
    #expect(try anomalies("IN_CALL", "DIALING").first == "incall does not lead to dialing")
    #expect(try anomalies("DIALING", "ON_HOLD").first == "dialing does not lead to onhold")
    #expect(try anomalies("ENDED", "IN_CALL").first == "ended does not lead to incall")
    #expect(try anomalies("ENDED", "INITIAL", "DIALING").isEmpty, "a new call")
  }

  @Test("what an application prints with NSLog: the objects' own times, and the zone they reveal")
  func text() throws {
    let log = """
      2026-11-21 03:55:00.010 MyApp[412:99] Time from creating call until callCreate is 0 for callid 7E60
      2026-11-21 03:55:00.011 MyApp[412:99] Detailed info is {
          action = callMetric;
          callId = 7E60;
          time = 1795226100000;
          type = callCreate;
      }
      2026-11-21 03:55:00.812 MyApp[412:99] Time from creating call until callRinging is 812 for callid 7E60
      2026-11-21 03:55:00.813 MyApp[412:99] Detailed info is ["action": callMetric, "type": callRinging, "callId": 7E60, "time": 1795226100812]
      2026-11-21 03:55:03.000 MyApp[412:99] Call establishment is successful
      2026-11-21 03:55:04.000 MyApp[412:99] registered with password = hunter22; user = x
      2026-11-21 03:55:05.000 MyApp[412:99] UnHold succeeded
      2026-11-21 03:55:08.500 MyApp[412:99] internalErrorDidOccur, errorCode:42 ,errorMessage:AuditRequest
      2026-11-21 03:55:09.000 MyApp[412:99] Call is ended because of reason Ended by local user with code 9901
      """
    #expect(try recognise(log) == .sdkText)
    let story = try Story(.sdkText, log)
    #expect(
      story.log.names == [
        .callCreated, .callRinging, .callEstablished, .callUpdated, .sessionInternalError, .callEnded,
      ])
    #expect(story.log.records.map { ($0.timeMs ?? 0) - scriptStart } == [0, 812, 3000, 5000, 8500, 9000])
    #expect(story.attempt?.postDialDelayMs == 812)
    #expect(story.log.notes.contains { $0.contains("UTC+2") })
    #expect(story.log.records.last?.argument("outcome") == "completed")
    #expect(story.events(.sessionInternalError).first?.argument("component") == "AuditRequest")
  }

  private func states(_ lines: String...) throws -> Story {
    try Story(.sdkText, lines.map { "2026-11-20T10:00:\($0)\n" }.joined())
  }

  @Test("an incoming call told by its states alone: it never dials, and it is answered here")
  func incomingStates() throws {
    let story = try states(
      "00.000Z callStatusChanged: Call state is CALLSTATES_INITIAL call id is X1",
      "00.100Z callStatusChanged: Call state is CALLSTATES_RINGING call id is X1",
      "09.000Z callStatusChanged: Call state is CALLSTATES_ANSWERING call id is X1",
      "09.800Z callStatusChanged: Call state is CALLSTATES_IN_CALL call id is X1")
    #expect(story.log.names == [.callIdle, .callAlerting, .callAnswered, .callEstablished])
    #expect(story.attempt?.direction == .incoming)
    #expect(story.log.directions == [.incoming])
    #expect(story.lasted(.ringing) == 8900)
    #expect(story.attempt?.setupMs == 800)
  }

  @Test(
    "what rings is known by what follows: answered, refused or fed back here, else it rang there",
    arguments: [
      (["09.000Z callStatusChanged ANSWERING", "09.500Z callStatusChanged IN_CALL"], CallDirection.incoming),
      (["09.000Z Reject Call Succeeded ", "09.100Z callStatusChanged ENDED"], .incoming),
      (["00.500Z Ringing Feedback Succeeded", "09.100Z callStatusChanged ENDED"], .incoming),
      (["09.000Z Call is ended because of reason Ignored with code 9903"], .incoming),
      (["09.000Z callStatusChanged IN_CALL", "19.000Z callStatusChanged ENDED"], .outgoing),
      (["09.000Z Call is ended because of reason Rejected with code 603"], .outgoing),
      ([], .outgoing),
    ])
  func side(lines: [String], direction: CallDirection) throws {
    let story = try Story(
      .sdkText,
      (["00.100Z callStatusChanged RINGING"] + lines).map { "2026-11-20T10:00:\($0)\n" }.joined())
    #expect(story.log.names.first == (direction == .incoming ? .callAlerting : .callRinging))
    #expect(story.log.directions == [direction])
    #expect(story.attempt?.direction == direction)
  }

  @Test("a refused call that the log's states began is this end's refusal, not a caller's")
  func refusedStates() throws {
    let story = try states(
      "00.000Z callStatusChanged: Call state is CALLSTATES_INITIAL call id is X1",
      "00.100Z callStatusChanged: Call state is CALLSTATES_RINGING call id is X1",
      "09.000Z Call is ended because of reason Rejected by local user with code 9902")
    #expect(story.log.directions == [.incoming])
    #expect(story.attempt?.outcome == .rejected)
  }

  @Test("two calls of one log: what told of the first is not the second's")
  func twoSides() throws {
    let story = try states(
      "00.000Z didReceiveIncomingPushWithPayload", "01.000Z callStatusChanged RINGING",
      "02.000Z callStatusChanged ANSWERING",
      "03.000Z callStatusChanged IN_CALL",
      "09.000Z callStatusChanged ENDED", "20.000Z callStatusChanged RINGING",
      "22.000Z callStatusChanged IN_CALL", "29.000Z callStatusChanged ENDED")
    #expect(
      story.log.names.filter { $0 == .callAlerting || $0 == .callRinging } == [
        .callAlerting, .callRinging,
      ])
    #expect(story.log.directions == [.incoming, .outgoing])
    #expect(story.events(.pushReceived).map { ($0.untilMs ?? 0) - ($0.timeMs ?? 0) } == [1000])
  }

  @Test("what the Android application prints of mute and picture")
  func android() throws {
    let story = try states(
      "00.000Z Call Status Changed DIALING", "05.000Z Call Status Changed IN_CALL",
      "10.000Z Mute Call Succeeded", "20.000Z UnMute Call Succeeded",
      "25.000Z Video Mute Succeeded", "35.000Z Video UnMute  Succeeded",
      "40.000Z Video Stop  Succeeded", "50.000Z Video Start  Succeeded",
      "55.000Z Transfer Call Succeeded")
    #expect(
      story.log.records.dropFirst(2).map { "\($0.event) \($0.argument("kind") ?? "")" } == [
        "call.muted audio", "call.unmuted audio", "call.muted video", "call.unmuted video",
        "call.muted video", "call.unmuted video", "call.transferred ",
      ])
    #expect(story.events(.callMuted).map { ($0.untilMs ?? 0) - ($0.timeMs ?? 0) } == [10000, 10000, 10000])
  }

  @Test("an id that ends a line of the guide is one word, whatever an application prints behind it")
  func idAmongWords() throws {
    let story = try Story(
      .sdkText,
      """
      2026-11-20T10:00:00.000Z callStatusChanged: Call state is DIALING call id is k-1
      2026-11-20T10:00:00.900Z callStatusChanged: Call state is ENDED call id is k-1, statusCode: 302 reason: Moved Temporarily

      """)
    let ended = try Story(
      .sdkText,
      "2026-11-20T10:00:00Z Call is ended because of reason Decline with code 603 (call.js, line 88)\n")
    #expect(ended.log.records.map { $0.argument("code") } == ["603"])
    #expect(story.log.records.map { $0.argument("callId") } == ["k-1", "k-1"])
    #expect(story.log.records.last?.argument("words")?.hasPrefix("redirected") == true)
    #expect(story.attempt?.outcome == .failed)
  }

  @Test("who establishes a call is its caller, whatever stands in front of the ringing")
  func establishing() throws {
    let story = try Story(
      .sdkText,
      """
      2026-11-20T10:00:00.100Z callStateChanged: INITIAL
      2026-11-20T10:00:01.000Z Establish Call Succeeded
      2026-11-20T10:00:01.500Z Callee is ringing now
      2026-11-20T10:00:05.500Z Call is ended because of reason No answer with code 487

      """)
    #expect(story.log.names == [.callIdle, .callUpdated, .callRinging, .callEnded])
    #expect(story.attempt?.outcome == .noAnswer)
  }
}
