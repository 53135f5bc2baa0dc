import CallModel
import Testing

@Suite("How calls of the SDKs end")
struct EndsOfCallsTests {
  private func story(_ lines: [String]) throws -> Story {
    try Story(
      .sdkText,
      lines.enumerated().map { "2026-11-20T10:00:0\($0.offset).000Z app.js:31 \($0.element)\n" }.joined())
  }

  @Test(
    "a SIP code without an entry of its own is one of its class",
    arguments: [
      ("416", Outcome.failed), ("580", .failed), ("513", .failed), ("607", .rejected), ("699", .failed),
      ("99", .unknown),
      ("1416", .unknown),
    ])
  func classes(code: String, outcome: Outcome) throws {
    let story = try story([
      "createOutGoingCall bob@domain", "callStatusChanged: CALLSTATES_RINGING",
      "callStatusChanged: CALLSTATES_ENDED reason: (null) statusCode: \(code)",
    ])
    #expect(story.attempt?.outcome == outcome)
  }

  @Test(
    "Kandy's end, in an application's own words",
    arguments: [
      "Call ended: Busy Here, statusCode=486", "Call ended, reason: Busy Here, code: 486",
      "call ended with status code 486",
    ])
  func kandy(line: String) throws {
    let story = try story(["createOutGoingCall bob@domain", "callStatusChanged: CALLSTATES_RINGING", line])
    #expect(story.attempt?.outcome == .busy)
    #expect(story.log.records.last?.argument("code") == "486")
  }

  @Test(
    "PexRTC passes on the server's reason: unknown words are no good end",
    arguments: [
      ("Conference host ended the conference", Outcome.completed), ("User initiated disconnect", .completed),
      ("Something quite new", .unknown), ("CAPTCHA verification failed", .dropped),
      ("Call limit exceeded", .dropped),
      ("Timeout waiting for conference host to join or permit access to locked conference", .noAnswer),
    ])
  func pexRTC(reason: String, outcome: Outcome) throws {
    let story = try story([
      "makeCall p.com meet.vmr Me 576 video", "onSetup blob:https://p.com/1 null null",
      "onConnect blob:https://p.com/2",
      "onDisconnect \(reason)",
    ])
    #expect(story.attempt?.outcome == outcome)
  }

  @Test("a method of the call is known before the SDK is")
  func method() throws {
    let story = try story(["UC.phone.onIncomingCall sip:bob@example.com", "call.end()", "call.onEnded"])
    #expect(story.log.names == [.callAlerting, .callEnded, .callEnded])
    #expect(story.attempt?.outcome == .rejected)
  }

  @Test("a tick behind a callback is no missing value")
  func decoration() throws {
    let story = try story(["createCall", "onInCall", "onRemoteMediaStream ***", "onRemoteMediaStream null"])
    #expect(story.log.names.suffix(2) == [.mediaRemoteStream, .mediaRemoteEnded])
  }

  @Test(
    "ICE that failed, in the words of pages",
    arguments: [
      "oniceconnectionstatechange: %", "iceconnectionstatechange %", "ICE state change event: %",
      "ICE state change: %",
    ])
  func ice(wording: String) throws {
    let story = try story([
      "createCall", "onInCall", wording.replacing("%", with: "checking"),
      wording.replacing("%", with: "failed"), "onEnded",
    ])
    #expect(story.events(.iceFailed).count == 1)
    #expect(story.attempt?.outcome == .failed)
  }

  @Test(
    "the new state among the words and members around it",
    arguments: [
      "T onStatusChanged from % to $", "T onStatusChanged: changed from % to $",
      #"T {"type":"onStatusChanged","data":{"status":"$"}}"#,
      #"T {"method":"onStatusChanged","arguments":["$"]}"#,
      #"{"time":"T","msg":"onStatusChanged","data":{"call":"Call@1","status":"$"}}"#,
      #"{"timestamp":"T","level":"info","message":"onStatusChanged","payload":{"status":"$"}}"#,
    ])
  func newState(line: String) throws {
    let states = ["IN_SETUP", "RINGING", "NOT_FOUND"]
    let lines = zip(states, states.dropFirst()).map { old, new in
      line.replacing("T ", with: "2026-11-20T10:00:00.000Z ").replacing(
        "\"T\"", with: "\"2026-11-20T10:00:00.000Z\""
      )
      .replacing("%", with: old).replacing("$", with: new) + "\n"
    }
    #expect(try recognise(lines.joined()) == .sdkText)
    #expect(try read(.sdkText, lines.joined()).names == [.callRinging, .callFailed])
  }
}
