import Foundation
import Testing

@Suite("Statistics and events of one log are both read, whatever the lines are wrapped in")
struct WrappedLogTests {
  private static let start = 1_795_226_400_000

  // Three events and three polls of one connection, as an application logs them in turn.
  private static let lines: [(ms: Int, json: String)] = (0..<3).flatMap { second in
    let ms = start + second * 1000
    let report =
      "{\"id\":\"I1\",\"type\":\"inbound-rtp\",\"timestamp\":\(ms),\"kind\":\"audio\",\"ssrc\":7,"
      + "\"packetsReceived\":\(second * 50),\"bytesReceived\":\(second * 5000)}"
    let event = ["create", "getUserMediaSuccess", "hangup"][second]
    return [
      (ms, "{\"t\":\(ms),\"pc\":\"caller\",\"event\":\"\(event)\",\"args\":{}}"),
      (ms, "{\"ts\":\(ms),\"pc\":\"caller\",\"report\":{\"I1\":\(report)}}"),
    ]
  }

  private static func iso(_ ms: Int) -> String {
    Date(timeIntervalSince1970: Double(ms) / 1000).formatted(.iso8601)
  }
  private static func text(_ json: String) -> String {
    "\"" + json.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      + "\""
  }
  // As `JSON.stringify(…, null, 2)` has it.
  private static func spread(_ json: String) -> String {
    var (text, depth) = ("", 0)
    for byte in json.unicodeScalars {
      if "}]".unicodeScalars.contains(byte) {
        depth -= 1
        text += "\n" + String(repeating: "  ", count: depth)
      }
      text.unicodeScalars.append(byte)
      if "{[".unicodeScalars.contains(byte) { depth += 1 }
      if "{[,".unicodeScalars.contains(byte) { text += "\n" + String(repeating: "  ", count: depth) }
    }
    return text
  }
  private static func log(_ line: (_ iso: String, _ json: String) -> String) -> String {
    lines.map { line(iso($0.ms), $0.json) + "\n" }.joined()
  }

  static let wrapped: [String: String] = [
    "bare": log { $1 },
    "docker": log { "{\"log\":\(text($1 + "\n")),\"stream\":\"stdout\",\"time\":\"\($0)\"}" },
    "a time in front": log { "\($0) \($1)" },
    "a container's": log { "\($0) stdout F \($1)" },
    "a console": log { "\($0.dropFirst(11).dropLast()).000 app.js:12 \($1)" },
    "a console that names the place last": log { "\($0) [stats] \($1) app.js:12:3" },
    "syslog": log { "Nov 21 \($0.dropFirst(11).dropLast()) host app[12]: \($1)" },
    "winston": log { "{\"level\":\"info\",\"message\":\(text($1)),\"timestamp\":\"\($0)\"}" },
    "pino": log { "{\"level\":30,\"time\":\"\($0)\",\"msg\":\(text($1))}" },
    "pino in docker": log { "{\"log\":\(text("{\"level\":30,\"msg\":\(text($1))}\n")),\"time\":\"\($0)\"}" },
    "journald": log { "{\"__REALTIME_TIMESTAMP\":\"1795226400000000\",\"\($0)\":1,\"MESSAGE\":\(text($1))}" },
    "Loki": log { "{\"labels\":{\"app\":\"x\"},\"line\":\(text($1)),\"timestamp\":\"\($0)\"}" },
    "Elasticsearch": log {
      "{\"_index\":\"x\",\"_source\":{\"@timestamp\":\"\($0)\",\"message\":\(text($1))}}"
    },
    "Google's text": log { "{\"insertId\":\"1\",\"timestamp\":\"\($0)\",\"textPayload\":\(text($1))}" },
    "Google's object": log { "{\"insertId\":\"1\",\"timestamp\":\"\($0)\",\"jsonPayload\":\($1)}" },
    "Splunk": log { "{\"preview\":false,\"result\":{\"_raw\":\(text($1)),\"_time\":\"\($0)\"}}" },
    "spread over lines": log { $1.contains("report") ? "\($0) INFO stats: \(spread($1))" : "\($0) \($1)" },
    "spread over lines of an action": log {
      $1.contains("report")
        ? "\($0) stats \(spread($1))".replacing("\n", with: "\n\($0) ") : "\($0) \($1)"
    },
    "a list": "[" + lines.map(\.json).joined(separator: ",\n  ") + "]",
    "a list that begins with statistics": "[" + lines.dropFirst().map(\.json).joined(separator: ",")
      + ",\(lines[0].json)]",
    "a list of Google's objects": "["
      + lines.map { "{\"timestamp\":\"\(iso($0.ms))\",\"jsonPayload\":\($0.json)}" }.joined(separator: ",")
      + "]",
    "a list of messages": "["
      + lines.map { "{\"timestamp\":\($0.ms),\"message\":\(text($0.json))}" }.joined(separator: ",") + "]",
  ]

  @Test("nothing is lost, and the call lasts as long", arguments: wrapped.keys.sorted())
  func all(name: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("app.log", try #require(Self.wrapped[name]))
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let result = try Tool.run("import", file, "--db", database, "--json")
    let found = try #require(try result.objects().first)
    #expect(found["status"] as? String == "imported", "\(found)")
    #expect(found["samples"] as? Int == 3 && found["rejected"] as? Int == 0, "\(found)")
    let events = try Tool.run(
      "query", "select raw, t_ms from events where raw in ('create', 'hangup') order by t_ms", "--db",
      database,
      "--json"
    ).objects()
    #expect(events.map { $0["raw"] as? String } == ["create", "hangup"])
    #expect(events.map { $0["t_ms"] as? Double } == [Double(Self.start), Double(Self.start + 2000)])
  }

  @Test("statistics alone are enough, be it a list of reports behind a word")
  func statisticsAlone() throws {
    let folder = try TemporaryFolder()
    let polls = Self.lines.filter { $0.json.contains("report") }
    let lists = polls.map { line in
      let report = line.json.split(separator: "\"I1\":", maxSplits: 1)[1].dropLast(2)
      return "10:00:00.000 app.js:12 getStats [\(report)]\n"
    }
    let frames = ["", "42[\"stats\","].map { packet in
      polls.map { line in
        let report = line.json.split(separator: "\"I1\":", maxSplits: 1)[1].dropLast(2)
        let text = Self.text(packet + "[\(report)]" + (packet.isEmpty ? "" : "]"))
        return "{\"type\":\"send\",\"time\":\(Double(line.ms) / 1000),\"opcode\":1,\"data\":\(text)}\n"
      }.joined()
    }
    let texts =
      frames + [
        polls.map { "{\"log\":\(Self.text($0.json)),\"time\":\"\(Self.iso($0.ms))\"}\n" }.joined(),
        lists.joined(),
      ]
    for (index, text) in texts.enumerated() {
      let file = try folder.file("\(index).log", text)
      let found = try #require(
        try Tool.run(
          "import", file, "--json", "--db", folder.url.appendingPathComponent("\(index).sqlite").path
        ).objects().first)
      #expect(found["samples"] as? Int == 3 && found["streams"] as? Int == 1, "\(found)")
    }
  }

  /// What an SDK prints of a received stream, in one of its forms, between the states of its call.
  private static func kandy(_ printed: (_ stamp: String, _ ms: Int, _ values: [String]) -> String) -> String {
    let polls = (0..<3).map { second in
      printed(
        "2026-11-21 01:54:2\(7 + second).361 App[100:200] ", 1_795_226_067_361 + second * 1000,
        ["packetsReceived: \(50 * second)", "audioOutputLevel: 8", "googJitterReceived: 2"])
    }
    return """
      2026-11-21 01:54:24.360 App[100:200] Call state changed: SMCallStates_Dialing
      2026-11-21 01:54:24.760 App[100:200] callStatusChanged: callState=RINGING
      2026-11-21 01:54:25.860 App[100:200] callStatusChanged: callState=IN_CALL
      \(polls.joined())
      2026-11-21 01:55:01.360 App[100:200] callStatusChanged: callState=ENDED

      """
  }

  static let printed: [String: String] = [
    "a line each": kandy { stamp, ms, values in
      "\(stamp)id: ssrc_7_recv, type: ssrc, timestamp: \(ms), values: [ssrc: 7], "
        + values.map { "[\($0)]" }.joined(separator: ", ") + "\n"
    },
    "values in a list": kandy { stamp, ms, values in
      "\(stamp)id: ssrc_7_recv, type: ssrc, timestamp: \(ms), values: (\n    \"ssrc: 7\",\n"
        + values.map { "    \"\($0)\"" }.joined(separator: ",\n") + "\n)\n"
    },
    "a field a line": kandy { stamp, ms, values in
      "\(stamp)Report id : ssrc_7_recv\n\(stamp)Report type : ssrc\n\(stamp)Report timestamp : \(ms).361342\n"
        + "\(stamp)Report values : (\n    \"ssrc: 7\",\n"
        + values.map { "    \"\($0)\"" }.joined(separator: ",\n") + "\n)\n"
    },
    "a text between": kandy { stamp, ms, values in
      "\(stamp)joined with id: 7\n\(stamp)id: ssrc_7_recv, type: ssrc, timestamp: \(ms),\nvalues: [ssrc: 7],\n"
        + values.map { "[\($0)],\n" }.joined() + "[2026-11-21 01:54:29] text: of a bracket\n"
    },
  ]

  @Test(
    "what an SDK prints of its statistics between its events is read beside them",
    arguments: printed.keys.sorted())
  func printedAmidEvents(form: String) throws {
    let folder = try TemporaryFolder()
    let log = try #require(Self.printed[form])
    // Where chatter stands before, and where the statistics stand first.
    let chatter = (0..<3000).map { "2026-11-21 01:54:20.000 App[100:200] drawing frame number \($0)\n" }
    let lines = log.split(separator: "\n", omittingEmptySubsequences: false)
    let turned = (lines.dropFirst(3) + lines.prefix(3)).joined(separator: "\n")
    for (index, text) in [log, chatter.joined() + log, turned].enumerated() {
      let file = try folder.file("\(index).log", text)
      let database = folder.url.appendingPathComponent("\(index).sqlite").path
      let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
      #expect(found["format"] as? String == "sdk-text", "\(found)")
      #expect(found["samples"] as? Int == 3 && found["events"] as? Int == 4, "\(found)")
      #expect(found["rejected"] as? Int == 0, "\(found)")
      let calls = try Tool.run("calls", "--db", database, "--json").objects()
      #expect(calls.count == 1)
    }
    let file = try folder.file("whole.log", log)
    let shown = try Tool.run("show", file).output
    #expect(shown.contains("Completed after 0:3"), "\(shown)")
  }

  @Test("what an application calls statistics and callqa does not know stays text")
  func otherStatistics() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file(
      "a.log",
      "2026-11-20T10:00:00.000Z metrics {\"ts\":1795168800000,\"stats\":{\"cpu\":3}}\n"
        + "2026-11-20T10:00:01.000Z createCall callId=c1\n2026-11-20T10:00:02.000Z onSessionStarted\n")
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
    #expect(found["status"] as? String == "imported" && found["rejected"] as? Int == 0, "\(found)")
    #expect(found["events"] as? Int == 2)
  }

  @Test("a poll that its application calls an event is a poll, also behind an event")
  func pollsAsEvents() throws {
    let folder = try TemporaryFolder()
    let lines = Self.lines.map { line in
      guard line.json.contains("report"), let reports = line.json.firstRange(of: "{\"I1\"") else {
        return line.json
      }
      return "{\"event\":\"stats\",\"timestamp\":\(line.ms),\"connectionId\":\"caller\",\"rawStats\":"
        + line.json[reports.lowerBound...]
    }
    let file = try folder.file("a.jsonl", lines.joined(separator: "\n"))
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
    #expect(found["samples"] as? Int == 3, "\(found)")
  }

  @Test("statistics and words of one logger that names the call beside both are one call")
  func ofOneCall() throws {
    let folder = try TemporaryFolder()
    let lines = Self.lines.map { line in
      let own = "{\"level\":30,\"time\":\(line.ms),\"callId\":\"c-77\",\"user\":\"alice\",\"msg\":"
      guard let report = line.json.firstRange(of: "\"report\"") else {
        return own + "\"onStatusChanged: IN_CALL\"}"
      }
      return own + "\"stats\"," + line.json[report.lowerBound...]
    }
    let texts = [
      lines, lines.map { "2026-11-20T10:00:00Z stdout F " + $0 },
      Self.lines.map {
        "[callId=c-77] [user=alice] " + ($0.json.contains("report") ? $0.json : "onStatusChanged: IN_CALL")
      },
      Self.lines.map {
        let text = $0.json.contains("report") ? $0.json : "onStatusChanged: IN_CALL"
        return "{\"time\":\($0.ms),\"callId\":\"c-77\",\"user\":\"alice\",\"msg\":\(Self.text(text))}"
      },
    ]
    for (index, text) in texts.enumerated() {
      let file = try folder.file("\(index).log", text.joined(separator: "\n"))
      let database = folder.url.appendingPathComponent("\(index).sqlite").path
      let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
      #expect(found["samples"] as? Int == 3 && found["events"] as? Int == 3, "\(index): \(found)")
      let calls = try Tool.run("query", "select call_id from calls", "--db", database, "--json").objects()
      #expect(calls.map { $0["call_id"] as? String } == ["c-77"], "\(index)")
    }
  }

  @Test(
    "events in a logger's text have its time, and with an id of their own they are of the call that stands beside them"
  )
  func eventsOfOneCall() throws {
    let folder = try TemporaryFolder()
    let states = ["SETUP", "IN_CALL", "ENDED"]
    let lines = Self.lines.enumerated().map { index, line in
      let state = states[index / 2]
      let own = "{\"level\":30,\"time\":\(line.ms),\"callId\":\"app-1\",\"msg\":"
      guard let report = line.json.firstRange(of: "\"report\"") else {
        let event = "{\"event\":\"onStatusChanged\",\"args\":{\"callId\":\"c-1\",\"status\":\"\(state)\"}}"
        return own + "\(Self.text(event))}"
      }
      return own + "\"stats\"," + line.json[report.lowerBound...]
    }
    // The first line decides who reads the others.
    for (name, text) in [("events.log", lines), ("statistics.jsonl", lines.dropFirst() + [lines[0]])] {
      let file = try folder.file(name, text.joined(separator: "\n"))
      let database = folder.url.appendingPathComponent("\(name).sqlite").path
      let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
      #expect(found["samples"] as? Int == 3 && found["events"] as? Int == 3, "\(name): \(found)")
      let rows = try Tool.run(
        "query",
        "select count(distinct call_key) calls, min(t_ms) t from events join source_views using (connection_key)",
        "--db", database, "--json"
      ).objects()
      #expect(rows.first?["t"] as? Double == Double(Self.start), "\(name): \(rows)")
      let calls = try Tool.run("query", "select call_id from calls", "--db", database, "--json").objects()
      #expect(calls.count == 1, "\(name): \(calls)")
    }
  }

  @Test("NUL bytes in a log are left out, and a note counts them", arguments: [0, 1, 100_000])
  func nuls(head: Int) throws {
    let folder = try TemporaryFolder()
    let row = String(repeating: "\0", count: 4096)
    let file = try folder.file(
      "a.log",
      String(repeating: "\0", count: head) + "2026-11-20T10:00:00.000Z createCall callId=c1\n"
        + "2026-11-20T10:00:01.000Z onStatusChanged: RINGING\n" + row
        + "2026-11-20T10:00:02.000Z onStatusChanged: ENDED\n")
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
    #expect(found["events"] as? Int == 3, "\(found)")
    #expect(
      (found["notes"] as? [String])?.contains { $0.hasPrefix("\(head + 4096) NUL bytes") } == true, "\(found)"
    )
  }

  private static let aroundStatistics: [String: @Sendable (_ iso: String, _ json: String) -> String] = [
    "text": { "\($0) INFO [stats] \($1)" },
    "docker": { "{\"log\":\(text($1 + "\n")),\"time\":\"\($0)\"}" },
    "pino": { "{\"level\":30,\"time\":\"\($0)\",\"msg\":\(text($1))}" },
  ]

  @Test("reports without a time of the epoch have that of the line around them")
  func timeAround() throws {
    let folder = try TemporaryFolder()
    for (name, own) in [("none", ""), ("since a machine began", "\"timestamp\":%,")] {
      for (wrapping, line) in Self.aroundStatistics {
        for isList in [false, true] {
          let lines = (0..<4).map { second in
            let time = own.replacing("%", with: "\(18_079_000 + second * 1000)")
            let report =
              "{\"id\":\"I1\",\"type\":\"inbound-rtp\",\(time)\"kind\":\"audio\",\"ssrc\":7,\"packetsReceived\":\(second * 50)}"
            let json = isList ? "[\(report)]" : "{\"stats\":{\"I1\":\(report)}}"
            return line(Self.iso(Self.start + second * 1000), json) + "\n"
          }
          let said = "\(wrapping), \(name), \(isList)"
          let file = try folder.file("\(said).log", lines.joined())
          let database = folder.url.appendingPathComponent("\(said).sqlite").path
          #expect(try Tool.run("import", file, "--db", database).status == 0, "\(said)")
          let rows = try Tool.run(
            "query", "select count(*) n, min(t_ms) t, max(t_ms) u from samples", "--db", database, "--json"
          ).objects()
          let first = Double(Self.start)
          #expect(
            rows.first?["n"] as? Int == 4 && rows.first?["t"] as? Double == first
              && rows.first?["u"] as? Double == first + 3000, "\(said): \(rows)")
        }
      }
    }
  }
}
