import CallModel
import Testing

@Suite("Numbers that people tell each other are not kept")
struct SpokenNumbersTests {
  @Test("in a chat, in captions and in what is shared, in text and in JSON; times and ids stay")
  func chat() throws {
    let story = try Story(
      .runLog,
      runLog(
        "pexip",
        [
          "0 request_token {\"status\":200}",
          "10 message_received {\"origin\":\"Alice\",\"uuid\":\"4829-1\",\"payload\":\"code 482913, then 77 1220\"}",
          "20 live_captions {\"data\":{\"lines\":[\"five five 5555\"],\"start_time\":1795226100.5}}",
          "30 message_received {\"payload\":\"10 minutes at 16:30, release 1a2b3c4d5\"}",
        ]))
    let args = story.log.records.map(\.args)
    #expect(args[1].contains("code [redacted], then [redacted]") && args[1].contains("4829-1"))
    #expect(args[2].contains("five five [redacted]") && args[2].contains("1795226100.5"))
    #expect(args[3].contains("10 minutes at 16:30, release 1a2b3c4d5"))
    let text = try Story(
      .sdkText,
      """
      2026-11-20T10:00:00.000Z onSessionStarted
      2026-11-20T10:00:01.000Z onMessageReceived Your code is 482913 ok

      """)
    #expect(text.log.records.last?.argument("3") == "[redacted]")
    #expect(text.log.records.last?.argument("4") == "ok")
  }
}
