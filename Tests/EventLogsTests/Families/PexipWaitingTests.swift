import CallModel
import SetupTime
import Testing

@Suite("Whoever waits in front of a Pexip room")
struct PexipWaitingTests {
  private func story(_ lines: [String]) throws -> Story {
    try Story(
      .runLog,
      runLog(
        "pexip",
        [
          #"0 request_token {"status":"success","result":{"participant_uuid":"u-1","service_type":"waiting_room"}}"#,
          "800 calls", "1300 calls_response", "1400 ack",
        ] + lines))
  }

  @Test(
    "has had no call while nobody let it in, whatever the server acknowledged",
    arguments: [
      (#"disconnect {"reason":"Call rejected"}"#, Outcome.rejected),
      (#"disconnect {"reason":"Disconnected by another participant"}"#, .rejected),
      (#"disconnect {"reason":"Conference terminated by a Host participant"}"#, .rejected),
      ("release_token", .cancelled),
      (#"disconnect {"reason":"User initiated disconnect"}"#, .cancelled),
      (
        #"disconnect {"reason":"Timeout waiting for conference host to join or permit access to locked conference"}"#,
        .noAnswer
      ),
    ])
  func waited(end: String, outcome: Outcome) throws {
    let story = try story(["180000 \(end)"])
    #expect(story.events(.conferenceWaiting).count == 1)
    #expect(story.attempt?.outcome == outcome)
    #expect(story.attempt?.setupMs == nil)
    #expect(story.attempt?.setupWallMs == nil)
    #expect(CallTimes(story.log.records) == nil)
  }

  @Test("is there once it is let in")
  func admitted() throws {
    let story = try story([
      #"9000 participant_update {"uuid":"u-1","service_type":"conference","has_media":true}"#,
      #"180000 disconnect {"reason":"Disconnected by another participant"}"#,
    ])
    #expect(story.events(.conferenceAdmitted).count == 1)
    #expect(story.attempt?.outcome == .completed)
  }

  @Test("is known to wait by its stream alone, as long as that is what the stream says")
  func stream() throws {
    func story(_ lines: [String]) throws -> Story {
      let waiting = #"10 participant_create {"uuid":"u-1","service_type":"waiting_room","has_media":false}"#
      return try Story(
        .runLog,
        runLog(
          "pexip",
          ["0 participant_sync_begin", waiting, "20 participant_sync_end"] + lines + [
            #"90000 disconnect {"reason":"Disconnected by another participant"}"#
          ]))
    }
    #expect(try story([]).events(.conferenceWaiting).count == 1)
    #expect(try story([]).attempt?.outcome == .rejected)
    let admitted = try story([
      #"9000 participant_update {"uuid":"u-1","service_type":"conference","has_media":true}"#
    ])
    #expect(admitted.events(.conferenceAdmitted).count == 1)
    #expect(admitted.attempt?.outcome == .completed)
  }

  @Test("does not know how it went where the log stops")
  func open() throws {
    let story = try story([])
    #expect(story.attempt?.outcome == .unknown)
    #expect(story.attempt?.setupMs == nil)
  }
}
