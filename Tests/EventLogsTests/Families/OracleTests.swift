import Bytes
import CallModel
import EventLogs
import Testing

@Suite("Oracle WebRTC Session Controller")
struct OracleTests {
  @Test(
    "call states by prefix, by bare name and by number",
    arguments: [
      ["WSC_CS_STARTED", "WSC_CS_RESPONDED", "WSC_CS_ESTABLISHED", "WSC_CS_ENDED"],
      ["Started", "Responded", "Established", "Ended"],
      ["WSCCallStateStarted", "WSCCallStateResponded", "WSCCallStateEstablished", "WSCCallStateEnded"],
      ["1", "2", "3", "6"],
    ])
  func states(states: [String]) throws {
    let story = try Story(
      .runLog,
      runLog(
        "oracle-wsc",
        zip([0, 300, 2300, 9000], states).map { "\($0) stateChanged {\"callState\":\"\($1)\",\"cause\":200}" }
      ))
    #expect(
      story.log.names == [
        .callCreated, .callRequestSent, .callRinging, .callEstablished, .callEnded,
      ])
    #expect(story.lasted(.signalling) == 300)
    #expect(story.lasted(.ringing) == 2000)
    #expect(story.attempt?.setupMs == 300)
    #expect(story.attempt?.outcome == .completed)
  }

  @Test(
    "refusals by cause",
    arguments: [
      ("486", Outcome.busy), ("603", .rejected), ("600", .busy), ("408", .noAnswer), ("503", .failed),
      ("404", .failed),
    ])
  func causes(code: String, outcome: Outcome) throws {
    let story = try Story(
      .runLog,
      runLog(
        "oracle-wsc",
        [
          "0 stateChanged [\"WSC_CS_STARTED\"]",
          "90 stateChanged {\"state\":\"WSC_CS_REJECTED\",\"cause\":{\"code\":\(code)}}",
        ]))
    #expect(story.attempt?.outcome == outcome)
    #expect(story.events(.callFailed).first?.argument("words") != nil)
  }

  @Test(
    "frames on the WebSocket: who sent them, what they answer, and a failed one",
    arguments: ["message", "acknowledgement"])
  func frames(completing: String) throws {
    func frame(_ ms: Int, _ control: String, _ header: String, _ payload: String = "{}") -> String {
      #"{"ts":\#(Int(scriptStart) + ms),"event":"ws","args":{"control":{\#(control),"session_id":"s9","subsession_id":"u1"},"header":{\#(header)},"payload":\#(payload)}}"#
    }
    let request = #""type":"request","package_type":"call","correlation_id":"c2""#
    let response = #""type":"response","package_type":"call","correlation_id":"c2""#
    let lines = [
      frame(
        0, request, #""action":"start","initiator":"bob@example.com""#,
        #"{"sdp":"v=0\r\na=ice-ufrag:abc\r\na=ice-pwd:SECRETPWD1\r\n"}"#),
      frame(200, response, #""action":"start","response_code":180"#),
      frame(
        4200, response, #""action":"start","response_code":200"#, #"{"sdp":"v=0\r\na=ice-ufrag:def\r\n"}"#),
      frame(
        4300, #""type":"\#(completing)","package_type":"call","correlation_id":"c3""#, #""action":"complete""#
      ),
      frame(9000, #""type":"message","package_type":"call","correlation_id":"s4""#, #""action":"shutdown""#),
      frame(9001, response, #""action":"shutdown","response_code":200"#),
      frame(9001, #""type":"message","package_type":"call","correlation_id":"s5""#, #""action":"sing""#),
    ]
    let story = try Story(.runLog, lines.joined(separator: "\n"))
    #expect(
      story.log.names == [
        .callRequestSent, .callRinging, .callAnswered, .sdpAnswerReceived, .callEstablished, .callEnded,
        .sessionFrame, .unknown,
      ])
    #expect(story.lasted(.ringing) == 4000)
    #expect(story.attempt?.setupMs == 300)
    #expect(story.log.records.last?.raw == "frame:call/sing/message/received")
    #expect(
      story.log.identities.isSuperset(of: [
        .init(.session, "s9"), .init(.call, "u1"), .init(.person, "bob@example.com"),
        .init(.ufragRemote, "def"),
      ]))
    #expect(!story.log.records.contains { $0.args.contains("SECRETPWD1") })
    let busy = try Story(
      .runLog, lines[0] + "\n" + frame(90, response, #""action":"start","response_code":"486""#))
    #expect(busy.attempt?.outcome == .busy)
  }

  @Test("a push wakes the client, a handover moves the call: spans")
  func spans() throws {
    let story = try Story(
      .runLog,
      runLog(
        "oracle-wsc",
        [
          "0 stateChanged {\"sessionState\":\"WSCSessionStateHibernated\"}",
          "50000 didReceiveRemoteNotification",
          "51000 stateChanged {\"state\":\"WSCSessionStateConnected\"}", "51500 callArrived",
          "54000 WSCCallStateEstablished",
          "60000 suspend", "62000 callResurrected",
          "63000 callUpdated {\"event\":\"WSCCallUpdateEventSent\"}",
          "63500 WSCSessionStateReconnecting", "64000 WSCSessionStateConnected", "70000 WSCCallStateEnded",
        ]))
    #expect(story.events(.sessionHibernated).first?.untilMs == scriptStart + 51000)
    #expect(story.events(.pushReceived).first?.untilMs == scriptStart + 51500)
    #expect(story.events(.sessionSuspended).first?.untilMs == scriptStart + 62000)
    #expect(story.events(.sessionReconnecting).first?.untilMs == scriptStart + 64000)
    #expect(story.attempt?.direction == .incoming)
    #expect(story.attempt?.outcome == .completed)
  }

  @Test("a text log with a frame in typographic quotes and one in straight single ones, over several lines")
  func text() throws {
    let log = """
      01-15 10:00:00.000  123  456 D WSC: stateChanged: WSC_CS_STARTED
      01-15 10:00:00.250  123  456 D WSC: message frame {
        “control” : { “type” : “response”, “package_type” : “call”, “correlation_id” : “c2” },
        “header” : { “action” : “start”, “response_code” : “180” }
      }
      01-15 10:00:03.250  123  456 D WSC: message frame {'control':{'type':'response','package_type':'call','correlation_id':'c2'},'header':{'action':'start','response_code':200}}
      01-15 10:00:03.500  123  456 D WSC: Call State changed : 3
      01-15 10:00:09.000  123  456 D WSC: stateChanged: WSC_CS_ENDED
      """
    #expect(try recognise(log) == .sdkText)
    let sink = Collector()
    var options = ReaderOptions(fileName: "x.log")
    options.writtenMs = scriptStart
    try EventLogReader.read(.sdkText, from: MemoryBytes(log), into: sink, options: options)
    #expect(
      sink.names == [
        .callCreated, .callRequestSent, .callRinging, .callAnswered, .sdpAnswerReceived, .callEstablished,
        .callEnded,
      ])
    let first = try #require(sink.records.first?.timeMs)
    #expect(sink.records.compactMap(\.timeMs).map { $0 - first } == [0, 0, 250, 3250, 3250, 3500, 9000])
    #expect(first == 1_768_471_200_000, "the year of the file: 2026-01-15T10:00Z")
    #expect(sink.notes.contains { $0.contains("no zone") })
  }

  @Test("the name of an object of causes is no code beside the code in it")
  func printedCause() throws {
    let log = try read(
      .sdkText,
      "2026-11-20T10:00:00Z stateChanged: REJECTED, cause: Cause{code=603, reason=Decline} WSC_CS_REJECTED\n")
    #expect(log.records.last?.argument("code") == "603")
    #expect(log.records.last?.argument("words") == "declined")
  }

  @Test("an update that was rejected is no state of the call")
  func rejectedUpdate() throws {
    let log = try read(
      .sdkText,
      """
      2026-11-20 10:00:00.100 WSC[1:1] Call State changed : 1
      2026-11-20 10:00:04.900 WSC[1:1] Call State changed : 3
      2026-11-20 10:00:21.000 WSC[1:1] callUpdated: WSCCallUpdateEventRejected
      2026-11-20 10:00:21.001 WSC[1:1] Call Update event rejected for config: video=SENDRECV
      2026-11-20 10:01:00.100 WSC[1:1] Call State changed : 6
      """)
    #expect(log.records.compactMap(\.anomaly).isEmpty)
    #expect(log.names.suffix(3) == [.callUpdated, .callUpdated, .callEnded])
  }

  private func frame(_ ms: Int, _ way: String, _ action: String, _ header: String = "", id: String = "c1")
    -> String
  {
    let type = header.contains("error_code") ? "error" : header.isEmpty ? "request" : "response"
    return
      #"{"ts":\#(Int(scriptStart) + ms),"event":"ws","args":{"direction":"\#(way)","control":{"type":"\#(type)","package_type":"call","correlation_id":"\#(id)","subsession_id":"u1"},"header":{"action":"\#(action)"\#(header)}}}"#
  }

  @Test(
    "an update of a standing call changes neither its setup nor its end",
    arguments: [
      (("in", "out"), #","response_code":200"#, "accepted"),
      (("out", "in"), #","response_code":200"#, "accepted"),
      (("out", "in"), #","error_code":488"#, "rejected"), (("in", "out"), #","error_code":603"#, "rejected"),
      (("out", "in"), #","response_code":491"#, "rejected"),
    ])
  func update(ways: (String, String), answer: String, result: String) throws {
    let story = try Story(
      .runLog,
      [
        frame(0, "out", "start"), frame(600, "in", "start", #","response_code":180"#),
        frame(4000, "in", "start", #","response_code":200"#), frame(4100, "out", "complete"),
        frame(20000, ways.0, "start", id: "c7"),
        frame(20100, ways.1, "start", #","response_code":100"#, id: "c7"),
        frame(20300, ways.1, "start", answer, id: "c7"), frame(20400, ways.0, "complete", id: "c7"),
        frame(55000, "out", "shutdown"),
      ].joined(separator: "\n"))
    #expect(story.attempt?.direction == .outgoing)
    #expect(story.lasted(.ringing) == 3400)
    #expect(story.attempt?.setupMs == 700)
    #expect(story.attempt?.outcome == .completed)
    #expect(
      story.events(.callUpdated).map { $0.argument("update") }
        == [ways.0 == "in" ? "received" : "sent", result])
    #expect(story.log.names.contains(ways.0 == "in" ? .sdpOfferReceived : .sdpOfferSent))
    #expect(story.log.names.last == .callEnded)
    #expect(story.log.names.filter { $0 == .callEnded }.count == 1)
    #expect(story.anomalies.isEmpty)
  }

  @Test("another subsession beside a standing call is a call of its own")
  func secondSubsession() throws {
    let log = try read(
      .runLog,
      [
        frame(0, "out", "start"), frame(4000, "in", "start", #","response_code":200"#),
        frame(4100, "out", "complete"),
        frame(20000, "in", "start").replacing("u1", with: "u2"),
        frame(20300, "out", "start", #","error_code":486"#).replacing("u1", with: "u2"),
        frame(55000, "out", "shutdown"),
      ].joined(separator: "\n"))
    #expect(log.names.suffix(3) == [.callIncoming, .callEnded, .callEnded])
    #expect(!log.names.contains(.callUpdated))
  }

  @Test(
    "an incoming call as the guide's delegate prints it: it waits to be answered, and responded is the answer"
  )
  func incomingPrints() throws {
    let story = try Story(
      .sdkText,
      """
      2026-11-20 10:00:00.000 WSC[1:1] Session is connected.
      2026-11-20 10:00:10.000 WSC[1:1] Registering a WSCCallObserverDelegate...
      2026-11-20 10:00:10.100 WSC[1:1] Configuring the media streams...
      2026-11-20 10:00:18.000 WSC[1:1] Answering the call...
      2026-11-20 10:00:18.500 WSC[1:1] Call State changed : 2
      2026-11-20 10:00:18.500 WSC[1:1] stateChanged: WSC_CS_RESPONDED
      2026-11-20 10:00:19.000 WSC[1:1] Call State changed : 3
      2026-11-20 10:01:00.000 WSC[1:1] Call State changed : 6

      """)
    #expect(
      story.log.names == [
        .sessionConnected, .callIncoming, .callAnswered, .callAnswered, .callAnswered, .callEstablished,
        .callEnded,
      ])
    #expect(story.lasted(.ringing) == 8000)
    #expect(story.attempt?.setupMs == 1000)
    let declined = try Story(
      .sdkText,
      """
      2026-11-20 10:00:10.000 WSC[1:1] Registering a WSCCallObserverDelegate...
      2026-11-20 10:00:18.000 WSC[1:1] Declining the call...
      2026-11-20 10:00:18.500 WSC[1:1] Call State changed : 6

      """)
    #expect(declined.attempt?.outcome == .rejected)
  }

  @Test("responded is the callee's answer, also where only a later line tells that it is the callee")
  func responded() throws {
    let story = try Story(
      .runLog,
      runLog(
        "oracle-wsc",
        ["0 callArrived", "18000 WSC_CS_RESPONDED", "18700 WSC_CS_ESTABLISHED", "50000 WSC_CS_ENDED"]))
    #expect(story.log.names == [.callIncoming, .callAnswered, .callEstablished, .callEnded])
    #expect(story.lasted(.ringing) == 18000)
    #expect(story.attempt?.setupMs == 700)
  }

  @Test(
    "the call's own methods: accepted, declined with a code, ended here; in a call that stands they answer an update",
    arguments: [
      ("decline {\"code\":486}", Outcome.busy), ("decline {\"code\":603}", .rejected),
      ("decline {\"0\":\"WSCStatusCodeBusyHere\"}", .busy), ("end", .rejected),
    ])
  func methods(method: String, outcome: Outcome) throws {
    let refused = try Story(
      .runLog, runLog("oracle-wsc", ["0 callArrived", "5000 \(method)", "5200 WSC_CS_ENDED"]))
    #expect(refused.log.names == [.callIncoming, .callEnded, .callEnded])
    #expect(refused.attempt?.outcome == outcome)
    #expect(refused.log.records[1].argument("by") == "local")
    let story = try Story(
      .runLog,
      runLog(
        "oracle-wsc",
        [
          "0 callArrived", "5000 accept:streams:", "5400 WSC_CS_ESTABLISHED",
          "9000 callUpdated {\"event\":\"WSCCallUpdateEventReceived\"}", "9500 decline {\"code\":603}",
          "12000 accept", "20000 end", "20100 WSC_CS_ENDED",
        ]))
    #expect(
      story.log.names == [
        .callIncoming, .callAnswered, .callEstablished, .callUpdated, .callUpdated, .callUpdated,
        .callEnded, .callEnded,
      ])
    #expect(story.lasted(.ringing) == 5000)
    #expect(story.attempt?.outcome == .completed)
    #expect(
      story.events(.callUpdated).map { $0.argument("update") } == ["received", "rejected", "accepted"])
  }

  @Test("in a log of nobody knows whom the plain names of those methods tell nothing")
  func methodsOfAnybody() throws {
    let log = try read(
      .runLog,
      ["accept", "decline"].map { #"{"ts":\#(scriptStart),"event":"\#($0)"}"# + "\n" }.joined())
    #expect(log.names == [.unknown, .unknown])
    let text = try Story(
      .sdkText, "2026-11-20T10:00:00Z callArrived\n2026-11-20T10:00:05Z we decline {\"code\":486}\n")
    #expect(text.attempt?.outcome == .busy)
    #expect(try recognise("2026-11-20T10:00:05Z decline {\"code\":486}\n") == nil)
  }

  @Test("a call that was taken over from another device stands", arguments: [true, false])
  func takenOver(isUpdated: Bool) throws {
    func end(_ state: String) throws -> Outcome? {
      let updated = isUpdated ? ["1000 callUpdated {\"event\":\"WSCCallUpdateEventAccepted\"}"] : []
      return try Story(
        .runLog, runLog("oracle-wsc", ["400 callResurrected"] + updated + ["28000 \(state)"])
      ).attempt?.outcome
    }
    #expect(try end("WSC_CS_ENDED") == .completed)
    #expect(try end("WSC_CS_FAILED") == .dropped)
    #expect(try end("session") == .unknown)
  }

  @Test("a push as the guide prints it wakes the client, and its payload is not kept")
  func printedPush() throws {
    let log = try read(
      .sdkText,
      """
      2026-11-20 10:05:00.000 WSC[1:1] Received notification: { data = { "wsc_from" = "alice@example.com"; }; }
      2026-11-20 10:05:01.200 WSC[1:1] callArrived
      2026-11-20 10:05:06.800 WSC[1:1] stateChanged: WSC_CS_ESTABLISHED

      """)
    #expect(log.names == [.pushReceived, .callIncoming, .callEstablished])
    #expect(log.records.first?.args == "{}")
    #expect(log.records.first?.untilMs == log.records.first?.timeMs.map { $0 + 1200 })
  }

  @Test(
    "a frame under `data` of a logger's line, as an object or a text, with the word beside it on who sent it",
    arguments: [true, false],
    [
      (#""time":"#, #","msg":"ws","type":"send""#, #","msg":"ws","type":"receive""#),
      (#""ts":"#, #","dir":"sent""#, #","dir":"received""#),
    ])
  func underData(isObject: Bool, names: (time: String, sent: String, received: String)) throws {
    func line(_ ms: Int, _ beside: String, _ control: String, _ header: String) -> String {
      let frame =
        #"{"control":{\#(control),"package_type":"call","session_id":"s9","subsession_id":"u1"},"header":{\#(header)}}"#
      let data = isObject ? frame : "\"" + frame.replacing("\"", with: "\\\"") + "\""
      return "{\(names.time)\(Int(scriptStart) + ms)\(beside),\"data\":\(data)}\n"
    }
    let text =
      line(0, names.sent, #""type":"request""#, #""action":"start""#)
      + line(
        1000, names.received, #""type":"error""#, #""action":"start","error_code":486,"reason":"Busy Here""#)
    #expect(try recognise(text) == .sdkText)
    let story = try Story(.sdkText, text)
    #expect(
      story.log.records.map(\.raw) == ["frame:call/start/request/sent", "frame:call/start/error/received"])
    #expect(story.log.records.map(\.timeMs) == [scriptStart, scriptStart + 1000])
    #expect(story.attempt?.outcome == .busy)
  }
}
