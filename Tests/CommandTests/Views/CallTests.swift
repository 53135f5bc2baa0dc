import Foundation
import Testing

@Suite("One call from the command line")
struct CallTests {
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }

  init() throws { temporary = try TemporaryFolder() }

  @Test("show answers from files, without a database")
  func show() throws {
    let result = try Tool.run("show", Tool.sample("bad-call"), in: folder)
    #expect(result.status == 0)
    #expect(result.output.contains("Completed after"))
    #expect(result.output.contains("of the sound 9.1 % was lost on the wire and"))
    for line in result.lines { #expect(line.count <= 80, "\(line)") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("a file as the first word means show")
  func file() throws {
    let result = try Tool.run(Tool.sample("failed-call"), in: folder)
    #expect(result.output.contains("ICE never connected"))
    #expect(result.output.contains("candidate"))
  }

  @Test("a call of one file that nothing names bears the file's name, not that of the folder it lies in")
  func title() throws {
    let stats = URL(fileURLWithPath: Tool.sample("bad-call")).appendingPathComponent("caller.stats.jsonl.gz")
    let alone = try Tool.run("show", stats.path, in: folder)
    #expect(alone.lines.first == "caller.stats.jsonl.gz", "\(alone.output)")
  }

  /// Lines of one end's statistics, a second apart.
  private func polls(_ count: Int, _ reports: (_ second: Int, _ ms: Int) -> [String]) -> String {
    (0..<count).map { second in
      let ms = 1_795_168_800_000 + second * 1000
      let all = reports(second, ms).map { "{\"timestamp\":\(ms),\($0)}" }.joined(separator: ",")
      return "{\"ts\":\(ms),\"pc\":\"caller\",\"report\":[\(all)]}\n"
    }.joined()
  }

  @Test("a call that ICE never connected failed, though only the statistics tell of it")
  func failedByStatistics() throws {
    let text = polls(24) { second, _ in
      let state = second < 15 ? "checking" : "failed"
      return [
        #""id":"T","type":"transport","iceState":"\#(state)","dtlsState":"new","bytesReceived":0"#,
        #""id":"O","type":"outbound-rtp","kind":"audio","ssrc":7,"packetsSent":0"#,
      ]
    }
    let shown = try Tool.run(try temporary.file("caller.jsonl", text), in: folder).output
    #expect(shown.contains("Failed: the call was never connected."), "\(shown)")
    #expect(shown.contains("ICE never connected"), "\(shown)")
  }

  @Test("a connection for data alone has its time, and is said to have no media")
  func dataChannel() throws {
    let text = polls(10) { second, _ in
      [
        #""id":"T","type":"transport","iceState":"connected","dtlsState":"connected","selectedCandidatePairId":"P""#,
        #""id":"P","type":"candidate-pair","state":"succeeded","nominated":true,"currentRoundTripTime":0.02,"bytesReceived":\#(second * 1000)"#,
        #""id":"D","type":"data-channel","label":"chat","state":"open","messagesReceived":\#(second)"#,
      ]
    }
    let file = try temporary.file("caller.jsonl", text)
    let found = try #require(try Tool.run("import", file, "--json", in: folder).objects().first)
    let notes = "\(found["notes"] ?? "")"
    #expect(notes.contains("no stream of media") && !notes.contains("nothing in it"), "\(found)")
    let call = try #require(try Tool.run("calls", "--json", in: folder).objects().first)
    #expect(call["duration_ms"] as? Double == 9000 && call["started_ms"] as? Double == 1_795_168_800_000)
  }

  @Test("several calls are listed")
  func several() throws {
    let result = try Tool.run("show", Tool.sample("bad-call"), Tool.sample("healthy-call"), in: folder)
    #expect(result.status == 0)
    #expect(result.lines.count == 3)
    #expect(result.errors.contains("several calls"))
    let page = try Tool.run(
      "show", Tool.sample("bad-call"), Tool.sample("healthy-call"), "--html", "x.html", in: folder)
    #expect(page.status == 2)
  }

  @Test("call, find and diff answer from a database; its JSON holds every layer")
  func database() throws {
    try Tool.run("import", Tool.root.appendingPathComponent("samples").path, in: folder)
    let call = try Tool.run("call", "bad", "--json", in: folder)
    let object = try #require(try call.objects().first)
    #expect((object["call"] as? [String: Any])?["call_id"] as? String == "bad-call")
    for layer in ["summary", "unknown", "streams", "windows", "setup", "findings", "events", "sources"] {
      #expect(object[layer] is [Any], "\(layer)")
    }
    #expect(try Tool.run("diff", "healthy", "bad", in: folder).output.contains("points lost to loss"))
    #expect(try Tool.run("call", "bad", "--at", "+0:12", in: folder).output.contains("points lost to loss"))
    let streams = try Tool.run("streams", "bad", "--json", in: folder).objects()
    let ssrc = try #require(streams.compactMap { $0["ssrc"] as? Int }.first)
    for text in [String(ssrc), "0x" + String(ssrc, radix: 16)] {
      let found = try Tool.run("find", text, "--json", in: folder).objects()
      #expect(found.contains { $0["call_id"] as? String == "bad-call" }, "\(text)")
    }
    let nothing = try Tool.run("find", "nobody at all", "--json", in: folder)
    #expect(nothing.status == 2 && nothing.output.isEmpty)
    #expect(nothing.errors.contains("no call matches 'nobody at all'"))
  }

  @Test("an id of two runs means the latest, which is said; what a list cut is taken back")
  func runs() throws {
    for (run, day) in [("monday", 21), ("tuesday", 22)] {
      let line =
        "{\"ts\":\"2026-11-\(day)T10:00:00Z\",\"sdk\":\"w3c\",\"callId\":\"t05\",\"event\":\"createOffer\"}\n"
      try line.write(to: folder.appendingPathComponent("\(run).jsonl"), atomically: true, encoding: .utf8)
      #expect(try Tool.run("import", "\(run).jsonl", "--run", run, in: folder).status == 0)
    }
    let both = try Tool.run("call", "t05", in: folder)
    #expect(both.status == 0 && both.output.contains("run tuesday"))
    #expect(both.errors.contains("t05 is a call of 2 runs: this is tuesday/t05, the latest"))
    #expect(try Tool.run("call", "T0", in: folder).output.contains("run tuesday"), "a part, in any case")
    // What changes a call does not guess.
    let marked = try Tool.run("mark", "t05", "--exclude", "a try", in: folder)
    #expect(marked.status == 2)
    #expect(marked.errors.contains("'t05' is a call of 2 runs: monday/t05, tuesday/t05; name one of them"))
    #expect(try Tool.run("call", "tuesday/t0…", in: folder).output.hasPrefix("t05\n"))
  }

  @Test("diff tells programs what it tells people: both values, their unit and the difference")
  func diff() throws {
    try Tool.run("import", Tool.root.appendingPathComponent("samples").path, in: folder)
    let points = try Tool.run("diff", "healthy", "failed", "--json", in: folder).objects()
    for point in points {
      let (a, b) = (point["a"] as? Double, point["b"] as? Double)
      #expect(point["difference"] as? Double == a.flatMap { a in b.map { $0 - a } }, "\(point)")
      #expect((point["endpoint"] is String) == (point["section"] as? String == "endpoint"), "\(point)")
      #expect(!(point["a"] is NSNull && point["b"] is NSNull), "\(point)")
    }
    func point(_ section: String, _ name: String) -> [String: Any]? {
      points.first { $0["section"] as? String == section && $0["point"] as? String == name }
    }
    #expect(point("call", "outcome")?["b"] as? String == "failed")
    #expect(point("call", "score")?["a"] as? Double ?? 0 > 90 && point("call", "score")?["b"] is NSNull)
    #expect(point("findings", "ice-never-connected")?["difference"] as? Double ?? 0 > 0)
    let text = try Tool.run("diff", "healthy", "failed", in: folder)
    for line in text.lines { #expect(line.count <= 80, "\(line)") }
    #expect(text.lines.contains { $0.contains("ice-never-connected") && $0.hasSuffix("≠") })
    let table = try Tool.run("diff", "healthy", "failed", "--format", "tsv", "--limit", "1", in: folder)
    #expect(
      table.lines == [
        "section\tendpoint\tother_endpoint\tpoint\tunit\ta\tb\tdifference",
        "call\t\t\toutcome\t\tcompleted\tfailed\t",
      ])
  }

  @Test("a page and a trace are written where they are wanted, and a full device is noticed")
  func files() throws {
    let page = folder.appendingPathComponent("call.html")
    #expect(try Tool.run("show", Tool.sample("bad-call"), "--html", page.path, in: folder).status == 0)
    #expect(try String(contentsOf: page, encoding: .utf8).hasPrefix("<!doctype html>"))
    let trace = try Tool.run("show", Tool.sample("bad-call"), "--trace", "-", in: folder)
    let events = try #require(try trace.objects().first?["traceEvents"] as? [[String: Any]])
    #expect(
      events.contains { $0["ph"] as? String == "X" && ($0["name"] as? String)?.hasPrefix("setup") == true })
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    #expect(try Tool.run(["show", Tool.sample("bad-call")], in: folder, output: full).status == 3)
    #expect(try Tool.run("show", Tool.sample("bad-call"), "--html", "/dev/full", in: folder).status == 3)
  }

  @Test("the page has the packets of its capture one by one, and names the command where the capture is gone")
  func packetsOnPage() throws {
    let sample = URL(fileURLWithPath: InterfaceFixture.capture)
    let capture = folder.appendingPathComponent("call.pcap.gz")
    try FileManager.default.copyItem(at: sample, to: capture)
    try #require(try Tool.run("import", capture.path, "--db", "p.sqlite", in: folder).status == 0)
    let streams = try Tool.run("packets", capture.path, "--json").objects()
    let page = folder.appendingPathComponent("packets.html")
    try #require(
      try Tool.run("call", "last", "--db", "p.sqlite", "--html", page.path, in: folder).status == 0)
    let html = try String(contentsOf: page, encoding: .utf8)
    #expect(html.contains("id=\"packet-rows\""))
    let ssrc = try #require(
      streams.compactMap { $0["ssrc"] as? Int }.first { html.contains("--stream \($0) ") })
    let rows = try Tool.run("packets", capture.path, "--stream", "\(ssrc)", "--json").objects()
    let sequences = rows.prefix(50).compactMap { $0["sequence"] as? Int }.map(String.init).joined(
      separator: ",")
    #expect(html.contains("\"sequence\":\"\(sequences)"), "the rows of stream \(ssrc)")
    try FileManager.default.removeItem(at: capture)
    try #require(
      try Tool.run("call", "last", "--db", "p.sqlite", "--html", page.path, in: folder).status == 0)
    let without = try String(contentsOf: page, encoding: .utf8)
    #expect(!without.contains("id=\"packet-rows\"") && without.contains("callqa packets "))
  }

  @Test(
    "what is no moment and no zone is a wrong command line",
    arguments: [
      ["--at", "noon"], ["--tz", "Mars"], ["--json", "--at", "1:00"],
      ["--json", "--html", "x.html"], ["--json", "--trace", "x.json"], ["--at", "+0:05", "--html", "x.html"],
      ["--trace", "-", "--html", "-"],
    ])
  func wrong(_ words: [String]) throws {
    #expect(try Tool.run(["show", Tool.sample("bad-call")] + words, in: folder).status == 2)
  }

  @Test("of many streams it is said how many of them the timeline draws, and each line is of its own kind")
  func crowd() throws {
    let lines = (1...15).map { second in
      let streams = (1...5).map { number in
        #""v\#(number)":{"id":"v\#(number)","type":"inbound-rtp","timestamp":\#(1_795_300_000_000 + second * 1000),"kind":"video","ssrc":\#(500_000 + number),"packetsReceived":\#(second * 50),"packetsLost":\#(second * number),"bytesReceived":\#(second * 50_000),"framesDecoded":\#(second * 25)}"#
      }
      return
        #"{"ts":\#(1_795_300_000_000 + second * 1000),"pc":"caller","report":{\#(streams.joined(separator: ","))}}"#
    }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(
      to: folder.appendingPathComponent("room.stats.jsonl"))
    #expect(try Tool.run("show", "room.stats.jsonl", "--html", "room.html", in: folder).status == 0)
    let page = try String(contentsOf: folder.appendingPathComponent("room.html"), encoding: .utf8)
    #expect(page.contains("'s 3 worst of 5 video streams"))
    #expect(page.contains("\"dash\":\"dashed rank1\"") && page.contains("\"dash\":\"dotted rank2\""))
  }

  @Test("files that share only the call they were given keep both ends")
  func given() throws {
    for end in ["caller", "callee"] {
      let report = { (ms: Int) in
        #"{"ts":\#(1_795_300_000_000 + ms),"pc":"\#(end)","report":{"I":{"id":"I","type":"inbound-rtp","timestamp":\#(1_795_300_000_000 + ms),"kind":"audio","ssrc":\#(end == "caller" ? 11 : 22),"packetsReceived":\#(ms / 20),"packetsLost":0,"bytesReceived":\#(ms * 4),"jitter":0.001}}}"#
      }
      let lines = (1...15).map { report($0 * 1000) }.joined(separator: "\n") + "\n"
      try Data(lines.utf8).write(to: folder.appendingPathComponent("\(end).stats.jsonl"))
    }
    try Tool.run("import", folder.path, "--call", "X", "--jobs", "1", in: folder)
    let streams = try Tool.run("streams", "X", "--json", in: folder).objects()
    #expect(Set(streams.compactMap { $0["endpoint"] as? String }) == ["caller", "callee"])
  }

  @Test("one end scores the same with its samples read ahead on another core as without")
  func readAhead() throws {
    let scores = try ["1", "2"].map { jobs in
      let database = folder.appendingPathComponent("\(jobs).sqlite").path
      let file = Tool.sample("bad-call/callee.stats.jsonl.gz")
      try Tool.run("import", file, "--call", "X", "--jobs", jobs, "--db", database, in: folder)
      return try Tool.run("score", "X", "--json", "--db", database, in: folder).objects()
    }
    #expect(scores[0].count > 5)
    #expect(NSArray(array: scores[0]).isEqual(to: scores[1]))
  }
}
