import CallModel
import Testing

@Suite("Names with a dot tell a call")
struct DottedWordTests {
  private func story(_ lines: [String]) throws -> Story {
    let text = lines.enumerated().map { "2026-11-20 10:00:0\($0.offset).000 INFO \($0.element)\n" }.joined()
    #expect(try recognise(text) == .sdkText)
    return try Story(.sdkText, text)
  }

  @Test("an application's own words, in text")
  func words() throws {
    let story = try story([
      "call.start id=c-77 from=alice", "call.early-media", "call.answered", "call.established",
      "call.hangup id=c-77",
    ])
    #expect(
      story.log.names == [
        .callCreated, .callEarlyMedia, .callAnswered, .callEstablished, .callEnded,
      ])
    #expect(story.attempt?.outcome == .completed)
    #expect(story.attempt?.setupMs == 2000)
  }

  @Test("the same words in a run log that names no SDK")
  func runLogWords() throws {
    let lines = [("call.initiated", 0), ("call.ringing", 500), ("call.connected", 5400), ("call.end", 65400)]
    let text = lines.map {
      "{\"ts\":\(Int(scriptStart) + $0.1),\"call\":\"c1\",\"endpoint\":\"caller\",\"event\":\"\($0.0)\"}\n"
    }.joined()
    let story = try Story(.runLog, text)
    #expect(story.log.names == [.callCreated, .callRinging, .callEstablished, .callEnded])
    #expect(story.attempt?.outcome == .completed)
  }

  @Test(
    "a call's method without brackets is the SDK's that the log is of",
    arguments: [
      (["onSessionStarted", "phone.createCall(\"1002\")", "onInCall", "call.end"], "cisco-rem"),
      (["onClientStarted", "callUserWithId bob", "onCallEstablished", "call.hangup"], "rebtel"),
    ])
  func methods(lines: [String], sdk: String) throws {
    let story = try story(lines)
    #expect(story.log.facts[0]?.sdk == sdk)
    #expect(story.log.names.last == .callEnded)
    #expect(story.log.records.last?.argument("by") == "local")
  }

  @Test("a log of sockets and sessions, and prose, are no log of calls")
  func others() throws {
    for line in [
      "session.connected", "app.message sent", "media.example", "call.log", "the call.ended_at field",
    ] {
      #expect(try recognise("2026-11-20 10:00:00.000 INFO \(line)\n") == nil, "\(line)")
    }
    let prose = try Story(
      .sdkText, "2026-11-20T10:00:00Z onSessionStarted\n2026-11-20T10:00:01Z call.end = undefined\n")
    #expect(prose.log.names == [.sessionRegistered])
  }
}
