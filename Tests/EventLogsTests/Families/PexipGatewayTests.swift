import CallModel
import SetupTime
import Testing

@Suite("A call through Pexip's gateway")
struct PexipGatewayTests {
  private static let taken = [
    #"0 request_token {"status":"success","result":{"token":"t","service_type":"SERVICE"}}"#, "500 calls",
    "1200 calls_response", "1300 ack",
    #"1500 participant_create {"uuid":"u-1","call_direction":"in","has_media":true}"#,
  ]

  private func story(_ lines: [String], service: String = "gateway") throws -> Story {
    try Story(.runLog, runLog("pexip", Self.taken.map { $0.replacing("SERVICE", with: service) } + lines))
  }

  private static let dialled = [
    #"1600 participant_create {"uuid":"u-2","call_direction":"out","has_media":false}"#,
    #"1600 participant_create {"uuid":"u-2","call_direction":"out","service_type":"connecting"}"#,
  ]

  @Test(
    "nobody answered behind it: the server's acknowledgement was none, and no setup is reported",
    arguments: dialled)
  func refused(dialled: String) throws {
    let story = try story([
      dialled, #"9500 participant_delete {"uuid":"u-2"}"#, #"9600 disconnect {"reason":"Call rejected"}"#,
    ])
    #expect(story.attempt?.outcome == .rejected)
    #expect(story.attempt?.setupMs == nil)
  }

  @Test("whoever hangs up while it rings there has given up", arguments: dialled)
  func givenUp(dialled: String) throws {
    let story = try story([dialled, "9500 call_disconnect", "9600 release_token"])
    #expect(story.attempt?.outcome == .cancelled)
  }

  @Test("of a reason that nobody knows, it is the far end that left that refused")
  func unknownReason() throws {
    let story = try story([
      Self.dialled[0], #"9500 participant_delete {"uuid":"u-2"}"#, #"9600 disconnect {"reason":"Nope"}"#,
    ])
    #expect(story.attempt?.outcome == .rejected)
  }

  @Test(
    "an end that says that nobody answered shows it, also where no list of participants shows it",
    arguments: [
      ("Call rejected", Outcome.rejected), ("No answer", .noAnswer), ("Gateway dial out failed", .failed),
      ("Busy Here", .busy),
    ])
  func notInParticipants(reason: String, outcome: Outcome) throws {
    let story = try story([#"9600 disconnect {"reason":"\#(reason)"}"#])
    #expect(story.attempt?.outcome == outcome)
    #expect(story.attempt?.setupMs == nil)
    #expect(CallTimes(story.log.records) == nil)
  }

  @Test(
    "so it does in the callbacks of a page, which knows no service",
    arguments: [("Call rejected", Outcome.rejected), ("Gateway dial out failed", .failed)])
  func page(reason: String, outcome: Outcome) throws {
    let story = try Story(
      .runLog,
      runLog(
        "pexip",
        [
          #"0 makeCall ["px.example","sip:bob@corp.example"]"#, "420 onSetup", "425 connect",
          "1100 onConnect",
          #"9600 onDisconnect {"reason":"\#(reason)"}"#,
        ]))
    #expect(story.attempt?.outcome == outcome)
    #expect(story.attempt?.setupMs == nil)
  }

  @Test("whoever had answered was there, whatever the end says")
  func hadAnswered() throws {
    let story = try story([
      Self.dialled[0], #"5000 participant_update {"uuid":"u-2","call_direction":"out","has_media":true}"#,
      #"9600 disconnect {"reason":"Call rejected"}"#,
    ])
    #expect(story.attempt?.outcome == .completed)
  }

  @Test("answered, it stood")
  func answered() throws {
    let story = try story([
      Self.dialled[0], #"5000 participant_update {"uuid":"u-2","call_direction":"out","has_media":true}"#,
      #"9500 participant_delete {"uuid":"u-2"}"#, #"9600 disconnect {"reason":"Remote disconnect"}"#,
    ])
    #expect(story.attempt?.outcome == .completed)
    #expect(story.attempt?.setupMs == 1300)
  }

  @Test(
    "where the list of participants does not show it, or a conference dialled, nothing is made of it",
    arguments: [
      ("gateway", #"1600 participant_create {"uuid":"u-2","call_direction":"out"}"#),
      ("gateway", "1600 refresh_token"),
      ("conference", dialled[0]),
    ])
  func notReported(service: String, line: String) throws {
    let story = try story(
      [
        line, #"9500 participant_delete {"uuid":"u-2"}"#,
        #"9600 disconnect {"reason":"Conference terminated by a Host participant"}"#,
      ], service: service)
    #expect(story.attempt?.outcome == .completed)
  }
}
