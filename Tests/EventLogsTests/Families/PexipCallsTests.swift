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
    #expect(story.events(.callEnded).map(\.timeMs) == story.log.records.suffix(2).prefix(1).map(\.timeMs))
    #expect(story.events(.callUpdated).map { $0.argument("result") } == ["accepted", "ended"])
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
    #expect(story.events(.callFailed).isEmpty)
    #expect(story.events(.callUpdated).first?.argument("result") == "rejected")
    #expect(story.events(.callUpdated).first?.argument("code") == "403")
    #expect(story.attempt?.outcome == .completed)
  }

  @Test("taken up in a hold, it does not end the hold")
  func inHold() throws {
    let held = [(5, #"on_hold {"on_hold":true}"#), (20, #"on_hold {"on_hold":false}"#)]
    let story = try story([held[0]] + Self.shown + [held[1]] + Self.left)
    #expect(story.events(.callResumed).count == 1)
  }

  @Test("a hang-up that names no call is that of the request behind it")
  func unnamed() throws {
    let story = try story(
      Self.shown + [(30, "Sending disconnect"), (30, "\(Self.calls)/c-2/disconnect 200")] + Self.left)
    #expect(story.events(.callEnded).count == 1)
    #expect(story.attempt?.outcome == .completed)
  }

  @Test(
    "media that are made anew where the far end of direct media went away are the same call's, up to its own end",
    arguments: [
      [(30, "peer_disconnect {}"), (30, "\(calls)/c-1/disconnect 200")],
      [(30, "peer_disconnect {}"), (30, "Sending disconnect"), (30, "\(calls)/c-1/disconnect 200")],
      [
        (29, "Ice Connection State failed"), (30, "peer_disconnect {}"), (30, "Ice Connection State failed"),
        (30, "\(calls)/c-1/disconnect 200"),
      ],
    ])
  func madeAnew(lines: [(Int, String)]) throws {
    let again = [(31, "\(Self.calls) 200"), (32, "\(Self.calls)/c-2/ack 200")]
    let story = try story(
      lines + again + [(50, #"disconnect {"reason":"Media process disconnected"}"#)])
    #expect(story.events(.callEnded).count == 1)
    #expect(story.events(.callUpdated).allSatisfy { $0.argument("update") == "media" })
    #expect(story.attempt?.outcome == .dropped)
    #expect(story.anomalies.isEmpty)
    #expect(Set(story.log.events.map(\.connection)).count == 1)
    let hungUp = try self.story(lines + again + [(50, "\(Self.calls)/c-2/disconnect 200")])
    #expect(hungUp.events(.callEnded).first?.argument("by") == "local")
    #expect(hungUp.events(.callEnded).count == 1)
    // Whose far end went away for good leaves itself.
    let left = try self.story(lines + [Self.left[1]])
    #expect(left.events(.callEnded).map(\.raw) == ["release_token"])
  }

  @Test(
    "media offered once more by whoever hung them up and stayed in the room are another call, in the same room"
  )
  func escalatedAgain() throws {
    let zoe = #"participant_create {"uuid":"u-2","is_muted":"NO"}"#
    let story = try story([
      (5, zoe), (20, "\(Self.calls)/c-1/disconnect 200"), (40, "\(Self.calls) 200"),
      (41, "\(Self.calls)/c-2/ack 200"), (45, #"participant_update {"uuid":"u-2","is_muted":"YES"}"#),
      (50, #"disconnect {"reason":"Media process disconnected"}"#),
    ])
    let calls = Dictionary(grouping: story.log.events) { $0.connection ?? -1 }.sorted { $0.key < $1.key }
      .map { setupAttempts(of: $0.value.map(\.record)).map(\.outcome) }
    #expect(calls == [[.completed], [.dropped]])
    #expect(story.events(.callMuted).count == 1)
    #expect(story.anomalies.isEmpty)
  }

  @Test("media offered once more at once are the same call's, which goes on")
  func renegotiated() throws {
    let lines = [
      "0 request_token", "1000 calls", "2000 ack", "20000 call_disconnect", "20400 calls", "21000 ack",
    ]
    let log = try read(
      .runLog, runLog("pexip", lines + [#"50000 disconnect {"reason":"Media process disconnected"}"#]))
    #expect(setupAttempts(of: log.records).map(\.outcome) == [.dropped])
    #expect(log.records.compactMap(\.anomaly).isEmpty)
  }

  @Test("a camera beside the microphone: media that stand take the place of those hung up then")
  func camera() throws {
    let again = [
      (20, "\(Self.calls) 200"), (21, "\(Self.calls)/c-2/ack 200"), (22, "\(Self.calls)/c-1/disconnect 200"),
    ]
    let story = try story(
      again + [(30, "presentation_start {}"), (31, "\(Self.calls) 200"), (32, "\(Self.calls)/c-3/ack 200")]
        + [(40, "\(Self.calls)/c-3/disconnect 200"), (58, "\(Self.calls)/c-2/disconnect 200")])
    #expect(story.events(.callEnded).map(\.timeMs) == story.log.records.suffix(1).map(\.timeMs))
    #expect(
      story.events(.callUpdated).map { $0.argument("update") }
        == ["presentation", "media", "presentation", "presentation"])
    #expect(story.attempt?.outcome == .completed)
    // A presentation that outlives the call takes no place of it.
    let shown = try self.story(
      [(20, #"\#(Self.calls) {"present":"receive"} 200"#)] + again.dropFirst())
    #expect(shown.events(.callEnded).map { $0.timeMs } == shown.log.records.suffix(1).map(\.timeMs))
  }

  @Test("what is offered after the connection failed takes the call's place")
  func replaced() throws {
    let story = try story(
      [(8, "Ice Connection State failed")] + Self.shown
        + [(40, #"call_disconnected {"call_uuid":"c-2","reason":"Media process disconnected"}"#)])
    #expect(story.events(.callEnded).count == 1)
  }
}
