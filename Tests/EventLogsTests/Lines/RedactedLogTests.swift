import Bytes
import CallModel
import Redaction
import Testing

@Suite("Secrets out of logs leave the rest whole")
struct RedactedLogTests {
  @Test("a run log whose texts end in a secret's name loses nothing")
  func emptySecrets() throws {
    let log = try read(
      .runLog,
      runLog(
        "pexip",
        [
          #"0 makeCall {"url":"https://vc/#/?conference=m&pin=","bandwidth":1280,"codec":"vp8"}"#,
          #"10 request_token_failed {"message":"missing:token:","reason":"Invalid","next":"retry"}"#,
        ]))
    #expect(log.rejects.isEmpty)
    #expect(log.records.first?.argument("bandwidth") == "1280")
    #expect(log.records.last?.argument("next") == "retry")
  }

  @Test("arguments kept of a line of text are JSON, and a second look leaves them so")
  func textArguments() throws {
    let log = try read(
      .sdkText,
      """
      2026-11-20T10:00:01.000Z main.js:9 events_connected https://vc.example.com/events?token=AbCdEf0123456789 ok
      2026-11-20T10:00:02.000Z release_token callId=c1 headers=Authorization: Basic U0VDUkVUMDY6cGFzcw==
      2026-11-20T10:00:03.000Z message_received X-Api-Key: abc Proxy-Authorization: Digest username="bob", response="x"

      """)
    #expect(log.records.count == 3)
    for args in log.records.map(\.args) + log.records.map({ Redactor().text($0.args) }) {
      var args = args
      #expect(throws: Never.self, "\(args)") { try args.withUTF8 { try validateJSON($0) } }
      #expect(!args.contains("AbCdEf") && !args.contains("U0VD") && !args.contains("abc"))
    }
    #expect(log.records.first?.argument("0") == "https://vc.example.com/events?token=[redacted]")
    #expect(log.records.first?.argument("1") == "ok")
  }

  @Test("a stream whose data end in a secret's name keeps its participants")
  func streams() throws {
    let lines = [
      "event: participant_create", #"data: {"avatar_url":"https://vc/a.jpg?token=","uuid":"u-1"}"#, "",
    ]
    let log = try read(.sse, lines.map { "2026-11-20T10:00:01.000Z \($0)\n" }.joined())
    #expect(log.records.first?.argument("participant") == "u-1")
    #expect(log.records.map { Redactor().text($0.args) } == log.records.map(\.args))
  }

  @Test("an SDK's own secrets go from its lines, whatever line its connection began with")
  func secretsOfLines() throws {
    func line(_ sdk: String, _ event: String, _ args: String) -> String {
      #"{"ts":1795226100000,"sdk":"\#(sdk)","call":"m1","endpoint":"app","event":"\#(event)","args":\#(args)}"#
        + "\n"
    }
    let log = try read(
      .runLog,
      line("w3c", "getUserMedia", #"{"audio":true,"sequence":7}"#)
        + line("cisco-rem", "startSession", #"{"sessionid":"HIDDEN1"}"#)
        + line("w3c", "startSession", #"{"sessionID":"HIDDEN2"}"#)
        + line("rebtel", "registerWithSignature", #"{"sequence":"HIDDEN3"}"#)
        + line(
          "oracle-wsc", "frame",
          #"{"control":{"type":"request","package_type":"register","session_id":"s1","sequence":4},"header":{"action":"connect","authenticate":{"response":"HIDDEN4"}}}"#
        ) + line("kandy-link", "callCreate", #"{"sessionId":"s2"}"#)
        + #"{"ts":1795226100000,"call":"m2","event":"nobodyKnows","args":{"sessionid":"HIDDEN5"}}"# + "\n"
        + #"{"ts":1795226100000,"call":"m2","event":"call.created","args":{"sequence":8}}"# + "\n")
    let text = log.records.map(\.args).joined(separator: "\n")
    #expect(!text.contains("HIDDEN"), "\(text)")
    for kept in [
      #""sequence":7"#, #""session_id":"s1","sequence":4"#, #""sessionId":"s2""#, #""sequence":8"#,
    ] {
      #expect(text.contains(kept), "\(kept)")
    }
  }

  @Test(
    "an SDK's own secrets go from running text, where a token would",
    arguments: [
      "startSession with sessionID 51ab5a7c-HIDDEN-4f7a", "startSession sessionID is 51ab5a7c-HIDDEN-4f7a",
      "startSession session ID: 51ab5a7c-HIDDEN-4f7a", "startSession (sessionID: 51ab5a7c-HIDDEN-4f7a)",
      "startSession sessionid -> 51ab5a7c-HIDDEN-4f7a", "startSession session id 51ab5a7c-HIDDEN-4f7a",
      "clientDidStart applicationKey 3f9a1b2c-HIDDEN-77", "clientDidStart application key is 3f9a1b2c-HIDDEN",
    ])
  func runningText(line: String) throws {
    for text in [line, "createCall callId=c9\n\(line)"] {
      let lines = text.split(separator: "\n").map { "2026-11-20T10:00:00Z \($0)\n" }.joined()
      let log = try read(.sdkText, lines + "2026-11-20T10:00:01Z createCall callId=c9\n")
      #expect(log.records.contains { $0.event.group == .session })
      #expect(!log.records.map(\.args).joined().contains("HIDDEN"))
    }
  }

  @Test("a secret in a line that waited for its SDK goes too, and another's id stays")
  func waited() throws {
    let cisco = try read(
      .sdkText,
      "2026-11-20T10:00:00Z createCall sessionID 51ab5a7c-HIDDEN-4f7a\n2026-11-20T10:00:01Z onStatusChanged IN_CALL\n"
    )
    #expect(cisco.names == [.callCreated, .callEstablished])
    #expect(!cisco.records.map(\.args).joined().contains("HIDDEN"))
    let oracle = try read(
      .sdkText,
      "2026-11-20T10:00:00Z createCall sessionID 51ab5a7c-KEPT-4f7a\n2026-11-20T10:00:01Z WSC_CS_ESTABLISHED\n"
    )
    #expect(oracle.records.map(\.args).joined().contains("51ab5a7c-KEPT-4f7a"))
  }

  @Test(
    "prose about a secret loses no word",
    arguments: [
      "session ID is invalid", "sessionID is missing here", "application key was not accepted",
      "session IDs 1234567890abcdefg", "obsession ID 1234567890abcdefg",
    ])
  func prose(text: String) throws {
    let log = try read(.sdkText, "2026-11-20T10:00:00Z startSession \(text)\n")
    #expect(log.records.count == 1)
    #expect(!log.records.map(\.args).joined().contains("redacted"))
  }
}
