import CallModel
import Testing

@Suite("Pexip events logged as JSON lines and by consoles")
struct PexipConsoleTests {
  private static let zoe = #"{"uuid":"u-1","display_name":"Zoe","is_muted":"NO"}"#
  private static let muted = #"{"uuid":"u-1","display_name":"Zoe","is_muted":"YES"}"#
  private static let story: [(name: String, data: String)] = [
    ("participant_sync_begin", "null"), ("participant_create", zoe), ("participant_sync_end", "null"),
    ("participant_update", muted), ("participant_create", #"{"uuid":"u-2","display_name":"Al"}"#),
    ("participant_sync_begin", "null"), ("participant_create", muted), ("participant_sync_end", "null"),
    ("disconnect", #"{"reason":"Token expired"}"#),
  ]

  private static func text(_ line: (Int, String, String) -> String) -> String {
    story.enumerated().map { line($0.offset, $0.element.name, $0.element.data) + "\n" }.joined()
  }

  private static func escaped(_ text: String) -> String {
    "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"") + "\""
  }

  @Test(
    "a snapshot is no join, a mute is a mute, a reason is a code, however the stream was logged",
    arguments: [
      (
        SourceFormat.sse,
        text {
          "2026-11-20T10:00:0\($0)Z event: \($1)\n2026-11-20T10:00:0\($0)Z data: \($2)\n2026-11-20T10:00:0\($0)Z "
        }
      ),
      (.runLog, text { #"{"time":"2026-11-20T10:00:0\#($0)Z","event":"\#($1)","data":\#($2)}"# }),
      (
        .runLog,
        text { #"{"time":"2026-11-20T10:00:0\#($0)Z","sdk":"pexip","event":"\#($1)","args":\#($2)}"# }
      ),
      (.runLog, text { #"{"time":"2026-11-20T10:00:0\#($0)Z","event":"\#($1)","data":\#(escaped($2))}"# }),
      (.sdkText, text { "2026-11-20T10:00:0\($0)Z webapp.js:10 [SSE] \($1) \($2)" }),
      (.sdkText, text { "2026-11-20T10:00:0\($0)Z event: \($1) data: \($2)" }),
      (.sdkText, text { "2026-11-20T10:00:0\($0)Z sse.js:44 event: \($1), data: \($2)" }),
      (.sdkText, text { "2026-11-20T10:00:0\($0)Z D/SSE: onEvent id=null type=\($1) data=\($2)" }),
    ])
  func sameEvents(format: SourceFormat, text: String) throws {
    #expect(try recognise(text) == format)
    let log = try read(format, text)
    #expect(
      log.names.dropLast() == [
        .conferenceRosterSyncing, .conferenceParticipantPresent, .conferenceRosterSynced, .callMuted,
        .conferenceParticipantJoined, .conferenceRosterSyncing, .conferenceParticipantPresent,
        .conferenceRosterSynced,
      ])
    #expect(log.records.first { $0.event == .callMuted }?.argument("participant") == "u-1")
    #expect(log.records.last?.argument("code") == "Token expired")
    #expect(log.records.last?.argument("outcome") == "dropped")
    #expect(log.identities.contains(Identity(.person, "Al")))
  }

  @Test("an object behind a name has all its members, nested ones too, and what stands around it stays")
  func longObject() throws {
    let many = (0..<40).map { #""m\#($0)": {"n": "a, b"}"# }.joined(separator: ", ")
    let line = #"onEvent id=7 type=participant_create data={\#(many), "uuid": "u-1"} took 3 ms"#
    let log = try read(.sdkText, "2026-11-20T10:00:00Z \(line)\n")
    let record = log.records.first
    #expect(record?.argument("uuid") == "u-1")
    #expect(record?.args.contains("left out") == false)
    #expect(record?.args.contains(#""m39":{"n": "a, b"}"#) == true)
    #expect(record?.argument("1") == "3")
  }

  @Test("a presentation that stopped is told by the callback's first argument")
  func presentation() throws {
    let text = """
      2026-11-20T10:00:00.000Z webapp makeCall vc.example.com meet.alice
      2026-11-20T10:00:10.000Z webapp onPresentation(true, "Zoe", "u-1")
      2026-11-20T10:00:20.000Z webapp onPresentation(false, null, null)
      2026-11-20T10:00:24.000Z webapp onPresentation true Al
      2026-11-20T10:00:30.000Z webapp onPresentation false null

      """
    for log in [
      try read(.sdkText, text),
      try read(
        .runLog,
        runLog(
          "pexip",
          [
            "0 makeCall", #"10 onPresentation [true,"Zoe","u-1"]"#, "20 onPresentation [false,null,null]",
            #"24 onPresentation [true,"Al","u-2"]"#, "30 onPresentation [false,null,null]",
          ])),
    ] {
      let started = log.records.filter { $0.event == .conferencePresentationStarted }
      #expect(started.count == 2 && started.allSatisfy { $0.untilMs != nil })
      #expect(log.names.count { $0 == .conferencePresentationStopped } == 2)
    }
  }

  @Test(
    "a reason without quotes is taken whole",
    arguments: [
      ("onDisconnect Token expired", "Token expired", "dropped"),
      ("onDisconnect \"Token expired\"", "Token expired", "dropped"),
      ("onDisconnect Token expired app.js:40:13", "Token expired", "dropped"),
      ("onError Invalid PIN", "Invalid PIN", "rejected"),
      (
        "onDisconnect Conference terminated by a Host participant",
        "Conference terminated by a Host participant", "completed"
      ),
      ("onDisconnect The dog ate the cable", "The dog ate the cable", nil),
      ("onDisconnect Token expired uptime: 5", "Token expired", "dropped"),
      ("onDisconnect The dog ate uptime: 5", "The dog ate", nil),
      ("onError Call Failed: Conference full", "Conference full", nil),
      ("onError Call Failed: Invalid PIN", "Invalid PIN", "rejected"),
      ("onError(\"Call Failed: Invalid PIN\")", "Invalid PIN", "rejected"),
      ("onError {\"error\":\"Call Failed: Invalid PIN\"}", "Invalid PIN", "rejected"),
      (
        "onError Call Failed: Failed to establish media to server.",
        "Failed to establish media to server.", "failed"
      ),
    ])
  func reasons(line: String, code: String, outcome: String?) throws {
    let log = try read(.sdkText, "2026-11-20T10:00:00Z makeCall x\n2026-11-20T10:00:01Z main.js:9 \(line)\n")
    #expect(log.records.last?.argument("code") == code)
    #expect(log.records.last?.argument("outcome") == outcome)
  }

  @Test("a prefix that all reasons have is no part of the code, in a run log either")
  func prefixes() throws {
    let reason = "Call Failed: Neither conference nor gateway found"
    for args in [#"["\#(reason)"]"#, #"{"error":"\#(reason)"}"#] {
      let log = try read(.runLog, runLog("pexip", ["0 makeCall", "1000 onError \(args)"]))
      #expect(log.records.last?.argument("code") == "Neither conference nor gateway found")
      #expect(log.records.last?.argument("words") == "no such conference or gateway")
      #expect(log.records.last?.argument("outcome") == "failed")
    }
  }

  @Test("a MessageEvent as JSON keeps its name, whatever its data are")
  func messageEvent() throws {
    for (name, id) in [("type", "lastEventId"), ("eventName", "eventId")] {
      let lines = [
        ("participant_sync_begin", ""), ("participant_create", #"{\"uuid\":\"u-1\"}"#),
        ("participant_sync_end", ""),
        ("layout", #"{\"view\":\"1:7\"}"#), ("disconnect", #"{\"reason\":\"Call disconnected\"}"#),
      ]
      let text = lines.enumerated().map { place, line in
        "{\"ts\":\(Int(scriptStart) + place),\"\(name)\":\"\(line.0)\",\"\(id)\":\"\(place)\",\"data\":\"\(line.1)\"}\n"
      }.joined()
      let format = try #require(try recognise(text))
      #expect(
        try read(format, text).names == [
          .conferenceRosterSyncing, .conferenceParticipantPresent, .conferenceRosterSynced,
          .conferenceLayout, .callEnded,
        ])
    }
  }
}
