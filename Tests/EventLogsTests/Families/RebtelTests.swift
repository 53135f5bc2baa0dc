import CallModel
import SetupTime
import Testing

@Suite("Rebtel")
struct RebtelTests {
  @Test("outgoing: created, received on the remote end, established")
  func outgoing() throws {
    let story = try Story(
      .runLog,
      runLog(
        "rebtel",
        [
          "0 callUserWithId: {\"remoteUserId\":\"alice\",\"applicationSecret\":\"oYdgGRXoxEuJhGDY2KQ\"}",
          "700 callReceivedOnRemoteEnd:", "4700 callEstablished:", "30000 callEnded:",
        ]))
    #expect(story.log.names == [.callCreated, .callRinging, .callEstablished, .callEnded])
    #expect(story.attempt?.postDialDelayMs == 700)
    #expect(story.lasted(.ringing) == 4000)
    #expect(story.attempt?.setupMs == 700)
    #expect(story.attempt?.outcome == .completed)
    #expect(story.log.identities.contains(.init(.person, "alice")))
    #expect(!story.log.records.contains { $0.args.contains("oYdg") })
  }

  @Test("what goes to a push service is secret: payload, token, whatever they are called")
  func push() throws {
    let log = try read(
      .sdkText,
      """
      2026-11-20T10:00:00.000Z callUserWithId bob
      2026-11-20T10:00:01.000Z registerPushNotificationData <0badf00d 12345678>
      2026-11-20T10:00:02.000Z shouldSendPushNotifications payload=PAYLOAD1AAA to=(<1a2b3c4d 5e6f7a8b>) callId=c1

      """)
    let arguments = log.records.map(\.args).joined()
    for word in ["f00d", "12345678", "PAYLOAD", "1a2b", "5e6f"] {
      #expect(!arguments.contains(word), "\(word)")
    }
    #expect(log.names == [.callCreated, .pushSubscribed, .pushSent])
    #expect(log.records.last?.argument("callId") == "c1")
  }

  @Test("incoming by push: the wake-up is a span, the answer a person's")
  func incoming() throws {
    let story = try Story(
      .runLog,
      runLog(
        "rebtel",
        [
          "0 didReceiveRemoteNotification", "900 relayRemotePushNotificationPayload {\"isTimedOut\":false}",
          "1000 client:didReceiveIncomingCall:",
          "5000 answer", "5600 callDidEstablish:", "9000 callEnded:",
        ]))
    #expect(story.events(.pushReceived).first?.untilMs == scriptStart + 1000)
    #expect(story.lasted(.ringing) == 4000)
    #expect(story.attempt?.setupMs == 600)
  }

  @Test("hung up before it stood: abandoned by the caller, declined by the callee, too late for a push")
  func early() throws {
    #expect(
      try Story(.runLog, runLog("rebtel", ["0 callUserWithId:", "900 hangup", "950 callEnded:"])).attempt?
        .outcome == .cancelled)
    #expect(
      try Story(.runLog, runLog("rebtel", ["0 didReceiveIncomingCall:", "900 hangup", "950 callEnded:"]))
        .attempt?.outcome == .rejected)
    let late = try Story(.runLog, runLog("rebtel", ["0 relayLocalNotification {\"isTimedOut\":true}"]))
    #expect(late.log.names == [.pushExpired])
    #expect(late.attempt?.outcome == .noAnswer)
    #expect(late.attempt?.direction == .incoming)
    #expect(late.log.directions == [.incoming])
  }

  @Test(
    "a call that comes in by Sinch's names, whatever stands before it",
    arguments: ["", "0 onClientStarted\n", "0 relayRemotePushNotificationPayload\n"])
  func sinch(before: String) throws {
    func log(_ lines: String) -> String {
      lines.split(separator: "\n").map { line in
        let words = line.split(separator: " ", maxSplits: 1)
        return "\(Int(scriptStart) + (Int(words[0]) ?? 0)) Sinch: \(words[1])\n"
      }.joined()
    }
    let answered = try Story(
      .sdkText,
      log(
        before
          + "1000 onIncomingCall\n4000 call.answer()\n4900 onCallEstablished\n40000 onCallEnded endCause=HUNG_UP"
      )
    )
    #expect(answered.attempt?.direction == .incoming)
    #expect(answered.attempt?.setupMs == 900)
    #expect(answered.lasted(.ringing) == 3000)
    let missed = try Story(.sdkText, log(before + "1000 onIncomingCall\n31000 onCallEnded: NO_ANSWER"))
    #expect(missed.attempt?.outcome == .noAnswer)
    #expect(missed.log.facts.values.map(\.sdk) == ["rebtel"])
  }

  @Test("a push that came too late is a call of its own, which nobody answered")
  func missed() throws {
    let missed = [
      "0 didReceiveRemoteNotification", #"400 relayRemotePushNotificationPayload {"isTimedOut":true}"#,
    ]
    let answered = [
      "300000 didReceiveRemoteNotification", "301000 didReceiveIncomingCall:", "303000 answer",
      "304000 callEstablished:", "309000 callEnded:",
    ]
    func calls(_ lines: [String]) throws -> [Int] {
      let log = try read(.runLog, runLog("rebtel", lines).replacing("\"call\":\"c1\",", with: ""))
      return Dictionary(grouping: log.events) { $0.connection ?? -1 }.sorted { $0.key < $1.key }
        .map(\.value.count)
    }
    #expect(try calls(missed + answered) == [2, 5])
    // In a call that stands, it is another one's.
    #expect(try calls(answered + ["305000 relayRemotePushNotificationPayload {\"isTimedOut\":true}"]) == [6])
    let again = try Story(.runLog, runLog("rebtel", missed + answered))
    #expect(setupAttempts(of: again.log.records).map(\.outcome) == [.noAnswer, .completed])
  }

  @Test("a native call interrupts, and the end that follows has that cause")
  func interrupted() throws {
    let story = try Story(
      .runLog,
      runLog(
        "rebtel", ["0 callUserWithId:", "900 callEstablished:", "5000 beginInterruption", "36000 callEnded:"])
    )
    #expect(story.log.records.last?.argument("words")?.contains("native call") == true)
    #expect(story.attempt?.outcome == .dropped)
    #expect(story.events(.mediaInterrupted).first?.untilMs == scriptStart + 36000)
  }

  @Test("a console's text")
  func text() throws {
    let log = """
      2026-11-21T01:55:00.000Z [REBClient clientDidStart:]
      2026-11-21T01:55:01.000Z -[CallController callUserWithId:] remoteUserId=bob
      2026-11-21T01:55:01.700Z -[CallController callReceivedOnRemoteEnd:]
      2026-11-21T01:55:03.700Z -[CallController callEstablished:]
      2026-11-21T01:55:13.700Z The message with id m1 was successfully delivered at server time 2026-11-21
      2026-11-21T01:55:23.700Z callEnded:
      """
    let story = try Story(.sdkText, log)
    #expect(
      story.log.names == [
        .sessionRegistered, .callCreated, .callRinging, .callEstablished, .appMessageDelivered, .callEnded,
      ])
    #expect(story.attempt?.setupMs == 700)
    #expect(try recognise(log) == .sdkText)
  }

  @Test("the cause of the end stands before other codes, which are kept")
  func causes() throws {
    let story = try Story(
      .runLog,
      runLog(
        "sinch",
        ["0 callUser", "900 onCallProgressing", #"2000 onCallEnded {"endCause":"FAILURE","code":4000}"#]))
    #expect(story.log.records.last?.argument("code") == "FAILURE")
    #expect(story.log.records.last?.argument("other_code") == "4000")
    #expect(story.attempt?.outcome == .failed)
  }

  @Test(
    "the cause of an end by its number, behind its type's name, and as a word",
    arguments: [
      ("callDidEnd 2", "denied", Outcome.rejected), ("callDidEnd cause 2", "denied", .rejected),
      ("callDidEnd: 1", "timeout", .noAnswer),
      ("callEnded: cause: SINCallEndCauseDenied", "denied", .rejected),
      ("callEnded: REBCallEndCauseNoAnswer", "noAnswer", .noAnswer),
      ("callDidEnd endCause=SINCallEndCause(rawValue: 4)", "error", .failed),
      ("callDidEnd endCause=6", "canceled", .cancelled),
      ("onCallEnded: cause=CallEndCause.OTHER_DEVICE_ANSWERED", "otherDeviceAnswered", .cancelled),
      ("callEnded: REBCallEndCauseOtherBranchJoined", "otherDeviceAnswered", .cancelled),
      ("callEnded: endCause=OTHER_BRANCH_JOINED", "OTHER_BRANCH_JOINED", .cancelled),
      ("callEnded: denied", "denied", .rejected),
    ])
  func endCauses(line: String, code: String, outcome: Outcome) throws {
    let story = try Story(
      .sdkText,
      """
      2026-11-20T10:00:00.000Z callUserWithId: bob
      2026-11-20T10:00:01.000Z callDidProgress:
      2026-11-20T10:00:20.000Z \(line)

      """)
    #expect(story.log.records.last?.argument("code") == code)
    #expect(story.log.records.last?.argument("words") != nil)
    #expect(story.attempt?.outcome == outcome)
  }

  @Test("a standing call that another call on the telephone ended was dropped", arguments: ["9", "10"])
  func endedByAnotherCall(number: String) throws {
    let story = try Story(
      .runLog,
      runLog(
        "rebtel",
        [
          "0 callUserWithId:", "900 callEstablished:",
          "9000 callEnded: {\"details\":{\"endCause\":\(number)}}",
        ]))
    #expect(story.attempt?.outcome == .dropped)
    #expect(story.log.records.last?.argument("words") == "another call on the telephone ended it")
  }

  @Test("a standing call whose cause is an error, by its number, was dropped")
  func droppedByNumber() throws {
    let story = try Story(
      .runLog,
      runLog(
        "rebtel",
        ["0 callUserWithId:", "900 callEstablished:", #"9000 callEnded: {"details":{"endCause":4}}"#]))
    #expect(story.attempt?.outcome == .dropped)
  }

  @Test("an end that has an error beside it failed, and the code is the error's own")
  func endWithError() throws {
    func end(_ line: String) throws -> Story {
      try Story(
        .sdkText,
        """
        2026-11-20T10:00:00.000Z callUserWithId: bob
        2026-11-20T10:00:01.000Z callDidProgress:
        2026-11-20T10:00:20.000Z \(line)

        """)
    }
    let story = try end(
      #"callEnded: Error Domain=com.rebtel.sdk Code=1000 "Network error" UserInfo={NSLocalizedDescription=Network error}"#
    )
    #expect(story.attempt?.outcome == .failed)
    #expect(story.log.records.last?.argument("code") == "1000")
    #expect(try end("callEnded: error (null)").attempt?.outcome == .unknown)
    #expect(
      try end("callEnded error=Optional(Error Domain=SINErrorDomainSIP Code=486)").attempt?.outcome == .failed
    )
    for line in [
      "callEnded, error: nil", "callDidEnd 0", "callEnded cause=NONE error=nil",
    ] {
      let story = try end(line)
      #expect(story.attempt?.outcome == .unknown, "nobody says who ended it")
      #expect(story.log.records.last?.argument("code") == nil)
    }
  }

  @Test("words that contradict an end's outcome are not told of it")
  func contradiction() throws {
    let story = try Story(
      .runLog,
      runLog(
        "rebtel",
        ["0 callUserWithId:", #"30000 callEnded {"error":"REBErrorDomainNetwork","endCause":"Timeout"}"#]))
    #expect(story.attempt?.outcome == .failed)
    #expect(story.log.records.last?.argument("code") == "Timeout")
    #expect(story.log.records.last?.argument("words") == nil)
  }

  @Test("what a push carries is for the SDK alone, whatever it is called")
  func payloads() throws {
    let log = try read(
      .sdkText,
      """
      2026-11-20T10:00:00.000Z clientDidStart:
      2026-11-20T10:00:01.000Z didReceiveRemoteNotification: {"aps":{"alert":"x"},"REB":"SECRET1=="}
      2026-11-20T10:00:02.000Z relayRemotePushNotificationPayload: SECRET2==
      2026-11-20T10:00:03.000Z relayLocalNotification {"isTimedOut":true,"payload":"SECRET3"}

      """)
    #expect(log.names.suffix(3) == [.pushReceived, .pushRelayed, .pushExpired])
    #expect(!log.records.map(\.args).joined().contains("SECRET"))
    #expect(log.records.last?.argument("isTimedOut") == "true")
  }

  @Test("an interruption lasts to its own end")
  func interruptionEnds() throws {
    let story = try Story(
      .runLog,
      runLog(
        "rebtel",
        [
          "0 callUserWithId:", "900 callEstablished:", "5000 beginInterruption", "7000 endInterruption",
          "36000 callEnded:",
        ]))
    #expect(story.events(.mediaInterrupted).first?.untilMs == scriptStart + 7000)
    #expect(story.attempt?.outcome == .completed)
  }

  @Test(
    "the cause of an end behind the call's object or among words",
    arguments: [
      ("onCallEnded <RebtelCall 0x1f00 id=44> NO_ANSWER", Outcome.noAnswer),
      ("onCallEnded <RebtelCall 0x1f00> - no answer", .noAnswer), ("onCallEnded hangup cause: BUSY", .busy),
      ("onCallEnded com.rebtel.Call@41f0 DENIED", .rejected), ("callEnded: declined", .rejected),
      ("callEnded: <REBCall: 0x600> TIMED_OUT", .noAnswer),
    ])
  func causeAmongWords(line: String, outcome: Outcome) throws {
    let story = try Story(
      .sdkText,
      """
      2026-11-20T10:00:00.000Z callUserWithId bob
      2026-11-20T10:00:01.000Z callReceivedOnRemoteEnd
      2026-11-20T10:00:21.000Z \(line)

      """)
    #expect(story.attempt?.outcome == outcome)
  }

  @Test("the description of an object is no reason")
  func objectDescription() throws {
    let story = try Story(
      .sdkText,
      """
      2026-11-26 13:10:00.000 Talk[1:1] client:didReceiveIncomingCall: <REBCall: 0x2>
      2026-11-26 13:10:03.000 Talk[1:1] [call answer]
      2026-11-26 13:10:18.000 Talk[1:1] callEnded: <REBCall: 0x2> details: { endCause = REBCallEndCauseError; error = Error Domain=REBErrorDomainNetwork Code=3 "Failed to establish media" }

      """)
    #expect(story.log.records.last?.argument("reason") == "Failed to establish media")
    #expect(story.attempt?.outcome == .failed)
  }

}
