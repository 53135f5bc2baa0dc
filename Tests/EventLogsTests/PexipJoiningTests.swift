import CallModel
import EventLogs
import SetupTime
import Testing

@Suite("What Pexip wants of a person before it lets them in")
struct PexipJoiningTests {
  private static let token = #"{"status":"success","result":{"token":"t","expires":"120"}}"#
  private static let joined = ["15500 participant_sync_end", "16000 calls", "16900 ack"]

  @Test(
    "the time in which a PIN, an extension or a sign-in is typed is no setup",
    arguments: [
      (#"{"status":"success","result":{"pin":"required","guest_pin":"none"}}"#, "PIN"),
      (#"{"status":"success","result":{"conference_extension":"standard"}}"#, "extension"),
      (#"{"status":"success","result":{"idp":[{"name":"a","uuid":"1"}]}}"#, "sign-in"),
      (
        #"{"status":"success","result":{"redirect_url":"https://idp.example/","redirect_idp":{}}}"#, "sign-in"
      ),
      (#"{"status":403,"result":{"pin":"required"}}"#, "PIN"),
      (#"{"status":403}"#, "PIN, extension or sign-in"),
    ])
  func typed(answer: String, wants: String) throws {
    for first in [[], ["0 makeCall"], ["0 makeCall", "10 request_token"]] {
      let story = try Story(
        .runLog,
        runLog(
          "pexip",
          first + ["100 request_token \(answer)", "15000 request_token \(Self.token)"] + Self.joined))
      #expect(story.events("token.failed").map { $0.argument("wants") } == [wants])
      #expect(story.attempt?.setupMs == 1900)
      #expect(story.attempt?.fromEvent == "token.requested")
    }
  }

  @Test("a node that fails and the next one that is asked are a machine's time")
  func otherNode() throws {
    let story = try Story(
      .runLog,
      runLog(
        "pexip",
        [
          "0 makeCall", #"5000 request_token {"status":503}"#, "5100 request_token \(Self.token)",
          "6000 calls",
          "7000 ack",
        ]))
    #expect(story.attempt?.setupMs == 7000)
  }

  @Test("a token that is given is given, whatever stands beside it")
  func given() throws {
    let answer = #"{"status":"success","result":{"token":"t","conference_extension":"standard"}}"#
    let story = try Story(.runLog, runLog("pexip", ["0 request_token \(answer)", "500 calls", "900 ack"]))
    #expect(story.log.names.first == "token.requested")
  }

  @Test("PexRTC prints the answers, a wrong PIN among them")
  func console() throws {
    let answers = [
      (0, #"{"status": "success", "result": {"pin": "required", "guest_pin": "none"}}"#),
      (8, #"{"status":"failed","result":"Invalid PIN"}"#),
      (15, #"{"status": "success", "result": {"token": "SECRET1", "turn": [{"credential": "SECRET2"}]}}"#),
    ]
    func line(_ second: Int, _ text: String) -> String {
      "2026-11-20T10:00:\(second < 10 ? "0" : "")\(second).000Z \(text)\n"
    }
    let asked = "PexRTC.sendRequest request_token {display_name: 'Zoe'} POST https://vc/x/request_token"
    for isAsked in [false, true] {
      let lines = answers.flatMap { second, answer in
        (isAsked ? [line(second, asked)] : [])
          + [line(second, "pexrtc.js:9 PexRTC.tokenRequested response \(answer)")]
      }
      let calls = "https://vc/x/participants/u-1/calls"
      let story = try Story(
        .sdkText,
        lines.joined() + line(16, "POST \(calls) 200") + line(17, "POST \(calls)/c-1/ack 200"))
      #expect(story.events("token.failed").count == 2)
      #expect(story.attempt?.setupMs == 2000)
      #expect(!story.log.records.map(\.args).joined().contains("SECRET"))
    }
  }
}
