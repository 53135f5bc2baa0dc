import Foundation
import Testing

@Suite("A dialect that a user writes from the documents alone")
struct OwnDialectTests {
  private static let log = Tool.root.path + "/docs/examples/acme-voice.log"
  private static let own = ["CALLQA_DIALECTS": Tool.root.path + "/docs/examples"]

  @Test("is some 30 lines of JSON, and gives the screens that shipped SDKs have")
  func screens() throws {
    let lines = try String(contentsOfFile: Tool.root.path + "/docs/examples/acme-voice.json", encoding: .utf8)
      .split(separator: "\n").count
    #expect(lines <= 35)
    let list = try Tool.run("show", Self.log, "--json", environment: Self.own).objects()
      .compactMap { $0["call"] as? [String: Any] }
    #expect(list.map { $0["outcome"] as? String } == ["dropped", "busy"])
    let first = try #require(list.first)
    #expect(first["network_out_ms"] as? Double == 16_500 && first["held_local_ms"] as? Double == 8000)
    #expect(first["setup_ms"] as? Double == 900 && first["ringing_ms"] as? Double == 3300)
    let reported = try #require(first["reported"] as? [String: Any])
    #expect(reported["min"] as? Double == 41 && reported["below_50_ms"] as? Double == 10_000)
    let text = try Tool.run("show", Self.log, "--pick", "1", environment: Self.own).output
    for words in [
      "Dropped after 1:31 (LINK_LOST).", "The network was out for 16.5 s", "×××",
      "the client's own: 92 41 88",
      "Why dropped: it ended while its connection was down",
    ] {
      #expect(text.contains(words), "\(words) is not in\n\(text)")
    }
  }

  @Test(
    "means of a minute are a good call if the end itself counted, and not if a switch did",
    arguments: [("end", "good"), ("switch", "unjudged"), ("tap", "unjudged")])
  func minutes(observer: String, verdict: String) throws {
    let folder = try TemporaryFolder()
    let form = """
      {"by": "acme", "table": {}, "has": {"got": ""}, "call": "call", "end": "end", "seen_by": "\(observer)",
       "at": {"of": "time", "marks": "start"}, "every": {"s": 60}, "streams": [{"of": "received", "medium": "audio",
       "figures": {"packets": {"of": "got", "counts": "interval"}, "loss_percent": {"of": "lost", "unit": "percent"}}}]}
      """
    let rows = (0..<4).map { "7,anna,2026-11-20T11:0\($0):00Z,3000,0" }
    try Data(form.utf8).write(to: folder.url.appendingPathComponent("acme.figures.json"))
    let table = folder.url.appendingPathComponent("night.csv")
    try Data((["call,end,time,got,lost"] + rows).joined(separator: "\n").utf8).write(to: table)
    let database = folder.url.appendingPathComponent("own.sqlite").path
    try Tool.run(
      "import", table.path, "--db", database, environment: ["CALLQA_DIALECTS": folder.url.path])
    let calls = try Tool.run("calls", "--db", database, "--json").objects()
    #expect(calls.map { $0["verdict"] as? String } == [verdict])
  }

  @Test("keeps its secrets out, and its numbers to be found")
  func secrets() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("own.sqlite").path
    try Tool.run("import", Self.log, "--db", database, environment: Self.own)
    let found = try Tool.run("find", "4930555012", "--db", database, "--json", environment: Self.own)
      .objects()
    #expect(found.first?["call_id"] as? String == "AV71")
    let sessions = try Tool.run("sessions", "--db", database, "--json", environment: Self.own).objects()
    #expect(sessions.map { $0["outcome"] as? String } == ["succeeded"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: database)).range(of: Data("c2VjcmV0".utf8)) == nil)
  }

  @Test("is refused with its file and line where it is wrong, and where its folder is none")
  func mistakes() throws {
    let folder = try TemporaryFolder()
    try Data("{\"sdk\": \"x\",\n \"evnts\": {}}".utf8).write(to: folder.url.appendingPathComponent("x.json"))
    let wrong = try Tool.run("show", Self.log, environment: ["CALLQA_DIALECTS": folder.url.path])
    #expect(wrong.status != 0 && wrong.errors.contains("x.json:2: \"evnts\" is no member of a dialect"))
    let none = try Tool.run("show", Self.log, environment: ["CALLQA_DIALECTS": "/nowhere"])
    #expect(none.status != 0 && none.errors.contains("CALLQA_DIALECTS names /nowhere, which is no folder"))
  }

  @Test("a capture needs no dialect: a wrong one is not even read")
  func unneeded() throws {
    let capture = Tool.root.path + "/Tests/CommandTests/Unattended/stalled.pcap"
    let result = try Tool.run("show", capture, environment: ["CALLQA_DIALECTS": "/nowhere"])
    #expect(result.status == 0, "\(result.errors)")
  }
}
