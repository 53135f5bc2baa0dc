import CallModel
import Testing

@Suite("Words of any application tell no SDK")
struct GenericWordTests {
  private func story(_ lines: [String]) throws -> Story {
    try Story(
      .sdkText,
      lines.enumerated().map { "2026-11-20T10:00:0\($0.offset).000Z \($0.element)\n" }.joined())
  }

  @Test(
    "what comes before the first name of an SDK's own is not taken for another SDK",
    arguments: [
      (
        "MainActivity: onResume",
        ["callUserWithId bob", "callReceivedOnRemoteEnd", "callEnded endCause=noAnswer"], "rebtel",
        "no-answer"
      ),
      (
        "application:didRegisterForRemoteNotificationsWithDeviceToken:",
        [
          "callStatusChanged: withState: CALLSTATES_DIALING",
          "callStatusChanged: CALLSTATES_ENDED statusCode: 487",
        ], "kandy-link",
        "no-answer"
      ),
      (
        "websocket onOpen", ["PexRTC makeCall", "onConnect", "onDisconnect \"Token expired\""], "pexip",
        "dropped"
      ),
    ])
  func firstWords(noise: String, lines: [String], sdk: String, outcome: String) throws {
    let story = try story([noise] + lines)
    #expect(story.log.facts[0]?.sdk == sdk)
    #expect(story.log.records.count == lines.count)
    #expect(story.log.records.last?.argument("outcome") == outcome)
    #expect(story.log.notes.contains { $0.hasPrefix("1 line of text has no event") })
  }

  @Test("two lines of an application's life make no log of an SDK, and no call")
  func noise() throws {
    let text =
      "11-20 09:00:09.500  999 1000 D MainActivity: onResume\n11-20 09:00:19.500  999 1000 D MainActivity: onPause\n"
    #expect(try recognise(text) == nil)
    #expect(try read(.sdkText, text).records.isEmpty)
  }

  @Test("a socket that closes in mid-call ends no call")
  func socket() throws {
    let story = try story([
      "createCall callId=c1", "onRinging", "onInCall", "chat websocket onClose code=1000", "onEnded",
    ])
    #expect(story.log.names == [.callCreated, .callRinging, .callEstablished, .callEnded])
  }

  @Test("what waited for the SDK's name is reported in its words, in order")
  func waited() throws {
    let story = try story([
      "didReceiveRemoteNotification", "onIncomingCall", "onCallStateChanged WSC_CS_REJECTED cause=603",
    ])
    #expect(story.log.names == [.pushReceived, .callIncoming, .callEnded])
    #expect(Set(story.log.records.map(\.sdk)) == ["oracle-wsc"])
    #expect(story.log.records.last?.argument("words") == "declined")
  }

  @Test("names that several SDKs have are events all the same")
  func shared() throws {
    #expect(try story(["createCall bob", "sendDTMF 1"]).log.names == [.callCreated, .callDtmf])
  }

  @Test("methods of a call by their short names")
  func methods() throws {
    let story = try story([
      "onInCall", "call.hold()", "self.currentCall.resume()", "player.resume()", "mediaPlayer.resume()",
      "window.hold()",
    ])
    #expect(story.log.names == [.callEstablished, .callHeld, .callResumed])
    #expect(story.anomalies.isEmpty)
  }
}
