import CallModel
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
      #expect(story.events(.tokenFailed).map { $0.argument("wants") } == [wants])
      #expect(story.attempt?.setupMs == 1900)
      #expect(story.attempt?.fromEvent == .tokenRequested)
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
    #expect(story.log.names.first == .tokenRequested)
  }

  @Test(
    "PexRTC's onSetup says that a PIN is wanted: setup begins when it is given, and is unknown where nothing tells",
    arguments: [
      ("onSetup null required", "rtc.connect('4711')", 1400.0),
      ("onSetup [object MediaStream] required undefined", "this.rtc.connect('4711', null)", 1400),
      ("onSetup stream=a pin_status=optional", "connect pin=4711", 1400),
      ("onSetup [object MediaStream] none standard", "pexRTC.connect(null, '4711')", 1400),
      ("onSetup null required", "typed", nil), ("onSetup null none undefined", "rtc.connect()", 10300),
      ("onSetup [object MediaStream] none undefined", "typed", 10300),
    ] as [(String, String, Double?)])
  func setupWantsPIN(setup: String, connect: String, setupMs: Double?) throws {
    let story = try Story(
      .sdkText,
      """
      2026-11-20T10:00:00.000Z makeCall meet.acme.example meet.vmr Alice
      2026-11-20T10:00:00.900Z \(setup)
      2026-11-20T10:00:08.900Z \(connect)
      2026-11-20T10:00:10.300Z onConnect blob:https://x/1

      """)
    #expect(story.attempt?.setupMs == setupMs)
    #expect(!story.log.records.map(\.args).joined().contains("4711"))
  }

  @Test(
    "whom the server does not let in had no call, and the log tells why",
    arguments: [
      (["request_token 404 \(failed("Neither conference nor gateway found"))"], Outcome.failed),
      (["request_token 403 \(wanted)", "request_token 403 \(failed("Invalid PIN"))"], .rejected),
      (["POST https://vc/x/meet/request_token 403 \(failed("Invalid PIN"))"], .rejected),
      (["request_token 403 \(wanted)"], .unknown),
      (["POST https://vc/x/meet/request_token 403"], .unknown),
      (["request_token 503", "request_token 200 \(token)"], .unknown),
    ])
  func refused(lines: [String], outcome: Outcome) throws {
    let story = try Story(
      .sdkText,
      (["request_token"] + lines).enumerated().map { "2026-11-20T10:00:0\($0.offset).000Z \($0.element)\n" }
        .joined())
    #expect(story.attempt?.outcome == outcome)
    if outcome == .rejected { #expect(endingEvent(of: story.log.records)?.argument("words") == "wrong PIN") }
  }

  private static let wanted = #"{"status":"success","result":{"pin":"required"}}"#
  private static func failed(_ why: String) -> String { #"{"status":"failed","result":"\#(why)"}"# }

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
      #expect(story.events(.tokenFailed).count == 2)
      #expect(story.attempt?.setupMs == 2000)
      #expect(!story.log.records.map(\.args).joined().contains("SECRET"))
    }
  }
}
