import CallModel
import Testing

@Suite("What applications print of a callback, each in its own words")
struct WordingTests {
  private func story(_ lines: [String]) throws -> Story {
    try Story(
      .sdkText,
      lines.enumerated().map { "2026-11-20T10:00:0\($0.offset).000Z app.js:31 \($0.element)\n" }.joined())
  }

  @Test(
    "Oracle's states",
    arguments: [
      "call state: %", "Call state changed:%", #"Call State - {"state":"%","status":{"code":null}}"#,
      "CallState : %",
    ])
  func oracle(wording: String) throws {
    let states = ["STARTED", "RESPONDED", "ESTABLISHED", "ENDED"]
    let text = states.map { "2026-11-20T10:00:00Z \(wording.replacing("%", with: $0))\n" }.joined()
    #expect(try recognise(text) == .sdkText)
    let log = try read(.sdkText, text)
    #expect(log.facts[0]?.sdk == "oracle-wsc")
    #expect(
      log.names == [.callCreated, .callRequestSent, .callRinging, .callEstablished, .callEnded])
  }

  @Test("Cisco's states, in the words of its samples")
  func cisco() throws {
    let android = try story([
      "call status changed: SETUP", "call status changed: RINGING", "onRemoteMediaStream",
      "call status changed: IN_CALL", "call status changed: ENDED", "Call ended",
    ])
    #expect(
      android.log.names == [
        .callCreated, .callRinging, .mediaRemoteStream, .callEstablished, .callEnded,
      ])
    let phone = try story([
      "CALL IS STATUS: IN-SETUP", "CALL IS STATUS: MEDIA PENDING", "CALL IS STATUS: IN-CALL",
    ])
    #expect(phone.log.names == [.callCreated, .callMediaPending, .callEstablished])
    #expect(phone.log.facts[0]?.sdk == "cisco-rem")
  }

  @Test("Kandy's states and the id of the call: two that overlap are two")
  func kandy() throws {
    let log = try story([
      "incomingCall: id is A-1", "callStatusChanged: Call state is IN_CALL call id is A-1",
      "incomingCall: id is B-2", "callStatusChanged: Call state is: ENDED call id is: B-2",
      "callStatusChanged: Incoming send broadcast success",
      "callStatusChanged: Call state is ENDED call id is A-1",
    ]).log
    #expect(Set(log.facts.values.compactMap(\.call)) == ["A-1", "B-2"])
    let first = log.events.filter { $0.connection == 0 && $0.record.event != .unknown }
    #expect(first.map(\.record.event) == [.callIncoming, .callEstablished, .callEnded])
    let view = try story([
      "Call Status Changed DIALING", "Call Status Changed IN_CALL", "End Call Succeeded",
      "Call Status Changed ENDED",
    ])
    #expect(view.log.names == [.callDialing, .callEstablished, .callUpdated, .callEnded])
  }

  @Test("Rebtel's Android callbacks, and its sample's words")
  func rebtel() throws {
    for lines in [
      ["callUser bob", "onCallReceivedOnRemoteEnd", "onCallEstablished", "onCallEnded cause=HUNG_UP"],
      ["callUser bob", "onCallProgressing", "onCallEstablished", "onCallEnded cause=HUNG_UP"],
      [
        "callUserWithId bob", "Remote end started ringing", "Call established",
        "Call ended, cause: HUNG_UP",
      ],
      ["callUser bob", "Call progressing", "Call established", "Call ended. Reason: HUNG_UP"],
    ] {
      let story = try story(lines)
      #expect(story.log.names == [.callCreated, .callRinging, .callEstablished, .callEnded])
      #expect(story.attempt?.outcome == .completed)
      #expect(story.log.records.last?.argument("words") == "one end hung up")
    }
    let incoming = try Story(
      .runLog,
      runLog(
        "sinch",
        ["0 didReceiveIncomingCall", "3000 callAnswered:", "3600 callEstablished:", "9000 callEnded:"]))
    #expect(incoming.lasted(.ringing) == 3000)
    #expect(incoming.attempt?.setupMs == 600)
  }

  @Test("Rebtel's sample ends one call, and the next is another")
  func twoCalls() throws {
    let log = try story([
      "callUser bob", "Call progressing", "Call established", "Call ended. Reason: HUNG_UP", "callUser carl",
      "Call progressing", "Call ended. Reason: DENIED",
    ]).log
    #expect(Set(log.events.map(\.connection)).count == 2)
    #expect(log.records.last?.argument("outcome") == "rejected")
  }

  @Test("Cisco's sample: the user's choice, and problems with the network")
  func ciscoSample() throws {
    let rejected = try story([
      "onIncomingCall", "User chose to reject the call", "User has ended the call",
      "onStatusChanged - new status: ENDED",
    ])
    #expect(rejected.attempt?.outcome == .rejected)
    let answered = try story([
      "onIncomingCall", "onStatusChanged - new status: ALERTING", "User chose to answer the call",
      "onStatusChanged - new status: IN_CALL", "Connection retry attempt 1, in 500ms",
      "Connection retry attempt 2, in 1000ms", "Connection reestablished!",
    ])
    #expect(answered.log.names.suffix(3) == [.networkRetry, .networkRetry, .networkReestablished])
    #expect(answered.events(.networkRetry).map { $0.argument("attempt") } == ["1", "2"])
    #expect(answered.events(.networkRetry).map { $0.argument("delay") } == ["500", "1000"])
    #expect(answered.events(.networkRetry).first?.untilMs != nil)
    #expect(answered.lasted(.ringing) == 2000)
  }

  @Test(
    "the attempt of a retry, however the selector is printed",
    arguments: [
      "uc:willRetryConnectionNumber:3 in:2.0", "uc:willRetryConnectionNumber: 3 in: 2.0",
      "willRetryConnectionNumber 3 in 2.0", "willRetryConnectionNumber(3, 2.0)",
    ])
  func retries(line: String) throws {
    let log = try story(["ACBClientCallStatusInCall", line]).log
    #expect(log.records.last?.event == .networkRetry)
    #expect(log.records.last?.argument("attempt") == "3")
    #expect(log.records.last?.argument("delay") == "2.0")
  }

  @Test("a state right behind the colon of a callback's name")
  func joined() throws {
    #expect(
      try story(["call:didChangeStatus:RINGING", "call.onStatusChanged:IN_CALL"]).log.names == [
        .callRinging, .callEstablished,
      ])
  }

  @Test("Oracle's session, in the words of its guide: what it lost lasts until it is back")
  func oracleSession() throws {
    let log = try story([
      "stateChanged: WSC_CS_ESTABLISHED", "Session is attempting reconnection.", "Session is connected.",
      "Session connection has been closed.",
    ])
    #expect(
      log.log.names == [.callEstablished, .sessionReconnecting, .sessionConnected, .sessionClosed])
    #expect(log.events(.sessionReconnecting).first?.untilMs != nil)
  }

  @Test("words of any application make no log of an SDK, and count for its own alone")
  func anyone() throws {
    let words = [
      "Call established", "Call ended, cause: 5", "call state: IDLE", "Call state changed: 1",
      "call status changed: 2", "Call answered", "call state: ended",
      "Session is connected.", "Call ended. Reason: none", "Connection reestablished",
    ]
    #expect(try recognise(words.map { "2026-11-20T10:00:00Z \($0)\n" }.joined()) == nil)
    #expect(try story(words).log.records.isEmpty)
    let cisco = try story(["onStatusChanged SETUP"] + words + ["onEnded"])
    #expect(cisco.log.names == [.callCreated, .networkReestablished, .callEnded])
  }

  @Test("an object that Node or React Native prints is a callback's arguments, also over lines")
  func printedObjects() throws {
    let log = try read(
      .sdkText,
      """
      2026-11-20 10:00:00.100 [info] 'createCall', { callId: 'c1' }
      2026-11-20 10:00:01.100 [info] 'onStatusChanged', { callId: 'c1', status: 'RINGING' }
      2026-11-20 10:00:05.400 onStatusChanged {
        callId: 'c1',
        status: 'MEDIA_PENDING',
        remoteAddress: 'sip:agent-with-a-long-address@contact-center.example.com',
        legs: {
          first: 'a'
        }
      }
      2026-11-20 10:00:06.300 onStatusChanged: {
        "callId": "c1",
        "status": "IN_CALL"
      }
      2026-11-20 10:00:07.300 onStatusChanged {
        status: 'ON_HOLD',
      2026-11-20 10:01:06.300 onStatusChanged: ENDED
      """)
    #expect(log.records.map(\.raw).count == 6 && log.names.last == .callEnded)
    #expect(log.names[1...3] == [.callRinging, .callMediaPending, .callEstablished])
    #expect(log.records.map(\.line) == [1, 2, 3, 11, 15, 17])
    #expect(log.records[2].argument("callId") == "c1" && log.records[3].argument("status") == "IN_CALL")
    #expect(log.records[4].argument("status") == "ON_HOLD", "what came of it is kept: \(log.records[4].args)")
    #expect(log.records.allSatisfy { $0.timeMs != nil } && log.rejects.isEmpty)
  }
}
