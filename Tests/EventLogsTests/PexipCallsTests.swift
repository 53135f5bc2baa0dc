import CallModel
import SetupTime
import Testing

@Suite("A presentation's own call beside the conference's")
struct PexipCallsTests {
  private static let calls = "POST https://vc/api/client/v2/conferences/meet/participants/u-1/calls"
  private static let begun: [(Int, String)] = [
    (0, "POST https://vc/api/client/v2/conferences/meet/request_token 200"), (1, "\(calls) 200"),
    (2, "\(calls)/c-1/ack 200"),
  ]
  private static let shown: [(Int, String)] = [
    (10, "\(calls) 200"), (11, "\(calls)/c-2/ack 200"),
  ]
  private static let left: [(Int, String)] = [
    (58, "\(calls)/c-1/disconnect 200"),
    (59, "POST https://vc/api/client/v2/conferences/meet/release_token 200"),
  ]

  private func story(_ lines: [(Int, String)]) throws -> Story {
    try Story(
      .sdkText,
      (Self.begun + lines).map { second, line in
        "2026-11-20T10:00:\(second < 10 ? "0" : "")\(second).000Z \(line)\n"
      }.joined())
  }

  @Test(
    "its end is none of the conference's, whoever says it",
    arguments: [
      #"call_disconnected {"call_uuid":"c-2","reason":"Presentation ended"}"#, "\(calls)/c-2/disconnect 200",
    ])
  func ended(line: String) throws {
    let held = [(40, #"on_hold {"on_hold":true}"#), (50, #"on_hold {"on_hold":false}"#)]
    let story = try story(Self.shown + [(30, line)] + held + Self.left)
    #expect(story.events("call.ended").map(\.timeMs) == story.log.records.suffix(2).prefix(1).map(\.timeMs))
    #expect(story.events("call.updated").map { $0.argument("result") } == ["accepted", "ended"])
    #expect(story.attempt?.outcome == .completed)
    #expect(story.anomalies.isEmpty)
    #expect(Set(story.log.events.map(\.connection)).count == 1)
  }

  @Test("a conference's call that breaks after it has broken")
  func broken() throws {
    let story = try story(
      Self.shown + [
        (30, "\(Self.calls)/c-2/disconnect 200"),
        (58, #"call_disconnected {"call_uuid":"c-1","reason":"Media process disconnected"}"#),
      ])
    #expect(story.attempt?.outcome == .dropped)
  }

  @Test(
    "its refusal is none of the conference's",
    arguments: [[(10, "\(calls) 403")], [(10, "\(calls) 200"), (11, "\(calls)/c-2/ack 403")]])
  func refused(lines: [(Int, String)]) throws {
    let story = try story(lines + Self.left)
    #expect(story.events("call.failed").isEmpty)
    #expect(story.events("call.updated").first?.argument("result") == "rejected")
    #expect(story.events("call.updated").first?.argument("code") == "403")
    #expect(story.attempt?.outcome == .completed)
  }

  @Test("taken up in a hold, it does not end the hold")
  func inHold() throws {
    let held = [(5, #"on_hold {"on_hold":true}"#), (20, #"on_hold {"on_hold":false}"#)]
    let story = try story([held[0]] + Self.shown + [held[1]] + Self.left)
    #expect(story.events("call.resumed").count == 1)
  }

  @Test("a hang-up that names no call is that of the request behind it")
  func unnamed() throws {
    let story = try story(
      Self.shown + [(30, "Sending disconnect"), (30, "\(Self.calls)/c-2/disconnect 200")] + Self.left)
    #expect(story.events("call.ended").count == 1)
    #expect(story.attempt?.outcome == .completed)
  }

  @Test("what is offered after the connection failed takes the call's place")
  func replaced() throws {
    let story = try story(
      [(8, "Ice Connection State failed")] + Self.shown
        + [(40, #"call_disconnected {"call_uuid":"c-2","reason":"Media process disconnected"}"#)])
    #expect(story.events("call.ended").count == 1)
  }
}
