import CallModel
import Testing

@Suite("Hold in Kandy's logs, by states and by answers")
struct KandyHoldTests {
  /// What an application prints, at a second of its call.
  private func printed(_ lines: (Int, String)...) throws -> Story {
    let begun = [(0, "Callee is ringing now"), (3, "Call establishment is successful")]
    return try Story(
      .sdkText,
      (begun + lines).map { second, text in
        "2026-11-20 10:00:\(second < 10 ? "0" : "")\(second).000000+0000 DemoApp[512:20391] \(text)\n"
      }.joined())
  }

  private func lasted(_ event: EventRecord?) -> Double? {
    event.flatMap { event in event.untilMs.flatMap { until in event.timeMs.map { until - $0 } } }
  }

  @Test("where no state tells this end's hold, the answer to its request does")
  func answered() throws {
    let story = try printed(
      (10, "Hold succeeded"), (20, "Unhold succeeded"), (25, "Remote peer held the call"),
      (30, "Remote peer unheld the call"))
    #expect(
      story.log.names.dropFirst(2) == [.callHeld, .callResumed, .callRemotelyHeld, .callResumed])
    #expect(lasted(story.events(.callHeld).first) == 10_000)
    #expect(lasted(story.events(.callRemotelyHeld).first) == 5000)
    #expect(story.anomalies.isEmpty)
  }

  @Test("what a state says beside its answer is reported once, whichever comes first")
  func reportedByBoth() throws {
    let answers = (hold: "holdCallSucceed", unhold: "unHoldCallSucceeded")
    let states = [
      #"callStatusChanged {"state":"ON_HOLD"}"#, #"callStatusChanged {"state":"IN_CALL"}"#,
    ]
    for isStateFirst in [true, false] {
      let story = try Story(
        .runLog,
        runLog(
          "kandy-link",
          [
            #"0 callStatusChanged {"state":"DIALING"}"#, #"900 callStatusChanged {"state":"IN_CALL"}"#,
            isStateFirst ? "5000 \(states[0])" : "5000 \(answers.hold)",
            isStateFirst ? "5100 \(answers.hold)" : "5100 \(states[0])",
            isStateFirst ? "9000 \(states[1])" : "9000 \(answers.unhold)",
            isStateFirst ? "9100 \(answers.unhold)" : "9100 \(states[1])",
            #"12000 callStatusChanged {"state":"ENDED","statusCode":"9901"}"#,
          ]))
      #expect(
        story.log.names == [
          .callDialing, .callEstablished, .callHeld, .callUpdated, .callResumed, .callUpdated, .callEnded,
        ], "\(isStateFirst)")
      #expect(lasted(story.events(.callHeld).first) == 4000)
      #expect(story.anomalies.isEmpty)
    }
  }

  @Test("both hold: who takes the call back is held by the other until that one does")
  func doubleHold() throws {
    let story = try printed(
      (10, "Hold succeeded"), (12, "Both parties are in hold state"), (20, "UnHold succeeded"),
      (20, "Remote peer held the call"), (26, "Remote peer unheld the call"))
    #expect(
      story.log.names.dropFirst(2) == [
        .callHeld, .callDoubleHeld, .callRemotelyHeld, .callUpdated, .callResumed,
      ])
    #expect(lasted(story.events(.callHeld).first) == 10_000)
    #expect(lasted(story.events(.callRemotelyHeld).first) == 6000)
    #expect(story.anomalies.isEmpty)
    let second = try printed(
      (10, "Remote peer held the call"), (12, "Hold succeeded"), (12, "Both parties are in hold state"),
      (20, "Unhold succeeded"), (26, "Remote peer unheld the call"))
    #expect(
      second.log.names.dropFirst(2) == [
        .callRemotelyHeld, .callDoubleHeld, .callUpdated, .callRemotelyHeld, .callResumed,
      ])
    #expect(second.anomalies.isEmpty)
  }

  @Test("an answer after the call, or without a hold before it, changes nothing")
  func noHold() throws {
    #expect(
      try printed((10, "Unhold succeeded"), (11, "Hold failed")).log.names.suffix(2) == [
        .callUpdated, .callUpdated,
      ])
    let over = try printed(
      (10, "Call is ended because of reason x with code 9901"), (11, "Hold succeeded"))
    #expect(over.log.names.last == .callUpdated)
  }

  @Test("refusals as the guide prints them")
  func refusals() throws {
    let refused = [
      ("Hold failed", "hold"), ("Unhold failed", "unhold"), ("UnHold failed", "unhold"),
      ("Mute failed", "mute"), ("Unmute failed", "mute"), ("Video Start failed", "video"),
      ("Video Stop failed", "video"), ("Transfer failed", "transfer"), ("Join failed", "join"),
      ("End Call failed", "end"), ("Send ringing feedback failed", "ringing-feedback"),
    ]
    let lines = refused.enumerated().map { "2026-11-20T10:00:\(10 + $0.offset).000Z \($0.element.0)\n" }
    let story = try Story(
      .sdkText, "2026-11-20T10:00:03.000Z Call establishment is successful\n" + lines.joined())
    let updates = story.events(.callUpdated)
    #expect(updates.map { $0.argument("update") } == refused.map(\.1))
    #expect(updates.allSatisfy { $0.argument("result") == "rejected" })
    #expect(!story.log.notes.contains { $0.contains("tell no event") })
    #expect(try recognise("2026-11-20T10:00:03.000Z Transfer failed\n") == nil, "any application says so")
    let ended = try printed((10, "End Call succeeded"))
    #expect(ended.log.records.last?.argument("update") == "end")
  }

  @Test("a subscription to pushes that is no more valid is no push that expired")
  func invalidated() throws {
    let story = try Story(.runLog, runLog("kandy-link", ["0 callCreate", "5 pushSubscriptionInvalidated"]))
    #expect(story.log.names == [.callCreated, .pushUnsubscribed])
  }
}
