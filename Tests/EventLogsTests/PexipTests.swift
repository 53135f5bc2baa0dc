import CallModel
import EventLogs
import Testing

@Suite("Pexip's client API")
struct PexipTests {
  @Test("from the token to the first media")
  func setup() throws {
    let story = try Story(
      .runLog,
      runLog(
        "pexip",
        [
          #"0 request_token {"status":200,"token":"SE9TVEx0b2tlbl9vbmU","participant_uuid":"p1","expires":"120","url":"https://c/api?pin=2468"}"#,
          "120 events_connected", "150 participant_sync_begin", "151 participant_sync_end",
          #"300 calls {"sdp":"v=0\r\nm=video 9 UDP 96\r\nb=AS:576\r\nb=TIAS:512000\r\na=ice-ufrag:aa\r\n"}"#,
          #"900 calls_response {"sdp":"v=0\r\na=ice-ufrag:bb\r\n"}"#,
          "950 ack", "1100 firstFrameRendered", "60000 refresh_token", "90000 call_disconnect",
          "90001 release_token",
        ]))
    #expect(
      story.log.names == [
        "token.requested", "session.connected", "conference.roster-syncing", "conference.roster-synced",
        "sdp.offer-sent",
        "sdp.answer-received", "call.established", "media.first-frame", "token.refreshed", "call.ended",
        "token.released",
      ])
    #expect(story.lasted(.signalling) == 600)
    #expect(story.attempt?.setupMs == 950)
    #expect(story.lasted(.firstFrame) == 150)
    #expect(story.attempt?.outcome == .completed)
    #expect(story.log.notes.isEmpty)
    let text = story.log.records.map(\.args).joined()
    #expect(!text.contains("SE9T") && !text.contains("2468"))
  }

  @Test("refused: a wrong PIN; and a TIAS in kilobits is flagged")
  func refused() throws {
    let story = try Story(
      .runLog, runLog("pexip", ["0 request_token", #"90 request_token_failed {"reason":"Invalid PIN"}"#]))
    #expect(story.attempt?.outcome == .rejected)
    let mixed = try Story(.runLog, runLog("pexip", [#"0 calls {"sdp":"v=0\r\nb=AS:576\r\nb=TIAS:576\r\n"}"#]))
    #expect(mixed.log.notes.first?.contains("TIAS") == true)
  }
}
