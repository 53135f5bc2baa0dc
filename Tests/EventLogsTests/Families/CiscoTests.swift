import CallModel
import SetupTime
import Testing

@Suite("Cisco Remote Expert Mobile")
struct CiscoTests {
  @Test(
    "an outgoing call, in the words of four platforms",
    arguments: [
      [
        "ACBClientCallStatusSetup", "ACBClientCallStatusRinging", "ACBClientCallStatusMediaPending",
        "ACBClientCallStatusInCall",
      ],
      ["ACBCallStatusSetup", "ACBCallStatusRinging", "ACBCallStatusMediaPending", "ACBCallStatusInCall"],
      ["SETUP", "RINGING", "MEDIA_PENDING", "IN_CALL"],
      ["Setup", "Ringing", "MediaPending", "InCall"],
    ])
  func outgoing(status: [String]) throws {
    let story = try Story(
      .runLog,
      runLog(
        "cisco-rem",
        [
          "0 call:didChangeStatus: {\"status\":\"\(status[0])\"}",
          "800 onStatusChanged {\"newStatus\":\"\(status[1])\"}",
          "6800 OnStatusChanged [\"\(status[2])\"]", "7400 \(status[3])", "7500 onRemoteMediaStream",
          "12500 onInboundQualityChanged {\"inboundQuality\":100}", "60000 onEnded",
        ]))
    #expect(
      story.log.names == [
        .callCreated, .callRinging, .callMediaPending, .callEstablished, .mediaRemoteStream,
        .mediaQualityReported, .callEnded,
      ])
    #expect(story.attempt?.postDialDelayMs == 800)
    #expect(story.lasted(.ringing) == 6000)
    #expect(story.attempt?.setupMs == 1400)
    #expect(story.attempt?.setupWallMs == 7400)
    #expect(story.attempt?.outcome == .completed)
    #expect(story.state(.ice) == .unknown, "the SDK tells nothing of ICE")
    #expect(story.events(.mediaQualityReported).first?.argument("score") == "100")
    #expect(story.anomalies.isEmpty)
  }

  @Test("an incoming call in a browser")
  func incoming() throws {
    let story = try Story(
      .runLog,
      runLog(
        "cisco-rem",
        ["0 Phone.onIncomingCall", "3000 Call.onPending", "3600 Call.onInCall", "9000 Call.onEnded"]))
    #expect(story.attempt?.direction == .incoming)
    #expect(story.lasted(.ringing) == 3000)
    #expect(story.attempt?.setupMs == 600)
  }

  @Test(
    "a failure by every code, in words",
    arguments: [
      ("onBusy", "", Outcome.busy), ("onNotFound", "", .failed), ("onTimeout", "", .noAnswer),
      ("onStatusChanged", #"{"status":"TIMED_OUT"}"#, .noAnswer),
      ("onStatusChanged", #"{"status":"NO_MB_CAPACITY"}"#, .failed),
      ("onStatusChanged", #"{"status":"REQUEST_TERMINATED"}"#, .failed),
      ("onStatusChanged", #"{"status":"CALL_ERROR"}"#, .failed),
      ("onStatusChanged", #"{"status":"TEMPORARILY_UNAVAILABLE"}"#, .failed),
      ("onStatusChanged", #"{"status":"MEDIA_UNAVAILABLE"}"#, .failed),
      ("onDialFailed", #"{"code":"NOMATCH"}"#, .failed), ("onDialFailed", #"{"code":"REFUSED"}"#, .rejected),
      ("onDialFailed", #"{"code":"BUSY"}"#, .failed),
      ("onDialFailed", #"{"status":"BUSY"}"#, .busy), ("onCallFailed", #"["TIMEOUT"]"#, .noAnswer),
      ("onCallFailed", #"{"code":"NOTFOUND"}"#, .failed),
      ("didReceiveCallFailureWithError", #"{"code":"FAILED"}"#, .failed),
      ("getUserMediaError", "", .failed),
    ])
  func failures(event: String, args: String, outcome: Outcome) throws {
    let story = try Story(
      .runLog, runLog("cisco-rem", [#"0 onStatusChanged {"status":"SETUP"}"#, "500 \(event) \(args)"]))
    let failure = try #require(story.events(.callFailed).first)
    #expect(failure.argument("words") != nil)
    #expect(story.attempt?.outcome == outcome)
    #expect(story.state(.ringing) == .absent)
    #expect(story.state(.dtls) == .absent)
  }

  @Test("seven retries with their real intervals, then the connection is back")
  func retries() throws {
    let at = [0, 500, 1500, 3500, 7600, 11600, 15600]
    let retries = at.enumerated().map {
      "\($1 + 10000) onConnectionRetry {\"attempt\":\($0 + 1),\"delayUntilNextRetry\":500}"
    }
    let story = try Story(
      .runLog,
      runLog(
        "cisco-rem",
        ["0 onInCall", "9000 onNetworkUnavailable"] + retries + [
          "26000 ucDidReestablishConnection", "40000 onEnded",
        ]))
    let found = story.events(.networkRetry)
    #expect(found.map { $0.argument("attempt") } == ["1", "2", "3", "4", "5", "6", "7"])
    #expect(
      found.compactMap { $0.argument("interval_ms") } == [
        "1000", "500", "1000", "2000", "4100", "4000", "4000",
      ])
    #expect(story.events(.networkUnavailable).first?.untilMs == scriptStart + 26000)
    #expect(story.attempt?.outcome == .completed)
  }

  @Test("lost for good is a dropped call")
  func lost() throws {
    let story = try Story(
      .runLog,
      runLog(
        "cisco-rem",
        [
          "0 onInCall", "900 willRetryConnectionNumber:in: [1, 0.5]", "9000 ucDidLoseConnection",
          "9100 onEnded",
        ]))
    #expect(story.attempt?.outcome == .dropped)
    #expect(story.events(.networkRetry).first?.argument("attempt") == "1")
    let silent = try Story(.runLog, runLog("cisco-rem", ["0 onInCall", "9000 onConnectivityLost"]))
    #expect(silent.attempt?.outcome == .dropped, "the SDK gives up, and the log ends with that")
    #expect(endingEvent(of: silent.log.records)?.argument("words") == "the connection was lost for good")
    let again = ["0 onInCall", "9000 onConnectivityLost", "9900 onConnectionReestablished"]
    #expect(try Story(.runLog, runLog("cisco-rem", again)).attempt?.outcome == .unknown)
  }

  @Test("hold and mute are spans; who resumes without having held is reported")
  func spans() throws {
    let story = try Story(
      .runLog,
      runLog(
        "cisco-rem",
        [
          "0 onInCall", "1000 hold", "4000 resume", "5000 enableLocalAudio {\"enabled\":false}",
          "6500 enableLocalAudio {\"enabled\":true}",
          "7000 enableLocalVideo [false]", "8000 resume", "9000 onEnded",
        ]))
    #expect(story.events(.callHeld).first?.untilMs == scriptStart + 4000)
    #expect(story.events(.callMuted).map(\.untilMs) == [scriptStart + 6500, scriptStart + 9000])
    #expect(story.events(.callMuted).map { $0.argument("kind") } == ["audio", "video"])
    #expect(story.anomalies == ["without having been held"])
  }

  @Test("one setting of camera and microphone is an event of each that it names")
  func localMedia() throws {
    let asked = [
      "setLocalMediaEnabled(true, false)", #"setLocalMediaEnabled {"audio":true,"video":false}"#,
      #"setLocalMediaEnabled({"video":true})"#, "setLocalMediaEnabled(false)", "setLocalMediaEnabled()",
    ]
    let lines = (["onInCall"] + asked + ["onEnded"]).enumerated().map {
      "2026-11-20T10:00:0\($0.offset)Z app.js:1 \($0.element)\n"
    }
    let story = try Story(.sdkText, lines.joined())
    let changes = story.log.records.filter { $0.raw == "setLocalMediaEnabled" }
    #expect(
      changes.map { "\($0.event) \($0.argument("kind") ?? "")" } == [
        "call.unmuted video", "call.muted audio", "call.muted video", "call.unmuted audio",
        "call.unmuted video", "call.muted video", "unknown ",
      ])
    #expect(changes[1].untilMs == changes[3].timeMs, "the microphone's mute ends with the microphone")
    let named = try Story(
      .runLog,
      runLog("cisco-rem", [#"0 setLocalMediaEnabled {"enableVideo":true,"enableAudio":false}"#]))
    #expect(named.events(.callMuted).map { $0.argument("kind") } == ["audio"])
  }

  @Test("a state that cannot follow is an anomaly")
  func illegal() throws {
    let story = try Story(
      .runLog,
      runLog(
        "cisco-rem",
        ["0 SETUP", "1 RINGING", "2 IN_CALL", "3 RINGING", "4 ENDED", "5 IN_CALL"].map {
          "\($0.prefix(1)) onStatusChanged {\"status\":\"\($0.dropFirst(2))\"}"
        }))
    #expect(story.anomalies == ["incall does not lead to ringing", "ended does not lead to incall"])
  }

  @Test("application events and strangers stay on the timeline")
  func application() throws {
    let story = try Story(
      .runLog,
      runLog(
        "cisco-rem",
        [
          "0 topic:didConnectWithData:", "1 OnTopicUpdated", "2 topicDidDelete", "3 didReceiveMessage",
          #"4 onSomethingNew {"a":[1,{"b":2}]}"#,
        ]))
    #expect(
      story.log.names == [
        .appTopicConnected, .appTopicUpdated, .appTopicDeleted, .appMessage, .unknown,
      ])
    #expect(story.log.records.last?.args == #"{"a":[1,{"b":2}]}"#)
  }

  @Test(
    "a code that comes in a standing call is of a request within it",
    arguments: [("BUSY", "an offer was pending already"), ("TIMEOUT", "a request within the call")])
  func codesOfStandingCall(code: String, words: String) throws {
    let story = try Story(
      .runLog,
      runLog(
        "cisco-rem",
        [
          "0 createCall", "900 onRinging", "4500 onInCall", "30000 onCallFailed [\"\(code)\"]",
          "30400 onEnded",
        ]))
    #expect(story.events(.callFailed).first?.argument("words")?.hasPrefix(words) == true)
    #expect(story.attempt?.outcome == .dropped)
  }

  @Test("the far end's hold is one, and ends")
  func remoteHold() throws {
    let story = try Story(
      .runLog,
      runLog("cisco-rem", ["0 onInCall", "1000 onRemoteHeld", "4000 onRemoteUnheld", "9000 onEnded"]))
    #expect(story.events(.callRemotelyHeld).first?.untilMs == scriptStart + 4000)
    #expect(story.log.names == [.callEstablished, .callRemotelyHeld, .callResumed, .callEnded])
    #expect(story.anomalies.isEmpty)
  }
}
