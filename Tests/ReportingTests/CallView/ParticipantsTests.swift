import CallModel
import Testing

@testable import Rendering
@testable import CallViews

@Suite("A conference is told by its list of participants")
struct ParticipantsTests {
  static func event(_ name: EventName, _ seconds: Double, _ participant: String?, data: String = "{}")
    -> AccountEvent
  {
    var quoted: [UInt8] = []
    JSONBytes.append(data, to: &quoted)
    let who = participant.map { "\"participant\":\"\($0)\"," } ?? ""
    return SampleAccount.event(
      name, end: nil, atMs: seconds * 1000,
      args: "{\(who)\"data\":\(String(decoding: quoted, as: UTF8.self))}")
  }

  static let account = SampleAccount.call(
    events: [
      event(.conferenceParticipantPresent, 0, "u1", data: "{\"display_name\":\"Åsa\",\"role\":\"chair\"}"),
      event(.conferenceParticipantJoined, 5, "u2", data: "{\"display_name\":\"Bo\",\"protocol\":\"sip\"}"),
      event(
        .conferenceStage, 6, nil,
        data:
          "[{\"stage_index\":1,\"participant_uuid\":\"u1\",\"vad\":100},{\"stage_index\":0,\"participant_uuid\":\"u2\",\"vad\":0}]"
      ),
      event(.conferenceStage, 16, nil, data: "[{\"stage_index\":0,\"participant_uuid\":\"u2\",\"vad\":100}]"),
      event(.conferenceParticipantLeft, 20, "u2"),
      event(.conferenceParticipantJoined, 21, "u3", data: "not json"),
    ])

  @Test("names, roles and times")
  func people() {
    let people = Participants(Self.account).people
    #expect(people.map(\.name) == ["Åsa", "Bo", "u3"])
    #expect(people[0].role == "chair")
    #expect(people[0].joinedMs == nil)
    #expect(people[1].way == "sip")
    #expect(people[1].leftMs == SampleAccount.startMs + 20_000)
    #expect(Participants(Self.account).most == 2)
  }

  @Test("whom the server dialled in vain was not there", arguments: [("false", 1), ("true", 2)])
  func dialled(hasMedia: String, count: Int) {
    let bo = "\"call_direction\":\"out\",\"has_media\""
    let account = SampleAccount.call(events: [
      Self.event(
        .conferenceParticipantJoined, 0, "u1", data: "{\"call_direction\":\"in\",\"has_media\":false}"),
      Self.event(.conferenceParticipantJoined, 5, "u2", data: "{\(bo):false}"),
      Self.event(.conferenceParticipantChanged, 9, "u2", data: "{\(bo):\(hasMedia)}"),
      Self.event(.conferenceParticipantLeft, 20, "u2"),
    ])
    #expect(Participants(account).present.count == count)
    #expect(Participants(account).most == count)
  }

  @Test("who spoke, and for how long")
  func turns() {
    let participants = Participants(Self.account)
    #expect(participants.turns.map(\.label) == ["speaks: Åsa", "speaks: Bo"])
    #expect(participants.people[0].spokeMs == 10_000)
  }

  @Test("a stage that cannot be read has no speaker", arguments: ["", "{}", "[1]", "[{\"vad\":1}", "[[[["])
  func broken(_ json: String) {
    #expect(Stage.speaker(json) == nil)
  }
}
