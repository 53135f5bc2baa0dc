import CallModel
import Testing

@Suite("Whose a line is, its logger may say beside the text or in front of it")
struct LineOwnerTests {
  // Two calls that overlap: c-1 is completed, c-2 finds its callee busy.
  private static let lines = [
    ("c-1", "createCall"), ("c-1", "onStatusChanged: RINGING"), ("c-2", "createCall"),
    ("c-2", "onStatusChanged: RINGING"),
    ("c-2", "onStatusChanged: BUSY"), ("c-2", "onStatusChanged: ENDED"),
    ("c-1", "onStatusChanged: MEDIA_PENDING"),
    ("c-1", "onStatusChanged: IN_CALL"), ("c-1", "onStatusChanged: ENDED"),
  ]

  private static func log(_ line: (_ time: String, _ call: String, _ text: String) -> String) -> String {
    lines.enumerated().map { line("2026-11-20T10:00:0\($0).000Z", $1.0, $1.1) + "\n" }.joined()
  }

  static let logs: [String: String] = [
    "pino": log { #"{"level":30,"time":"\#($0)","callId":"\#($1)","msg":"\#($2)"}"# },
    "pino in a container": log { #"\#($0) stdout F {"level":30,"callId":"\#($1)","msg":"\#($2)"}"# },
    "pino in docker": log {
      #"{"log":"{\"callId\":\"\#($1)\",\"msg\":\"\#($2)\"}\n","stream":"stdout","time":"\#($0)"}"#
    },
    "winston with metadata": log {
      #"{"message":"\#($2)","metadata":{"callId":"\#($1)"},"timestamp":"\#($0)"}"#
    },
    "a context of diagnostics": log {
      #"{"@timestamp":"\#($0)","message":"\#($2)","mdc":{"callId":"\#($1)"}}"#
    },
    "labels": log { #"{"@timestamp":"\#($0)","message":"\#($2)","labels.call_id":"\#($1)"}"# },
    "the members of a run log": log { #"{"ts":"\#($0)","call":"\#($1)","message":"\#($2)"}"# },
    "structlog": log { #"{"event":"\#($2)","callId":"\#($1)","timestamp":"\#($0)"}"# },
    "brackets": log { "\($0) [main] [callId=\($1)] INFO  Rem - \($2)" },
    "braces": log { "\($0) INFO {callId=\($1), user=alice} - \($2)" },
    "pairs behind the message": log {
      #"time=\#($0) level=info msg="\#($2)" callId=\#($1)"#
    },
    "pairs": log { #"time=\#($0) level=info callId=\#($1) msg="\#($2)""# },
  ]

  @Test("an id of the call there decides", arguments: logs.keys.sorted())
  func calls(name: String) throws {
    let text = try #require(Self.logs[name])
    let format = try #require(try recognise(text))
    let log = try read(format, text)
    let ids = log.events.map { $0.connection.flatMap { log.facts[$0]?.call } }
    #expect(ids == Self.lines.map(\.0), "\(name): \(log.names)")
    #expect(log.names.filter { $0 == .callCreated }.count == 2 && log.names.contains(.callFailed))
    #expect(log.records.compactMap(\.anomaly).isEmpty)
  }

  // Two calls, one after the other, of which a logger says the same id; c-1 is completed, c-2 finds its callee busy.
  static let ofOneRequest: [String: @Sendable (_ time: String, _ call: String, _ state: String) -> String] = [
    "a context in brackets": { "\($0) [callId=req-77] INFO App - onStatusChanged: \($2) callId=\($1)" },
    "pino": { #"{"time":"\#($0)","callId":"req-77","msg":"onStatusChanged: \#($2) callId=\#($1)"}"# },
    "an object in pino": {
      #"{"time":"\#($0)","callId":"req-77","msg":"onStatusChanged {\"callId\":\"\#($1)\",\"status\":\"\#($2)\"}"}"#
    },
    "an event in pino": {
      #"{"time":"\#($0)","callId":"req-77","msg":"{\"event\":\"onStatusChanged\",\"args\":{\"callId\":\"\#($1)\",\"status\":\"\#($2)\"}}"}"#
    },
    "an event with its call": {
      #"{"time":"\#($0)","msg":"{\"event\":\"onStatusChanged\",\"callId\":\"\#($1)\",\"args\":{\"status\":\"\#($2)\"}}"}"#
    },
  ]

  @Test("an id of the call in the line itself counts first", arguments: ofOneRequest.keys.sorted())
  func ownIDs(name: String) throws {
    let line = try #require(Self.ofOneRequest[name])
    let lines = [
      ("c-1", "SETUP"), ("c-1", "RINGING"), ("c-1", "IN_CALL"), ("c-1", "ENDED"), ("c-2", "SETUP"),
      ("c-2", "RINGING"), ("c-2", "BUSY"), ("c-2", "ENDED"),
    ]
    let text = lines.enumerated().map { line("2026-11-20T10:00:0\($0).000Z", $1.0, $1.1) + "\n" }.joined()
    #expect(try recognise(text) == .sdkText)
    let log = try read(.sdkText, text)
    #expect(
      log.events.map { $0.connection.flatMap { log.facts[$0]?.call } } == lines.map(\.0), "\(log.names)")
    #expect(log.records.allSatisfy { $0.timeMs != nil && $0.anomaly == nil })
    // What stands around both names neither to whoever groups calls.
    #expect(log.facts.values.filter { $0.identities.contains(Identity(.call, "req-77")) }.count <= 1)
  }

  @Test("an object of anybody's is no event for standing in a logger's text")
  func othersObjects() throws {
    let text = (0..<4).map {
      #"{"time":"2026-11-20T10:00:0\#($0).000Z","msg":"{\"event\":\"pageView\",\"page\":\"/\"}"}"# + "\n"
    }.joined()
    #expect(try recognise(text) == nil)
  }

  @Test("a user there is an end")
  func users() throws {
    let log = try read(
      .sdkText,
      """
      {"time":1795168800100,"user":"alice","msg":"createCall sip:bob@x"}
      {"time":1795168801100,"user":"alice","msg":"onStatusChanged: RINGING"}
      {"time":1795168801150,"user":"bob","msg":"onStatusChanged: ALERTING"}
      {"time":1795168806300,"user":"alice","msg":"onStatusChanged: IN_CALL"}
      """)
    #expect(log.facts.values.compactMap(\.endpoint).sorted() == ["alice", "bob"])
    #expect(log.records.compactMap(\.anomaly).isEmpty)
  }

  @Test("what was said before anybody signed in is of the only user there is")
  func before() throws {
    let log = try read(
      .sdkText,
      """
      {"time":1795168800100,"msg":"createCall sip:bob@x"}
      {"time":1795168801100,"user":"alice","msg":"onStatusChanged: RINGING"}
      {"time":1795168806300,"msg":"onStatusChanged: IN_CALL"}
      """)
    #expect(log.facts.count == 1 && log.facts.values.first?.endpoint == "alice")
  }

  @Test("who writes the log of a machine, or an address with parameters, names no end")
  func nobody() throws {
    for line in [
      #"{"eventMessage":"onStatusChanged: RINGING","userID":501,"timestamp":"2026-11-20 10:00:00.120113+0100"}"#,
      #"2026-11-20T10:00:00Z sip:+49221@example.com;user=phone onStatusChanged: RINGING"#,
      #"2026-11-20T10:00:00Z [callId=null] onStatusChanged: RINGING"#,
    ] {
      let log = try read(.sdkText, line + "\n")
      #expect(log.names == [.callRinging], "\(line)")
      #expect(log.facts.values.allSatisfy { $0.endpoint == nil && $0.call == nil }, "\(line)")
    }
  }

  @Test("the words of any logger are found in the text that they stand in, and end with it")
  func texts() throws {
    let texts = ["onStatusChanged: RINGING", "onStatusChanged: IN_CALL", "onStatusChanged: ENDED"]
    let wrappings: [String: (String) -> String] = [
      "GELF": { #"{"version":"1.1","short_message":"\#($0)","timestamp":1795168800.123,"level":6}"# },
      "Serilog": { #"{"@t":"2026-11-20T10:00:00.1234560Z","@mt":"{msg}","@m":"\#($0)","@i":"abc"}"# },
      "Serilog's template": {
        let words = $0.split(separator: " ")
        return #"{"@t":"2026-11-20T10:00:00.1Z","@mt":"\#(words[0]) {State:l}","State":"\#(words[1])"}"#
      },
      "Serilog's long form": {
        #"{"Timestamp":"2026-11-20T10:00:00.1Z","MessageTemplate":"{m}","RenderedMessage":"\#($0)","Properties":{"x":1}}"#
      },
      "Apple": {
        #"{"formatString":"onStatusChanged: %@","userID":501,"timestamp":"2026-11-20 10:00:00.12+0100","eventMessage":"\#($0)","traceID":3}"#
      },
      "structlog": { #"{"event":"\#($0)","level":"info","timestamp":"2026-11-20T10:00:00.123Z"}"# },
      "Splunk": { #"{"time":"1795168800.123","host":"h","event":"\#($0)"}"# },
      "Splunk with an object": { #"{"time":"1795168800.123","host":"h","event":{"message":"\#($0)"}}"# },
      "Puppeteer": { #"{"type":"log","text":"\#($0)","ts":1795168800123}"# },
      "nobody's": { #"{"when":"2026-11-20T10:00:00.123Z","saying":"\#($0)","level":"BUSY"}"# },
    ]
    for (name, wrap) in wrappings {
      let text = texts.map { wrap($0) + "\n" }.joined()
      let log = try read(try #require(try recognise(text), "\(name)"), text)
      #expect(log.names == [.callRinging, .callEstablished, .callEnded], "\(name)")
      #expect(
        log.records.allSatisfy { !$0.args.contains("%@") && !$0.args.contains("BUSY") },
        "\(name): \(log.records[0].args)")
    }
  }

  @Test("beside a name alone, the members of an object are its arguments")
  func members() throws {
    let log = try read(
      .sdkText,
      """
      2026-11-20T10:00:00Z {"name":"onStatusChanged","status":"RINGING","callId":"c1"}
      2026-11-20T10:00:01Z {"onStatusChanged":{"status":"IN_CALL","callId":"c1"}}
      """)
    #expect(log.names == [.callRinging, .callEstablished])
    #expect(log.facts.values.first?.call == "c1")
  }
}
