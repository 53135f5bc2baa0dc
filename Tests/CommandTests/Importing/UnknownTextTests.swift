import Foundation
import Testing

@Suite("What callqa does not know is reported as what it is")
struct UnknownTextTests {
  private func refusal(_ name: String, _ text: String) throws -> (code: String?, reason: String) {
    let folder = try TemporaryFolder()
    let file = try folder.file(name, text)
    let found = try #require(
      try Tool.run("import", file, "--json", "--db", folder.url.appendingPathComponent("x.sqlite").path)
        .objects().first)
    #expect(found["status"] as? String == "refused", "\(found)")
    return (found["reason_code"] as? String, found["reason"] as? String ?? "")
  }

  @Test(
    "text that begins with a bracket is no broken JSON",
    arguments: [
      "[1234:5678:1120/100005.123456:VERBOSE1:peer_connection.cc(512)] Session: 3 is initialized\n(x.cc:1): y\n",
      "[INFO] started\n[INFO] stopped\n", "[12] one\n[13] two\n", "{main} started\n", "[]\nnothing\n",
    ])
  func bracketed(text: String) throws {
    let refusal = try refusal("app.log", text)
    #expect(refusal.code == "not-a-format" && refusal.reason.hasPrefix("of no known format"), "\(refusal)")
  }

  @Test("JSON Lines of another kind are called so", arguments: ["app.log", "app.jsonl", "app.json"])
  func otherLines(name: String) throws {
    let refusal = try refusal(name, "{\"level\":\"info\",\"n\":1}\n{\"level\":\"info\",\"n\":2}\n")
    #expect(refusal.code == "not-a-format" && refusal.reason.contains("one value per line"), "\(refusal)")
  }

  @Test(
    "broken JSON has a place",
    arguments: [
      ("a.json", "{main}"), ("a", "[{\"a\":1},{\"b\":2]"), ("a", "{\"a\":1,\"b\":"), ("a.jsonl", "{\"a\""),
    ])
  func broken(name: String, text: String) throws { #expect(try refusal(name, text).code == "not-json") }

  @Test("one JSON object over many lines is no log, whatever its strings say", arguments: [3, 200, 2000])
  func document(events: Int) throws {
    let event = """
        {
          "name": "participant_update",
          "data": {
            "uuid": "7"
          }
        }
      """
    let text =
      "{\n  \"events\": [\n" + repeatElement(event, count: events).joined(separator: ",\n") + "\n  ]\n}\n"
    let refusal = try refusal("kept.json", text)
    #expect(refusal.code == "not-a-format" && refusal.reason.hasPrefix("valid JSON"), "\(refusal)")
  }

  @Test(
    "statistics that a native SDK printed as text are read, alone and in its log",
    arguments: [
      "{ timestampUs: TIME000, stats: [{ timestampUs: TIME000, type: inbound-rtp, id: I1, ssrc: 7, kind: \"audio\", packetsReceived: COUNT, packetsLost: 0 }] }",
      "id: I1, type: inbound-rtp, timestamp: TIME000, values: {\n    ssrc = 7;\n    kind = audio;\n    packetsReceived = COUNT;\n    packetsLost = 0;\n}",
      "{ id: 'I1', type: 'inbound-rtp', timestamp: TIME, ssrc: 7, kind: 'audio', packetsReceived: COUNT, packetsLost: 0 }",
    ])
  func nativeStatistics(printed: String) throws {
    let start = 1_795_168_800_000
    let lines = (0..<20).map { second in
      "2026-11-20T10:00:\(String(format: "%02d", second)).000Z stats "
        + printed.replacingOccurrences(of: "TIME", with: "\(start + second * 1000)")
        .replacingOccurrences(of: "COUNT", with: "\(second * 50)")
    }
    let head = "2026-11-20T10:00:00.000Z createCall callId=c1\n2026-11-20T10:00:01.000Z onSessionStarted\n"
    for (name, text) in [("stats.log", ""), ("app.log", head)] {
      let folder = try TemporaryFolder()
      let file = try folder.file(name, text + lines.joined(separator: "\n") + "\n")
      let database = folder.url.appendingPathComponent("x.sqlite").path
      let imported = try Tool.run("import", file, "--json", "--db", database)
      #expect(imported.status == 0, "\(imported.output)")
      let streams = try Tool.run("streams", "--db", database, "--json").objects()
      #expect(streams.count == 1 && streams.first?["packets"] as? Int == 950, "\(name): \(streams)")
    }
  }

  @Test(
    "what a log service answers with is told how to make lines of it",
    arguments: [
      (#"{"events":[{"timestamp":1,"message":"{}","ingestionTime":2}]}"#, ".events[]"),
      (
        #"{"breadcrumbs":{"values":[{"timestamp":1.5,"category":"console","message":"onInCall"}]}}"#,
        #"select(has("category")"#
      ),
      (#"{"took":1,"hits":{"hits":[{"_source":{"message":"{}"}}]}}"#, ".hits.hits[]"),
      (
        #"{"data":{"resultType":"streams","result":[{"values":[["1","{}"]]}]}}"#, "sort_by(.ns)"
      ),
    ])
  func answers(text: String, path: String) throws {
    let refusal = try refusal("logs.json", text)
    #expect(refusal.code == "unsupported" && refusal.reason.contains(path), "\(refusal)")
  }

  @Test(
    "for JSON of other figures than getStats gives, it says what to log instead",
    arguments: [
      (#"{"timestamp":1,"packetsLost":1,"jitter":5,"rtt":80,"mos":4.2}"#, "figures of quality"),
      (#"{"a":{"packet_loss":0.1},"b":{"round_trip_time":3}}"#, "figures of quality"),
      ("{}", "...report.values()"), (#"{"a":1,"b":[2]}"#, "callqa formats"),
    ])
  func otherFigures(json: String, remedy: String) throws {
    for text in [json, json + "\n" + json + "\n" + json + "\n"] {
      let refusal = try refusal("calls.json", text)
      #expect(refusal.reason.contains(remedy), "\(refusal)")
    }
  }

  @Test(
    "figures that an application summed up are no call of a log, however they are wrapped",
    arguments: [
      #"{"event":"stats","tag":"stats","peerId":"p","connectionId":"c","data":{"timestamp":"2026-03-06T10:00:00Z","audio":{"inbound":[{"id":"IT1","packetsLost":200,"packetsReceived":1000,"jitter":0.03,"timestamp":1758614185000}]}}}"#,
      #"{"ts":1758614185000,"event":"call_quality_sample","args":{"mos":4.1,"jitter":3,"packet_loss":0.2}}"#,
    ])
  func summedUpInEvents(json: String) throws {
    for text in [json, json + "\n" + json + "\n"] {
      let refusal = try refusal("stats.json", text)
      #expect(refusal.code == "not-a-format" && refusal.reason.contains("figures of quality"), "\(refusal)")
    }
  }

  @Test("a log that tells of a call keeps such lines beside its events")
  func summedUpAmongEvents() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file(
      "app.jsonl",
      #"{"ts":1758614185000,"event":"call.ringing","call":"c1"}"# + "\n"
        + #"{"ts":1758614186000,"event":"my_sample","call":"c1","args":{"packetsLost":2,"jitter":3}}"# + "\n")
    let found = try #require(
      try Tool.run("import", file, "--json", "--db", folder.url.appendingPathComponent("x.sqlite").path)
        .objects().first)
    #expect(found["status"] as? String == "imported" && found["events"] as? Int == 2, "\(found)")
  }

  @Test("the frames of a WebSocket that a HAR holds are read, each with its time")
  func frames() throws {
    let folder = try TemporaryFolder()
    let frames = [
      (
        "send", 1_795_168_805.0,
        #"{\"control\":{\"type\":\"request\",\"package_type\":\"call\",\"correlation_id\":\"c2\"},\"header\":{\"action\":\"start\"}}"#
      ),
      (
        "receive", 1_795_168_806.0,
        #"{\"control\":{\"type\":\"response\",\"package_type\":\"call\",\"correlation_id\":\"c2\"},\"header\":{\"action\":\"start\",\"response_code\":180}}"#
      ),
    ].map { "{\"type\":\"\($0.0)\",\"time\":\($0.1),\"opcode\":1,\"data\":\"\($0.2)\"}\n" }
    let file = try folder.file("x.jsonl", frames.joined())
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(try Tool.run("import", file, "--db", database).status == 0)
    let events = try Tool.run(
      "query", "select t_ms, sdk from events order by t_ms", "--db", database, "--json"
    ).objects()
    #expect(
      events.last?["t_ms"] as? Double == 1_795_168_806_000 && events.last?["sdk"] as? String == "oracle-wsc")
  }

  @Test("a text that begins with the chatter of others is still the SDK's")
  func longPreface() throws {
    let folder = try TemporaryFolder()
    let chatter = (0..<4000).map { "2026-11-20T09:59:00.000Z network: request \($0) done in 12 ms\n" }
      .joined()
    let call = "2026-11-20T10:00:00.000Z onSessionStarted\n2026-11-20T10:00:01.000Z createCall callId=c1\n"
    _ = try folder.file("in/app.log", chatter + call)
    _ = try folder.file("in/other.log", chatter)
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let files = try Tool.run(
      "import", folder.url.appendingPathComponent("in").path, "--db", database, "--json"
    )
    .objects().filter { $0["type"] as? String == "file" }
    #expect(files.map { $0["status"] as? String } == ["imported", "skipped"], "\(files)")
    #expect(files.first?["events"] as? Int == 2)
  }

  @Test("a table of messages is searched beyond its head as any log is")
  func tableOfMessages() throws {
    let folder = try TemporaryFolder()
    let rows = (0..<3000).map { "2026-11-20T09:59:00.000Z,info,request \($0) was done in 12 ms\n" }.joined()
    let call = "2026-11-20T10:00:00.000Z,info,onSessionStarted\n"
    let file = try folder.file("app.log", "time,level,message\n" + rows + call)
    let found = try Tool.run(
      "import", file, "--json", "--db", folder.url.appendingPathComponent("x.sqlite").path
    ).objects().first
    #expect(found?["status"] as? String == "imported", "\(found ?? [:])")
  }

  @Test("a table of figures beside recordings is no log")
  func tableOfFigures() throws {
    let rows = (0..<6000).map { "\(1_795_225_812_502_300 + $0),rtp,96,ab,\($0),1200,peer,10.0.0.1 47527\n" }
    let refusal = try refusal("relay.csv", "t_us,kind,pt,dir,seq,len,verdict,address\n" + rows.joined())
    #expect(refusal.code == "not-a-format", "\(refusal)")
  }
}
