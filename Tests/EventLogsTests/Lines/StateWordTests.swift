import CallModel
import Testing

@Suite("The state in a callback's line")
struct StateWordTests {
  private static let outgoing = ["DIALING", "RINGING", "IN_CALL", "ENDED"]

  private func story(_ lines: [String]) throws -> Story {
    try Story(
      .sdkText,
      lines.enumerated().map { "2026-11-20T10:00:0\($0.offset).000Z \($0.element)\n" }.joined())
  }

  @Test(
    "the only word that is a state decides, however the line is worded",
    arguments: [
      "callStatusChanged: Call state is %", "callStatusChanged state is % now", "callStatusChanged -> %",
      "callStatusChanged callState.type = %", "callStatusChanged, new state: %", "callStatusChanged(8f, %)",
      "callStatusChanged: CallState{type=%, statusCode=0}", "callStatusChanged <SMOutgoingCall: 0x1d4> %",
      "callStatusChanged call[SMCall@1a] state[%], message[null]",
    ])
  func wordings(line: String) throws {
    let story = try story(Self.outgoing.map { line.replacing("%", with: $0) })
    #expect(story.log.names == [.callDialing, .callRinging, .callEstablished, .callEnded])
    #expect(Set(story.log.records.map(\.sdk)) == ["kandy-link"])
  }

  @Test("blanks, case, hyphens and underscores of a state do not matter")
  func spellings() throws {
    let story = try story([
      "onStatusChanged - new status: Setup", "onStatusChanged status is media pending",
      "onStatusChanged status=IN-CALL", "onStatusChanged in_call", "onStatusChanged no mb capacity",
    ])
    #expect(
      story.log.names == [
        .callCreated, .callMediaPending, .callEstablished, .callEstablished, .callFailed,
      ])
  }

  @Test("what brackets hold is the value of the name before them")
  func brackets() throws {
    let busy = "onStatusChanged call[fcsdk.CallImpl@1a2b] callStatus[BUSY], message[Busy Here], reason[486]"
    let log = try story(["onStatusChanged SETUP", busy]).log
    #expect(log.names == [.callCreated, .callFailed])
    #expect(log.records.last?.argument("message") == "Busy Here")
    #expect(log.records.last?.argument("reason") == "486")
    #expect(log.records.last?.argument("code") == "BUSY")
  }

  @Test("of two states without a name nobody knows which it is")
  func ambiguous() throws {
    let log = try story(["onInCall", "onStatusChanged IN_CALL, ENDED", "onEnded"]).log
    #expect(log.names == [.callEstablished, .unknown, .callEnded])
    #expect(
      try story(["onInCall", "onStatusChanged old=RINGING status=ENDED"]).log.names.last == .callEnded)
  }

  @Test(
    "of two states an arrow points to the new one",
    arguments: [
      "callStatusChanged: % -> %", "callStatusChanged % => % callId=A",
      "callStatusChanged [%] --> [%] (9900)",
      "callStatusChanged %->%", "callStatusChanged state: % \u{2192} %", "callStatusChanged state=% -> %",
      #"callStatusChanged {"state":"% -> %"}"#, "callStatusChanged old=% new=%",
      #"callStatusChanged {"from":"%","to":"%"}"#,
    ])
  func arrows(line: String) throws {
    let states = ["INITIAL"] + Self.outgoing
    let story = try story(
      zip(states, Self.outgoing).map { old, new in
        let parts = line.split(separator: "%", omittingEmptySubsequences: false)
        return parts[0] + old + parts[1] + new + parts[2]
      })
    #expect(story.log.names == [.callDialing, .callRinging, .callEstablished, .callEnded])
  }

  @Test("an arrow to several words, along a chain, between numbers, and to no state")
  func longArrows() throws {
    let log = try story([
      "onStatusChanged: SETUP -> RINGING -> MEDIA PENDING", "onStatusChanged MEDIA_PENDING -> 0.9 s",
      "onStatusChanged IN CALL -> ENDED (was RINGING)",
    ]).log
    #expect(log.names == [.callMediaPending, .callMediaPending, .callEnded])
    let numbers = try story([
      "onCallStateChanged: WSC_CS_NONE => WSC_CS_STARTED", "Call State changed : 1 -> 2",
    ])
    #expect(numbers.log.names.last == .callRinging)
    let busy = try story([
      "stateChanged: WSC_CS_STARTED",
      #"Call State changed : 5 cause: <WSCCause: 0x1 code=486 reason="Busy">"#,
    ])
    #expect(busy.log.names.last == .callFailed)
    #expect(busy.attempt?.outcome == .busy)
  }

  @Test("of two states side by side without an arrow nobody knows which is new")
  func sideBySide() throws {
    let log = try story([
      "onInCall", "onStatusChanged: IN_CALL ENDED", "onStatusChanged(IN_CALL, ENDED)",
      "onStatusChanged: ENDED, call busy", "onStatusChanged: ENDED, reason=BUSY",
    ]).log
    #expect(log.names == [.callEstablished, .unknown, .unknown, .callEnded, .callEnded])
  }

  @Test("a name that two SDKs have is that one's whose state it tells")
  func sharedName() throws {
    for line in [#"callStateChanged {"state":"%"}"#, "callStateChanged %"] {
      let story = try story(
        ["STARTED", "RESPONDED", "ESTABLISHED", "ENDED"].map { line.replacing("%", with: $0) })
      #expect(story.log.facts[0]?.sdk == "oracle-wsc")
      #expect(story.attempt?.outcome == .completed)
    }
    let log = try read(
      .runLog, #"{"ts":1795226100000,"event":"callStateChanged","state":"RESPONDED"}"# + "\n")
    #expect(log.names == [.callRinging])
  }

  @Test("a system's callback of the same name is no call of the log's SDK, and tells none")
  func telephony() throws {
    let call = ["SETUP", "RINGING", "MEDIA_PENDING", "IN_CALL", "ENDED"].map { "onStatusChanged \($0)" }
    let telephony = [0, 1, 2, 0].map { "PhoneListener: onCallStateChanged state=\($0) incomingNumber=" }
    for lines in [call + telephony, telephony + call] {
      let log = try story(lines).log
      #expect(log.records.count == call.count)
      #expect(log.facts.count == 1)
      #expect(log.facts[0]?.sdk == "cisco-rem")
    }
    let alone = telephony + ["onCallStateChanged: StreamsRunning, message: Streams running"]
    #expect(try recognise(alone.map { "11-20 10:05:00.000  43 43 D \($0)\n" }.joined()) == nil)
    #expect(try story(alone).log.records.isEmpty)
    let named = try read(
      .runLog, #"{"ts":1795226100000,"sdk":"cisco-rem","event":"onCallStateChanged","state":1}"# + "\n")
    #expect(named.names == [.unknown])
  }

  @Test("Oracle's JavaScript event, with its states and the code of a failure")
  func javaScript() throws {
    let story = try story([
      #"onCallStateChange {"state":"STARTED","status":{"code":null,"reason":null}}"#,
      #"onCallStateChange {"state":"RESPONDED","status":{"code":180,"reason":"Ringing"}}"#,
      #"onCallStateChange {"state":"FAILED","status":{"code":486,"reason":"Busy Here"}}"#,
    ])
    #expect(story.log.facts[0]?.sdk == "oracle-wsc")
    #expect(story.log.records.last?.argument("code") == "486")
    #expect(story.attempt?.outcome == .busy)
    let run = try Story(
      .runLog,
      runLog(
        "oracle-wsc",
        [
          #"0 onCallStateChange {"state":"STARTED"}"#, #"900 onCallStateChange {"state":"RESPONDED"}"#,
          #"2000 onCallStateChange {"state":"ESTABLISHED"}"#,
        ]))
    #expect(run.log.names == [.callCreated, .callRequestSent, .callRinging, .callEstablished])
  }
}
